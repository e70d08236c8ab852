package io.forebay.e2e.handover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.NotifyReceiver;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * A node that is replaced by a new process: no client fails or is refused, and whichever process is
 * killed at whichever step, one of both serves.
 */
@Tag("full")
final class HandoverIT {
  private static final int OBJECTS = 50;

  @TempDir private Path directory;

  private PathOrigin origin() throws Exception {
    PathOrigin origin = PathOrigin.start();
    origin.otherwise(exchange ->
        exchange.respond(
            200, "Cache-Control: max-age=3600\r\n", HandoverLoad.body(exchange.request().path())));
    return origin;
  }

  private EdgeProcess.Settings settings(PathOrigin origin) throws Exception {
    return EdgeProcess.in(directory, origin.url());
  }

  @Test
  void aFewHandOversUnderLoadFailNobody() throws Exception {
    handOvers(3);
  }

  @Tag("campaign")
  @Test
  void aHundredHandOversUnderLoadFailNobody() throws Exception {
    handOvers(100);
  }

  private void handOvers(int count) throws Exception {
    Certificates certificates = Certificates.in(Files.createDirectories(directory.resolve("tls")));
    var ignored = certificates.ecdsa("site", "localhost", "127.0.0.1");
    int tlsPort = Ports.free();
    try (PathOrigin origin = origin()) {
      EdgeProcess.Settings settings =
          settings(origin)
              .with(
                  "--listen-tls",
                  "127.0.0.1:" + tlsPort,
                  "--cert",
                  certificates.pem("site").toString(),
                  "--key",
                  certificates.key("site").toString())
              .config("http3: {listeners: [https]}\n");
      List<Double> pauses = new ArrayList<>();
      List<Double> longest = new ArrayList<>();
      List<Double> ratios = new ArrayList<>();
      try (ReplacedEdge edge = new ReplacedEdge(settings.start(), directory, origin.url());
          HandoverLoad load =
              new HandoverLoad(
                  settings.port(),
                  tlsPort,
                  certificates.clientContext(),
                  certificates.authorityPem(),
                  OBJECTS)) {
        load.start();
        awaitRequests(load, 500);
        for (int i = 0; i < count; i++) {
          load.forgetLongest();
          JsonNode report = edge.upgraded();
          long hits = load.hits.get();
          long reads = load.reads.get();
          awaitRequests(load, 300);
          ratios.add((double) (load.hits.get() - hits) / (load.reads.get() - reads));
          pauses.add(report.path("pauseMillis").asDouble(0));
          longest.add(load.longestMillis());
          assertEquals(0, report.path("cut").asInt(-1));
          assertEquals(List.of(), List.copyOf(load.failures), edge.log());
        }
        load.close();
        assertEquals(List.of(), List.copyOf(load.failures), edge.log());
        System.out.printf(
            Locale.ROOT,
            "%d hand-overs: %d requests, 0 failed, 0 refused, %d QUIC connections begun again;"
                + " pause p50 %.0f p99 %.0f max %.0f ms; longest request p50 %.0f p99 %.0f max"
                + " %.0f ms; share of hits in the 300 requests after: least %.3f%n",
            count,
            load.requests.get(),
            load.quicAgain.get(),
            share(pauses, 0.5),
            share(pauses, 0.99),
            share(pauses, 1),
            share(longest, 0.5),
            share(longest, 0.99),
            share(longest, 1),
            share(ratios, 0));
      }
    }
  }

  private static void awaitRequests(HandoverLoad load, long more) {
    long from = load.requests.get();
    Await.until(
        more + " more requests",
        () -> load.requests.get() - from >= more || !load.failures.isEmpty());
  }

  private static double share(List<Double> values, double share) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return sorted[(int) Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  }

