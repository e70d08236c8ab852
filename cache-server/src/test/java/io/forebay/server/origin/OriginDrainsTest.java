package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.drain.DrainFile;
import io.forebay.server.origin.drain.DrainOrder;
import io.forebay.server.origin.drain.DrainOutcome;
import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Servers that an operator takes out of use. */
@Timeout(60)
@Tag("slow")
class OriginDrainsTest {
  @TempDir Path directory;

  @Test
  void aDrainedServerGetsNoNewRequestsOnAnyLoop() throws Exception {
    try (CountingServers servers = new CountingServers(2);
        Lab lab = new Lab(2, false, group(servers.all()))) {
      OriginDrains drains = lab.drains(directory);
      send(lab, 4);
      assertTrue(drain(drains, servers.server(0).url()).isChanged());
      send(lab, 20);
      assertEquals(List.of(2, 22), servers.counts());
      assertFalse(drain(drains, servers.server(0).url()).isChanged());
    }
  }

  @Test
  void itsIdleConnectionsAreClosed() throws Exception {
    try (ScriptedOrigin first = ScriptedOrigin.start();
        CountingServers others = new CountingServers(1);
        Lab lab = Lab.of(group(OriginServerConfig.of(first.url()), others.server(0)))) {
      OriginDrains drains = lab.drains(directory);
      Recorder call = lab.send(Lab.get("/"));
      Connection connection = first.accept();
      connection.head();
      connection.respond("x");
      assertEquals("x", call.body());
      drain(drains, first.url());
      connection.awaitClose();
      Await.until("it is drained", () -> state(lab, 0).equals("drained"));
    }
  }

  @Test
  void requestsUnderWayFinish() throws Exception {
    try (ScriptedOrigin first = ScriptedOrigin.start();
        CountingServers others = new CountingServers(1);
        Lab lab = Lab.of(group(OriginServerConfig.of(first.url()), others.server(0)))) {
      OriginDrains drains = lab.drains(directory);
      Recorder call = lab.send(Lab.get("/"));
      Connection connection = first.accept();
      connection.head();
      drain(drains, first.url());
      OriginStatus.Endpoint endpoint = lab.status().servers().getFirst().endpoints().getFirst();
      assertEquals("draining", endpoint.state());
      assertEquals("an operator drained it: a test", endpoint.why());
      assertEquals(1_700_000_000_000L, endpoint.sinceMillis());
      assertEquals(1, endpoint.requests());
      send(lab, 5);
      connection.respond("finished");
      assertEquals("finished", call.body());
      connection.awaitClose();
      Await.until("it is drained", () -> state(lab, 0).equals("drained"));
    }
  }

  @Test
  void aRequestWhoseConnectionIsBeingOpenedGoesToAnotherServer() throws Exception {
    Certificates certificates = Certificates.in(directory);
    try (ScriptedOrigin first =
            ScriptedOrigin.startTls(
                Certificates.serverContext(certificates.ecdsa("127.0.0.1", "127.0.0.1")));
        CountingServers others = new CountingServers(1);
        Lab lab =
            Lab.of(
                Lab.withTrust(
                    group(OriginServerConfig.of(first.url()), others.server(0)),
                    certificates.authorityPem()))) {
      Recorder call = lab.send(Lab.get("/"));
      Connection connection = first.accept();
      drain(lab.drains(directory), first.url());
      // The handshake begins with the first read.
      assertThrows(IOException.class, connection::head);
      assertEquals("0", call.body());
      Await.until("it is drained", () -> state(lab, 0).equals("drained"));
      assertEquals(1, lab.connections.open("main"));
    }
  }

  @Test
  void aDrainedServerGetsItsShareAgainWhenItIsUndrained() throws Exception {
    try (CountingServers servers = new CountingServers(2);
        Lab lab = Lab.of(group(servers.all()))) {
      OriginDrains drains = lab.drains(directory);
      String url = servers.server(0).url();
      drain(drains, url);
      send(lab, 4);
      assertEquals(new DrainOutcome("main", url, true), drains.undrain(url, null));
      assertEquals(new DrainOutcome("main", url, false), drains.undrain(url, null));
      send(lab, 10);
      assertEquals(List.of(5, 9), servers.counts());
      assertEquals("usable", state(lab, 0));
    }
  }

  @Test
  void aDrainedServerIsNotAskedWhetherItAnswersAgain() throws Exception {
    try (CountingServers servers = new CountingServers(3);
        Lab lab = Lab.of(group(servers.all()))) {
      OriginDrains drains = lab.drains(directory);
      servers.stop(0);
      send(lab, 30);
      assertEquals("ejected", state(lab, 0));
      drain(drains, servers.server(0).url());
      long failures = failures(lab);
      lab.clockAheadNanos.addAndGet(TimeUnit.MINUTES.toNanos(10));
      send(lab, 10);
      assertEquals(failures, failures(lab));
      assertEquals("drained", state(lab, 0));
    }
  }

