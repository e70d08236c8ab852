package io.forebay.server.origin;

import static io.forebay.server.origin.Lab.limited;
import static io.forebay.testing.RawHttp2.setting;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginProtocol;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.drain.DrainOrder;
import io.forebay.testing.Await;
import io.forebay.testing.Ports;
import io.forebay.testing.RawHttp2;
import io.forebay.testing.RawHttp2Origin;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Servers with a limit of connections of their own. */
@Timeout(120)
@Tag("slow")
class OriginServerLimitTest {
  private static final int MAX_CONCURRENT_STREAMS = 3;

  @TempDir Path directory;

  private ScriptedOrigin first;
  private ScriptedOrigin second;

  @BeforeEach
  void start() {
    first = ScriptedOrigin.start();
    second = ScriptedOrigin.start();
  }

  @AfterEach
  void stop() throws IOException {
    first.close();
    second.close();
  }

  private OriginConfig group(OriginServerConfig... servers) {
    return Lab.withServers(Lab.origin(first.url()), servers);
  }

  private OriginConfig oneEach() {
    return group(limited(first.url(), 1), limited(second.url(), 1));
  }

  private static int connections(Lab lab, ScriptedOrigin server) {
    return lab.connections.open("main", server.url());
  }

  private static Connection requested(ScriptedOrigin server) throws IOException {
    Connection connection = server.accept();
    connection.head();
    return connection;
  }

