package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.RawClient.Response;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * A start that fails prints the reason in one line, has the right exit code, and leaves nothing
 * behind. {@code ServeCommandTest} has more wrong configurations, {@code CommandLineIT} a flag that
 * is none.
 */
final class BadStartIT {
  private static final String ORIGIN = "http://127.0.0.1:9";
  private static final int NO_RESOURCE = 69;
  private static final int BAD_CONFIGURATION = 78;

  @TempDir Path directory;

  @Test
  void aValueThatIsNoneIsABadConfiguration() throws Exception {
    assertRefused(BAD_CONFIGURATION, settings().with("--origin", "ftp://x/"), "ftp://x/");
  }

  @Test
  void badYamlNamesLineAndColumn() throws Exception {
    assertRefused(
        BAD_CONFIGURATION,
        settings().config("origin: " + ORIGIN + "\nlimits:\n  header-count: [1, 2\n"),
        "forebay.yaml:4:1");
  }

  @Test
  void configCheckSaysTheSameAsServe() throws Exception {
    Path file = directory.resolve("check.yaml");
    Files.writeString(file, "origin: " + ORIGIN + "\nlimits:\n  header-count: many\n");
    Commands.Finished bad = Jar.quick().run("config", "check", "--config", file.toString());
    assertEquals(BAD_CONFIGURATION, bad.exit(), bad::toString);
    assertTrue(bad.err().contains("check.yaml:3:17"), bad::toString);
    Files.writeString(file, "origin: " + ORIGIN + "\n");
    Jar.quick().run("config", "check", "--config", file.toString()).orFail();
  }