  @Test
  void aDrainedServerGetsNoRequestsInPanic() throws Exception {
    try (CountingServers servers = new CountingServers(2);
        Lab lab = Lab.of(Lab.withEjection(group(servers.all()), 2, 100, 100))) {
      OriginDrains drains = lab.drains(directory);
      drain(drains, servers.server(0).url());
      servers.stop(1);
      for (int i = 0; i < 10; i++) {
        lab.send(Lab.get("/")).failure(Kind.CONNECT_REFUSED);
      }
      assertEquals(0, servers.count(0));
    }
  }

  @Test
  void aBackupTakesOverFromDrainedServers() throws Exception {
    try (CountingServers servers = new CountingServers(2);
        Lab lab = Lab.of(group(servers.server(0), servers.backup(1)))) {
      drain(lab.drains(directory), servers.server(0).url());
      send(lab, 5);
      assertEquals(List.of(0, 5), servers.counts());
    }
  }

  @Test
  void theLastUsableServerIsDrainedByForceOnly() throws Exception {
    try (CountingServers servers = new CountingServers(2);
        Lab lab = Lab.of(group(servers.all()))) {
      OriginDrains drains = lab.drains(directory);
      drain(drains, servers.server(0).url());
      String last = servers.server(1).url();
      IllegalStateException refused =
          assertThrows(IllegalStateException.class, () -> drain(drains, last));
      assertTrue(
          String.valueOf(refused.getMessage()).contains("has no usable address left"),
          refused::toString);
      send(lab, 1);
      assertTrue(drains.drain(new DrainOrder(last, null, "", true)).isChanged());
      String detail = lab.send(Lab.get("/")).failure(Kind.CONNECT_FAILED);
      assertTrue(detail.endsWith(": every address is drained"), detail);
      drains.undrain(last, null);
      send(lab, 1);
      assertEquals(List.of(0, 2), servers.counts());
    }
  }

  @Test
  void anEjectedServerDoesNotCountAsUsable() throws Exception {
    try (CountingServers servers = new CountingServers(2);
        Lab lab = Lab.of(group(servers.all()))) {
      servers.stop(0);
      send(lab, 20);
      OriginDrains drains = lab.drains(directory);
      assertThrows(IllegalStateException.class, () -> drain(drains, servers.server(1).url()));
      assertTrue(drain(drains, servers.server(0).url()).isChanged());
    }
  }

  @Test
  void aDrainSurvivesReloadsAndRestarts() throws Exception {
    try (CountingServers servers = new CountingServers(2)) {
      OriginConfig config = group(servers.all());
      try (Lab lab = Lab.of(config)) {
        send(lab, 2);
        drain(lab.drains(directory), servers.server(0).url());
        lab.reconfigure(Lab.withMost(config, 7));
        send(lab, 5);
        assertEquals(List.of(1, 6), servers.counts());
      }
      try (Lab lab = Lab.of(config)) {
        OriginDrains drains = lab.drains(directory);
        send(lab, 5);
        assertEquals(List.of(1, 11), servers.counts());
        assertEquals("drained", state(lab, 0));
        drains.undrain(servers.server(0).url(), null);
        send(lab, 10);
        assertEquals(List.of(6, 16), servers.counts());
      }
    }
  }

  @Test
  void aDrainThatCannotBeWrittenChangesNothing() throws Exception {
    try (CountingServers servers = new CountingServers(2);
        Lab lab = Lab.of(group(servers.all()))) {
      Path gone = Files.createDirectory(directory.resolve("gone"));
      OriginDrains drains = lab.drains(gone);
      Files.delete(gone);
      assertThrows(IOException.class, () -> drain(drains, servers.server(0).url()));
      send(lab, 10);
      assertEquals(List.of(5, 5), servers.counts());
    }
  }

  @Test
  void oneAddressOfANameCanBeDrained() throws Exception {
    try (CountingServers servers = new CountingServers("127.0.0.3", "127.0.0.4");
        Lab lab = Lab.of(named(servers.port()))) {
      lab.names.set("origin.test", "127.0.0.3", "127.0.0.4");
      drain(lab.drains(directory), "127.0.0.3:" + servers.port());
      send(lab, 10);
      assertEquals(List.of(0, 10), servers.counts());
    }
  }