  @Test
  void aServerAtItsLimitGetsNoRequestThatAnotherOneTakes() throws Exception {
    try (Lab lab = Lab.of(group(limited(first.url(), 1), OriginServerConfig.of(second.url())))) {
      List<Recorder> responses = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        responses.add(lab.send(Lab.get("/" + i)));
      }
      requested(first).respond("x");
      for (int i = 0; i < 4; i++) {
        requested(second).respond("x");
      }
      for (Recorder response : responses) {
        assertEquals("x", response.body());
      }
      assertEquals(1, first.accepted());
      assertEquals(4, second.accepted());
    }
  }

  @Test
  void requestsWaitOnceEveryServerIsAtItsLimitUntilAnyHasAFreeConnection() throws Exception {
    try (Lab lab = Lab.of(oneEach())) {
      Recorder held = lab.send(Lab.get("/1"));
      Recorder served = lab.send(Lab.get("/2"));
      Connection busy = requested(first);
      Connection free = requested(second);
      Recorder waits = lab.send(Lab.get("/3"));
      Recorder waitsToo = lab.send(Lab.get("/4"));
      for (Recorder each : List.of(served, waits, waitsToo)) {
        free.respond("x");
        assertEquals("x", each.body());
      }
      assertFalse(held.isOver());
      busy.respond("held");
      assertEquals("held", held.body());
      assertEquals(1, first.accepted());
      assertEquals(1, second.accepted());
    }
  }

  @Test
  void requestsThatWaitGetAConnectionWhenOneOfAnyServerIsClosed() throws Exception {
    try (Lab lab = Lab.of(oneEach())) {
      lab.send(Lab.get("/1"));
      Recorder closed = lab.send(Lab.get("/2"));
      requested(first);
      Connection closes = requested(second);
      Recorder waits = lab.send(Lab.get("/3"));
      closes.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx");
      assertEquals("x", closed.body());
      requested(second).respond("y");
      assertEquals("y", waits.body());
    }
  }

  @Test
  void theLimitHoldsOverAddressesAndLoops() throws Exception {
    try (ScriptedOrigin other = ScriptedOrigin.startAt("127.0.0.2", first.port());
        Lab lab =
            new Lab(
                2,
                false,
                Lab.withLoopbackNames(
                    group(limited("http://server.example:" + first.port(), 2))))) {
      lab.names.set("server.example", "127.0.0.1", "127.0.0.2");
      Semaphore released = new Semaphore(0);
      for (ScriptedOrigin address : List.of(first, other)) {
        address.serve(connection -> {
          while (true) {
            connection.head();
            released.acquireUninterruptibly();
            connection.respond("x");
          }
        });
      }
      List<Recorder> responses = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        responses.add(lab.send(i % 2, Lab.get("/" + i)));
      }
      Await.until("two connections", () -> first.accepted() + other.accepted() == 2);
      assertEquals(2, lab.status().servers().getFirst().connections());
      released.release(100);
      for (Recorder response : responses) {
        assertEquals("x", response.body());
      }
    }
  }

  private static void serveAll(ScriptedOrigin server) {
    server.serve(connection -> {
      while (true) {
        connection.head();
        connection.respond("x");
      }
    });
  }

  @Test
  void anIdleConnectionOfAnotherLoopIsGivenUp() throws Exception {
    try (Lab lab = new Lab(2, false, group(limited(first.url(), 1)))) {
      Recorder served = lab.send(0, Lab.get("/1"));
      Connection connection = requested(first);
      connection.respond("1");
      assertEquals("1", served.body());
      lab.awaitOnLoop(0, "idle", () -> lab.client(0).idleCount("main") == 1);
      Recorder other = lab.send(1, Lab.get("/2"));
      connection.awaitClose();
      requested(first).respond("2");
      assertEquals("2", other.body());
    }
  }

  @Test
  void backupsDoNotStandInForServersAtTheirLimit() throws Exception {
    OriginServerConfig backup = new OriginServerConfig(second.url(), 1, true, 0);
    try (Lab lab = Lab.of(group(limited(first.url(), 1), backup))) {
      Recorder served = lab.send(Lab.get("/1"));
      Recorder waits = lab.send(Lab.get("/2"));
      Connection connection = requested(first);
      connection.respond("1");
      assertEquals("1", served.body());
      connection.head();
      connection.respond("2");
      assertEquals("2", waits.body());
      assertEquals(0, second.accepted());
    }
  }

  @Test
  void theQueueIsThatOfTheOrigin() throws Exception {
    OriginConfig config =
        Lab.protectedBy(Lab.withTimes(oneEach(), 300, 5_000, 5_000, 0, 30_000), Lab.waiting(1));
    try (Lab lab = Lab.of(config)) {
      lab.send(Lab.get("/1"));
      lab.send(Lab.get("/2"));
      requested(first);
      requested(second);
      Recorder waits = lab.send(Lab.get("/3"));
      String full = lab.send(Lab.get("/4")).failure(Kind.TOO_MANY_CONNECTIONS);
      assertTrue(full.contains("every server has as many connections as it may"), full);
      assertTrue(full.contains("1 requests are already waiting"), full);
      String late = waits.failure(Kind.TOO_MANY_CONNECTIONS);
      assertTrue(late.contains("none became free within 300 ms"), late);
    }
  }

  // Every path gives the permit back.

  @Test
  void aConnectionThatCannotBeOpenedGivesItsPlaceBack() throws Exception {
    String refusing = "http://127.0.0.1:" + Ports.free();
    OriginConfig config =
        Lab.withEjection(
            Lab.withServers(Lab.origin(first.url()), limited(refusing, 1), limited(first.url(), 2)),
            0,
            50,
            50);
    serveAll(first);
    try (Lab lab = Lab.of(config)) {
      for (int i = 0; i < 6; i++) {
        assertEquals("x", lab.send(Lab.get("/" + i)).body());
        assertEquals(0, lab.connections.open("main", refusing));
      }
    }
  }

  @Test
  void aConnectionThatTheServerResetsGivesItsPlaceBack() throws Exception {
    try (Lab lab = Lab.of(group(limited(first.url(), 1)))) {
      Recorder failed = lab.send(Lab.get("/1"));
      Recorder waits = lab.send(Lab.get("/2"));
      requested(first).reset();
      failed.failure(Kind.CLOSED_BEFORE_RESPONSE);
      requested(first).respond("2");
      assertEquals("2", waits.body());
    }
  }

  @Test
  void aRequestThatIsGivenUpGivesItsPlaceBack() throws Exception {
    try (Lab lab = Lab.of(group(limited(first.url(), 1)))) {
      AtomicReference<OriginCall> held = new AtomicReference<>();
      lab.send(0, Lab.get("/1"), new Recorder(), held::set);
      Connection connection = requested(first);
      Recorder waits = lab.send(Lab.get("/2"));
      lab.loop(0).execute(() -> Objects.requireNonNull(held.get()).cancel());
      connection.awaitClose();
      requested(first).respond("2");
      assertEquals("2", waits.body());
    }
  }

  @Test
  void aDrainedServerGivesItsPlacesBack() throws Exception {
    try (Lab lab = Lab.of(oneEach())) {
      Recorder held = lab.send(Lab.get("/1"));
      Connection draining = requested(first);
      lab.drains(directory).drain(new DrainOrder(first.url(), null, "a test", true));
      draining.respond("1");
      assertEquals("1", held.body());
      draining.awaitClose();
      Await.until("no connection", () -> connections(lab, first) == 0);
    }
  }

  @Test
  void requestsThatWaitGoToAServerThatIsTakenBackIntoService() throws Exception {
    try (Lab lab = Lab.of(oneEach())) {
      OriginDrains drains = lab.drains(directory);
      drains.drain(new DrainOrder(second.url(), null, "a test", true));
      lab.send(Lab.get("/1"));
      requested(first);
      Recorder waits = lab.send(Lab.get("/2"));
      drains.undrain(second.url(), null);
      requested(second).respond("2");
      assertEquals("2", waits.body());
    }
  }

  @Test
  void connectionsOfAServerThatReloadsRemoveAndBringBackStillCount() throws Exception {
    OriginConfig both = oneEach();
    try (Lab lab = Lab.of(both)) {
      Recorder held = lab.send(Lab.get("/1"));
      Connection old = requested(first);
      lab.reconfigure(group(limited(second.url(), 1)));
      assertEquals(1, connections(lab, first));
      lab.reconfigure(both);
      lab.send(Lab.get("/2"));
      requested(second);
      Recorder waits = lab.send(Lab.get("/3"));
      old.respond("1");
      assertEquals("1", held.body());
      old.awaitClose();
      requested(first).respond("3");
      assertEquals("3", waits.body());
      assertEquals(2, first.accepted());
    }
  }

  @Test
  void aLimitThatAReloadSetsCountsConnectionsThatAreOpen() throws Exception {
    try (Lab lab = Lab.of(group(OriginServerConfig.of(first.url())))) {
      Recorder one = lab.send(Lab.get("/1"));
      Recorder two = lab.send(Lab.get("/2"));
      Connection a = requested(first);
      Connection b = requested(first);
      lab.reconfigure(group(limited(first.url(), 1)));
      Recorder waits = lab.send(Lab.get("/3"));
      a.respond("x");
      a.awaitClose();
      assertEquals(2, first.accepted());
      b.respond("x");
      assertEquals("x", one.body());
      assertEquals("x", two.body());
      requested(first).respond("3");
      assertEquals("3", waits.body());
    }
  }

  @Test
  void connectionsOfHttp2CountAndNotTheirStreams() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab =
            Lab.of(
                Lab.speaking(
                    Lab.withServers(Lab.origin(origin.url()), limited(origin.url(), 1)),
                    OriginProtocol.HTTP2))) {
      Recorder warm = lab.send(Lab.get("/warm"));
      RawHttp2 connection = origin.accept(setting(MAX_CONCURRENT_STREAMS, 2));
      connection.answer(connection.request().stream(), "warm").flush();
      assertEquals("warm", warm.body());
      List<Recorder> responses = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        responses.add(lab.send(Lab.get("/" + i)));
      }
      int stream = connection.request().stream();
      int other = connection.request().stream();
      connection.answer(stream, "x").flush();
      connection.answer(other, "x").flush();
      connection.answer(connection.request().stream(), "x").flush();
      for (Recorder response : responses) {
        assertEquals("x", response.body());
      }
      assertEquals(1, lab.counters().originConnectionsOpened);
    }
  }

  @Test
  void theLimitsHoldExactlyAndNoRequestIsForgottenUnderLoadOnFourLoops() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    try (ScriptedOrigin third = ScriptedOrigin.start()) {
      AtomicInteger salt = new AtomicInteger();
      for (ScriptedOrigin server : List.of(first, second, third)) {
        server.serve(connection -> {
          SplittableRandom random = new SplittableRandom(seed + salt.incrementAndGet());
          while (true) {
            connection.head();
            if (random.nextInt(4) == 0) {
              connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx");
              return;
            }
            connection.respond("x");
          }
        });
      }
      int[] limits = {1, 2, 3};
      ScriptedOrigin[] servers = {first, second, third};
      OriginConfig config =
          Lab.withTimes(
              Lab.withMost(
                  group(
                      limited(first.url(), limits[0]),
                      limited(second.url(), limits[1]),
                      limited(third.url(), limits[2])),
                  5),
              60_000,
              60_000,
              60_000,
              0,
              60_000);
      int loops = 4;
      int each = 400;
      try (Lab lab = new Lab(loops, false, config)) {
        CountDownLatch over = new CountDownLatch(loops * each);
        AtomicInteger failures = new AtomicInteger();
        for (int i = 0; i < each; i++) {
          for (int loop = 0; loop < loops; loop++) {
            Recorder recorder = new Recorder();
            recorder.onOver =
                () -> {
                  failures.addAndGet(recorder.failure == null ? 0 : 1);
                  over.countDown();
                };
            lab.send(loop, Lab.get("/"), recorder, call -> {});
          }
        }
        while (over.getCount() > 0) {
          for (int i = 0; i < servers.length; i++) {
            int open = connections(lab, servers[i]);
            assertTrue(open <= limits[i], () -> open + " connections");
          }
          assertTrue(lab.connections.open("main") <= 5);
          over.await(1, TimeUnit.MILLISECONDS);
        }
        assertEquals(0, failures.get());
      }
    }
  }
}