  /** The steps by what either process logs; the new one is killed there. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "upgrade: process",
        "asks to take over",
        "listening sockets received",
        "the store is released;",
        "has released the store"
      })
  void aNewProcessThatIsKilledLeavesTheOldOneServing(String step) throws Exception {
    try (PathOrigin origin = origin()) {
      EdgeProcess old = settings(origin).noisy().start();
      try (ReplacedEdge edge = new ReplacedEdge(old, directory, origin.url())) {
        assertEquals(200, old.get("/object-1").status());
        boolean isInTime = false;
        for (int i = 1; i <= 5 && !isInTime; i++) {
          int from = edge.log().length();
          CompletableFuture<Commands.Finished> upgrade =
              CompletableFuture.supplyAsync(() -> edge.tryUpgrade());
          ProcessHandle started = edge.latestStarted(i);
          Await.until("step: " + step, () -> edge.log().indexOf(step, from) >= 0);
          boolean ignored = started.destroyForcibly();
          Await.until("it is killed", () -> !started.isAlive());
          isInTime = upgrade.get().exit() == 1;
          if (!isInTime) {
            // It served before the signal came: there is no old process left to look at.
            edge.serves(ReplacedEdge.handle(old.restart().pid()));
          }
        }
        assertTrue(isInTime, edge.log());
        assertTrue(old.isAlive(), edge.log());
        assertEquals(200, old.get("/object-1").status());
        assertTrue(old.get("/object-1").isHit(), "with its store");
        // And it can be replaced still.
        assertEquals(0, edge.upgraded().path("cut").asInt(-1));
        assertTrue(RawClient.get(old.port(), "/object-1").isHit());
      }
    }
  }

  /** Likewise; the old one is killed there. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "asks to take over",
        "listening sockets offered",
        "connections end, then",
        "the store is released;"
      })
  void anOldProcessThatIsKilledLeavesTheNewOneServing(String step) throws Exception {
    try (PathOrigin origin = origin()) {
      EdgeProcess.Settings settings = settings(origin).noisy();
      EdgeProcess old = settings.start();
      List<String> command = new ArrayList<>(settings.command());
      command.add("--take-over");
      try (ReplacedEdge edge = new ReplacedEdge(old, directory, origin.url())) {
        assertEquals(200, old.get("/object-1").status());
        Process started =
            new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectOutput(directory.resolve("new.out").toFile())
                .redirectError(directory.resolve("new.err").toFile())
                .start();
        edge.serves(started.toHandle());
        Await.until("step: " + step, () -> edge.log().contains(step));
        boolean ignored = ReplacedEdge.handle(old.pid()).destroyForcibly();
        Await.until("it is killed", () -> !old.isAlive());
        Await.until(
            "the new process serves",
            () -> {
              assertTrue(started.isAlive(), () -> edge.log() + read("new.err"));
              return RawClient.get(old.port(), "/object-1").status() == 200;
            });
      }
    }
  }

  private String read(String file) {
    try {
      return Files.readString(directory.resolve(file));
    } catch (java.io.IOException e) {
      return e.toString();
    }
  }

  @Test
  void aConfigurationThatIsRefusedChangesNothing() throws Exception {
    try (PathOrigin origin = origin()) {
      EdgeProcess.Settings settings = settings(origin).config("timeouts: {drain: 30s}\n");
      EdgeProcess old = settings.start();
      try (ReplacedEdge edge = new ReplacedEdge(old, directory, origin.url())) {
        settings.config("timeouts: {drain: never}\n");
        Commands.Finished done = edge.upgrade();
        assertEquals(1, done.exit(), done.err());
        assertTrue(done.err().contains("ended with code 78"), done.err());
        assertEquals(200, old.get("/object-1").status());
      }
    }
  }

  @Test
  void aSecondUpgradeIsRefusedWhileOneIsInProgress() throws Exception {
    try (PathOrigin origin = origin();
        ReplacedEdge edge = new ReplacedEdge(settings(origin).start(), directory, origin.url())) {
      CompletableFuture<Commands.Finished> first =
          CompletableFuture.supplyAsync(() -> edge.tryUpgrade());
      ProcessHandle started = edge.latestStarted(1);
      // The first one must not end before the second one asks.
      Commands.run("kill", "-STOP", Long.toString(started.pid())).orFail();
      Commands.Finished second = edge.upgrade();
      Commands.run("kill", "-CONT", Long.toString(started.pid())).orFail();
      assertEquals(1, second.exit());
      assertTrue(second.err().contains("in progress"), second.err());
      assertEquals(0, first.get().exit(), () -> first.join().err());
      edge.serves(started);
    }
  }

  /** What systemd does with a socket unit. */
  @Test
  void itListensOnSocketsThatAServiceManagerOpened() throws Exception {
    String python =
        String.join(
            "\n",
            "import os, socket, sys",
            "s = socket.socket()",
            "s.bind(('127.0.0.1', int(sys.argv[1])))",
            "s.listen(64)",
            "os.dup2(s.fileno(), 3)",
            "os.set_inheritable(3, True)",
            "os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1',"
                + " LISTEN_FDNAMES='any.socket')",
            "os.execvp(sys.argv[2], sys.argv[2:])");
    try (PathOrigin origin = origin()) {
      EdgeProcess.Settings settings = settings(origin);
      settings.wrapped("python3", "-c", python, Integer.toString(settings.port()));
      EdgeProcess old = settings.start();
      try (ReplacedEdge edge = new ReplacedEdge(old, directory, origin.url())) {
        for (int i = 0; i < 20; i++) {
          assertEquals(200, old.get("/object-" + i).status());
        }
        assertEquals(0, edge.upgraded().path("cut").asInt(-1));
        assertTrue(RawClient.get(old.port(), "/object-1").isHit());
      }
    }
  }

  /** What systemd does with a service of type notify. */
  @Test
  void theServiceManagerHearsOfTheNewProcessAndIsToldThatItsLoopsAnswer() throws Exception {
    String python =
        String.join(
            "\n",
            "import os, sys",
            "os.environ.update(NOTIFY_SOCKET=sys.argv[1], WATCHDOG_USEC='4000000',"
                + " WATCHDOG_PID=str(os.getpid()))",
            "os.execvp(sys.argv[2], sys.argv[2:])");
    Path socket = directory.resolve("notify");
    try (PathOrigin origin = origin();
        NotifyReceiver manager = NotifyReceiver.bind(socket.toString())) {
      EdgeProcess.Settings settings = settings(origin);
      settings.wrapped("python3", "-c", python, socket.toString());
      EdgeProcess old = settings.start();
      try (ReplacedEdge edge = new ReplacedEdge(old, directory, origin.url())) {
        awaitMessage(manager, "WATCHDOG=1");
        long replacing = edge.upgraded().path("pid").asLong(0);
        awaitMessage(manager, "MAINPID=" + replacing);
        awaitMessage(manager, "WATCHDOG=1");
      }
    }
  }

  private static void awaitMessage(NotifyReceiver manager, String wanted) {
    String message = manager.next();
    while (!message.lines().toList().contains(wanted)) {
      message = manager.next();
    }
  }
}