  @Test
  void aDrainedServerStaysDrainedAtItsNewAddresses() throws Exception {
    try (CountingServers servers = new CountingServers("127.0.0.3", "127.0.0.4", "127.0.0.5")) {
      OriginConfig config =
          Lab.withServers(
              named(servers.port()),
              OriginServerConfig.of("http://origin.test:" + servers.port()),
              OriginServerConfig.of("http://127.0.0.5:" + servers.port()));
      try (Lab lab = Lab.of(config)) {
        lab.names.set("origin.test", "127.0.0.3");
        send(lab, 2);
        drain(lab.drains(directory), "http://Origin.test:" + servers.port() + "/");
        lab.names.set("origin.test", "127.0.0.4");
        send(lab, 10);
        assertEquals(List.of(1, 0, 11), servers.counts());
      }
    }
  }

  @Test
  void aRequestThatWaitsForAConnectionGoesToAnotherServer() throws Exception {
    try (ScriptedOrigin first = ScriptedOrigin.start();
        CountingServers others = new CountingServers(1);
        Lab lab =
            Lab.of(Lab.withMost(group(OriginServerConfig.of(first.url()), others.backup(0)), 1))) {
      OriginDrains drains = lab.drains(directory);
      Recorder busy = lab.send(Lab.get("/busy"));
      Connection connection = first.accept();
      connection.head();
      Recorder waiting = lab.send(Lab.get("/waiting"));
      drain(drains, first.url());
      connection.respond("done");
      assertEquals("done", busy.body());
      assertEquals("0", waiting.body());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "http://127.0.0.1:1, , no origin has the server http://127.0.0.1:1; servers: http://127.0.0.1:",
    "127.0.0.9:80, , no origin has the server 127.0.0.9:80",
    "nonsense, , no origin has the server nonsense",
    "'', , no origin has the server",
    "http://127.0.0.1:1, api, there is no origin named api; origins: main",
  })
  void whatIsNoServerOfAnOriginIsRefused(String server, String origin, String text)
      throws Exception {
    try (CountingServers servers = new CountingServers(2);
        Lab lab = Lab.of(group(servers.all()))) {
      OriginDrains drains = lab.drains(directory);
      IllegalArgumentException refused =
          assertThrows(
              IllegalArgumentException.class,
              () -> drains.drain(new DrainOrder(server, origin, "", false)));
      assertTrue(String.valueOf(refused.getMessage()).startsWith(text), refused::toString);
      assertThrows(IllegalArgumentException.class, () -> drains.undrain(server, origin));
    }
  }

  @Test
  void aServerOfSeveralOriginsIsDrainedInTheNamedOne() throws Exception {
    try (CountingServers servers = new CountingServers(2)) {
      OriginConfig main = group(servers.all());
      try (Lab lab = Lab.of(main, Lab.named(main, "other"))) {
        OriginDrains drains = lab.drains(directory);
        String url = servers.server(0).url();
        IllegalStateException refused =
            assertThrows(IllegalStateException.class, () -> drain(drains, url));
        assertTrue(
            String.valueOf(refused.getMessage()).contains(": main, other;"), refused::toString);
        drains.drain(new DrainOrder(url, "other", "", false));
        send(lab, 10);
        assertEquals(5, servers.count(0));
        assertEquals(new DrainOutcome("other", url, true), drains.undrain(url, null));
      }
    }
  }

  @Test
  void aServerThatIsGoneFromTheConfigurationCanBeUndrained() throws Exception {
    try (CountingServers servers = new CountingServers(2)) {
      OriginConfig config = group(servers.all());
      try (Lab lab = Lab.of(config)) {
        OriginDrains drains = lab.drains(directory);
        String url = servers.server(0).url();
        drain(drains, url);
        lab.reconfigure(group(servers.server(1)));
        assertTrue(drains.undrain(url, null).isChanged());
        assertTrue(new DrainFile(directory).read().all().isEmpty());
      }
    }
  }

  private static OriginConfig group(OriginServerConfig... servers) {
    return Lab.withServers(Lab.origin("http://127.0.0.1:1"), servers);
  }

  private static OriginConfig named(int port) {
    return Lab.withLoopbackNames(Lab.origin("http://origin.test:" + port));
  }

  private static DrainOutcome drain(OriginDrains drains, String server) throws IOException {
    return drains.drain(new DrainOrder(server, null, "a test", false));
  }

  private static String state(Lab lab, int server) {
    return lab.status().servers().get(server).endpoints().getFirst().state();
  }

  private static int failures(Lab lab) {
    return lab.status().servers().getFirst().endpoints().getFirst().failuresInARow();
  }

  /** Sends requests one after the other, on all loops in turn. */
  private static void send(Lab lab, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      lab.send(i % lab.counters.size(), Lab.get("/" + i)).body();
    }
  }
}