  @Test
  void aPortThatIsTakenIsNamed() throws Exception {
    EdgeProcess.Settings settings = settings().with("--origin", ORIGIN);
    try (ServerSocket taken = new ServerSocket()) {
      taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.port()));
      assertRefused(NO_RESOURCE, settings, Integer.toString(settings.port()));
    }
  }

  /** With SO_REUSEPORT the kernel would let two edges share a port, and each get half of it. */
  @Tag("full")
  @Test
  void aPortOfAnotherEdgeIsTaken() throws Exception {
    try (EdgeProcess running =
        EdgeProcess.in(directory.resolve("running"), ORIGIN).startUnready()) {
      EdgeProcess.Settings second =
          settings().with("--origin", ORIGIN, "--listen", "127.0.0.1:" + running.port());
      assertRefused(NO_RESOURCE, second, Integer.toString(running.port()));
      assertTrue(running.isAlive());
    }
  }

  @Test
  void anAdminPortThatIsTakenIsNamed() throws Exception {
    EdgeProcess.Settings settings = settings().with("--origin", ORIGIN);
    try (ServerSocket taken = new ServerSocket()) {
      taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.adminPort()));
      assertRefused(NO_RESOURCE, settings, Integer.toString(settings.adminPort()));
    }
  }

  @Test
  void aDataDirectoryThatCannotBeWrittenIsNamed() throws Exception {
    Path file = Files.writeString(directory.resolve("a-file"), "");
    assertRefused(
        NO_RESOURCE, settings().with("--origin", ORIGIN).data(file.resolve("data")), "a-file");
  }

  @Test
  void aReadOnlyDataDirectoryIsNamed() throws Exception {
    Tools.requireRoot("mount a read-only tmpfs");
    Path data = Files.createDirectories(directory.resolve("read-only"));
    Commands.run("mount", "-t", "tmpfs", "-o", "ro,size=1m,mode=755", "tmpfs", data.toString())
        .orFail();
    try {
      assertRefused(NO_RESOURCE, settings().with("--origin", ORIGIN).data(data), "read-only");
    } finally {
      Commands.run("umount", data.toString()).orFail();
    }
  }

  @Tag("full")
  @Test
  void aDataDirectoryOfARunningEdgeIsLeftAlone() throws Exception {
    try (PathOrigin origin = PathOrigin.start();
        EdgeProcess running = EdgeProcess.in(directory.resolve("running"), origin.url()).start()) {
      origin.cacheable("/kept", "kept");
      running.get("/kept");
      Path data = directory.resolve("running/data");
      Commands.Finished refused =
          assertRefused(
              NO_RESOURCE, settings().with("--origin", origin.url()).data(data), data.toString());
      assertTrue(refused.err().contains(Long.toString(running.pid())), refused::err);
      assertTrue(running.isAlive());
      assertTrue(running.get("/kept").isFromCache());
      running.kill();
      running.restart();
      assertTrue(running.get("/kept").isFromCache(), "a lock dies with its process");
    }
  }

  @Test
  void aNamedTmpfsThatIsTooSmallIsAnError() throws Exception {
    Tools.requireRoot("mount a small tmpfs");
    Path memory = Files.createDirectories(directory.resolve("small-tmpfs"));
    Commands.run("mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", memory.toString()).orFail();
    try {
      assertRefused(
          NO_RESOURCE,
          settings().with("--origin", ORIGIN, "--memory-dir", memory.toString()).memory("64MiB"),
          "small-tmpfs");
      try (Stream<Path> left = Files.walk(memory)) {
        long bytes =
            left.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
        assertTrue(bytes < 1 << 20, "it gave back what it had taken: " + bytes);
      }
    } finally {
      Commands.run("umount", memory.toString()).orFail();
    }
  }

  @Tag("full")
  @Test
  void aStrangersFileInPlaceOfTheJournalIsNotTouched() throws Exception {
    EdgeProcess.Settings settings = settings().with("--origin", ORIGIN);
    try (EdgeProcess edge = settings.startUnready()) {
      assertEquals(0, edge.terminate());
      Path journal;
      try (Stream<Path> files = Files.walk(directory.resolve("bad/data"))) {
        journal =
            files
                .filter(file -> file.getFileName().toString().contains("journal"))
                .findFirst()
                .orElseThrow();
      }
      Files.writeString(journal, "this is somebody's letter", StandardOpenOption.TRUNCATE_EXISTING);
      Commands.Finished refused = Commands.run(Duration.ofSeconds(40), settings.command());
      assertEquals(NO_RESOURCE, refused.exit(), refused::toString);
      assertTrue(refused.err().contains(journal.getFileName().toString()), refused::err);
      assertEquals("this is somebody's letter", Files.readString(journal));
    }
  }

  /** A name may resolve later: no reason not to start. */
  @Tag("full")
  @Test
  void anOriginNameThatDoesNotResolveIsNoReasonNotToStart() throws Exception {
    Tools.requireRoot("give the edge a hosts file of its own");
    Path hosts = Files.writeString(directory.resolve("hosts"), "127.0.0.1 localhost\n");
    // No name server answers at this address, so that nothing but the hosts file can know a name.
    Path resolver = Files.writeString(directory.resolve("resolv.conf"), "nameserver 127.0.0.1\n");
    try (PathOrigin origin = PathOrigin.start()) {
      origin.cacheable("/x", "found at last");
      EdgeProcess.Settings settings =
          EdgeProcess.in(directory.resolve("unresolved"))
              .config(
                  """
                  origins:
                    default:
                      url: http://origin.test:%d
                      allow-loopback-names: true
                  """
                      .formatted(origin.port()))
              .wrapped(
                  "unshare",
                  "-m",
                  "sh",
                  "-c",
                  "mount --bind '%s' /etc/hosts && mount --bind '%s' /etc/resolv.conf && exec \"$@\""
                      .formatted(hosts, resolver),
                  "sh");
      try (EdgeProcess edge = settings.startUnready()) {
        Await.until("it knows that the name is unknown", () -> edge.get("/x").status() == 502);
        var ready = edge.admin("/readyz");
        assertEquals(503, ready.statusCode(), ready.body());
        assertTrue(ready.body().contains("origin.test"), ready.body());
        Response failed = edge.get("/x");
        assertTrue(failed.text().contains("does not resolve"), failed.text());
        assertTrue(edge.errText().contains("origin.test"), "the log names it");
        assertFalse(failed.isFromCache());

        Files.writeString(hosts, "127.0.0.1 localhost origin.test\n");
        Await.until(
            "it heals once the name resolves",
            Duration.ofSeconds(30),
            () -> edge.get("/x").text().equals("found at last"));
        Await.until("and is ready", () -> edge.admin("/readyz").statusCode() == 200);
      }
    }
  }

  /** S27: a name that leads back into the machine is refused unless the operator says so. */
  @Tag("full")
  @Test
  void anOriginNameThatLeadsBackIsRefused() throws Exception {
    Tools.requireRoot("give the edge a hosts file of its own");
    Path hosts =
        Files.writeString(
            directory.resolve("hosts"), "127.0.0.1 localhost inside.test\n169.254.1.1 link.test\n");
    try (PathOrigin origin = PathOrigin.start()) {
      origin.cacheable("/x", "secret of the machine");
      for (String name : List.of("inside.test", "link.test")) {
        EdgeProcess.Settings settings =
            EdgeProcess.in(directory.resolve(name), "http://" + name + ":" + origin.port())
                .wrapped(
                    "unshare",
                    "-m",
                    "sh",
                    "-c",
                    "mount --bind '%s' /etc/hosts && exec \"$@\"".formatted(hosts),
                    "sh");
        try (EdgeProcess edge = settings.startUnready()) {
          Response refused = edge.get("/x");
          assertEquals(502, refused.status(), refused::toString);
          assertFalse(refused.text().contains("secret"), refused::text);
          assertEquals(503, edge.admin("/readyz").statusCode());
        }
      }
      assertEquals(0, origin.connections());
    }
  }

  @Tag("full")
  @Test
  void theStartScreenTellsWhereItIsAndWhatItTakes() throws Exception {
    try (EdgeProcess edge = settings().with("--origin", ORIGIN).startUnready()) {
      String screen = edge.outText();
      for (String part :
          List.of(
              "127.0.0.1:" + edge.port(),
              "127.0.0.1:" + edge.adminPort(),
              ORIGIN,
              "128",
              edge.memory().toString(),
              "25")) {
        assertTrue(screen.contains(part), () -> part + " is missing in:\n" + screen);
      }
      JsonNode config = Admin.json(edge.admin("/v1/config").body());
      assertTrue(config.isObject() && !config.isEmpty(), config::toString);
    }
  }

  private EdgeProcess.Settings settings() throws Exception {
    return EdgeProcess.in(directory.resolve("bad"));
  }

  private static Commands.Finished assertRefused(
      int exit, EdgeProcess.Settings settings, String reason) throws Exception {
    try {
      Commands.Finished finished = Commands.run(Duration.ofSeconds(40), settings.command());
      assertEquals(exit, finished.exit(), finished::toString);
      assertEquals(1, finished.messages().size(), () -> "one line: " + finished.err());
      String line = finished.messages().getFirst();
      assertTrue(line.startsWith("forebay: "), line);
      assertTrue(line.contains(reason), line);
      assertFalse(line.contains("Exception"), line);
      assertEquals("", finished.out(), "no start screen");
      return finished;
    } finally {
      settings.discard();
    }
  }
}
