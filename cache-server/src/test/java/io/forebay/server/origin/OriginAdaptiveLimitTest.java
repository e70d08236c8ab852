package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.UpgradeOffer;
import io.forebay.server.config.AdaptiveLimitConfig;
import io.forebay.server.config.ProtectionConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginProtocol;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.call.Priority;
import io.forebay.server.origin.limit.LimitStatus;
import io.forebay.testing.Await;
import io.forebay.testing.Ports;
import io.forebay.testing.RawHttp2;
import io.forebay.testing.RawHttp2Origin;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Requests in progress at an origin are limited; in most tests to a number that does not change.
 */
@Timeout(60)
@Tag("slow")
class OriginAdaptiveLimitTest {
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

  private static OriginConfig limited(OriginConfig config, int limit, int maxWaiting) {
    return Lab.protectedBy(
        config,
        new ProtectionConfig(
            maxWaiting, new AdaptiveLimitConfig(limit, limit, 25, Duration.ofHours(1)), false));
  }

  private OriginConfig limited(int limit) {
    return limited(Lab.origin(first.url()), limit, 100);
  }

  private static Connection requested(ScriptedOrigin server) throws IOException {
    Connection connection = server.accept();
    connection.head();
    return connection;
  }

  private static LimitStatus status(Lab lab) {
    LimitStatus status = lab.status().adaptive();
    assertNotNull(status);
    return status;
  }

  private static int inProgress(Lab lab) {
    return status(lab).inProgress();
  }

  private static void assertNoneLeft(Lab lab) {
    Await.until("no request is in progress", () -> inProgress(lab) == 0);
  }

  @Test
  void asManyRequestsAsTheLimitAreInProgressAndOthersWait() throws Exception {
    try (Lab lab = Lab.of(limited(2))) {
      Recorder one = lab.send(Lab.get("/1"));
      Recorder two = lab.send(Lab.get("/2"));
      Recorder waits = lab.send(Lab.get("/3"));
      Connection held = requested(first);
      Connection freed = requested(first);
      assertEquals(2, inProgress(lab));
      freed.respond("x");
      assertEquals("x", two.body());
      freed.head();
      freed.respond("y");
      assertEquals("y", waits.body());
      assertFalse(one.isOver());
      held.respond("x");
      assertEquals("x", one.body());
      assertEquals(2, first.accepted());
      assertNoneLeft(lab);
    }
  }

  @Test
  void theLimitIsThatOfAllLoopsTogetherAndPermitsGoFromLoopToLoop() throws Exception {
    try (Lab lab = new Lab(2, false, limited(1))) {
      Recorder held = lab.send(0, Lab.get("/1"));
      Recorder waits = lab.send(1, Lab.get("/2"));
      Recorder waitsToo = lab.send(0, Lab.get("/3"));
      Connection connection = requested(first);
      assertEquals(1, inProgress(lab));
      first.serve(other -> {
        while (true) {
          other.head();
          other.respond("y");
        }
      });
      connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx");
      assertEquals("x", held.body());
      assertEquals("y", waits.body());
      assertEquals("y", waitsToo.body());
      assertNoneLeft(lab);
    }
  }

  @Test
  void aFullQueueAndALongWaitFailWithTheReason() throws Exception {
    OriginConfig config =
        limited(Lab.withTimes(Lab.origin(first.url()), 300, 5_000, 5_000, 0, 30_000), 1, 1);
    try (Lab lab = Lab.of(config)) {
      lab.send(Lab.get("/1"));
      requested(first);
      Recorder waits = lab.send(Lab.get("/2"));
      String full = lab.send(Lab.get("/3")).failure(Kind.TOO_MANY_REQUESTS);
      assertTrue(full.contains("all 1 requests of the adaptive limit are in progress"), full);
      assertTrue(full.contains("1 requests are already waiting"), full);
      String late = waits.failure(Kind.TOO_MANY_REQUESTS);
      assertTrue(late.contains("none became free within 300 ms"), late);
      assertEquals(1, lab.counters().limitsHit());
      assertEquals(1, inProgress(lab));
    }
  }

  @Test
  void clientsGoBeforeRefreshesAndTheseBeforeWarmUps() throws Exception {
    try (Lab lab = Lab.of(limited(1))) {
      lab.send(Lab.get("/in-progress"));
      lab.send(Lab.get("/warm-up").with(Priority.WARM_UP));
      lab.send(Lab.get("/refresh").with(Priority.REFRESH));
      lab.send(Lab.get("/client").with(Priority.CLIENT));
      Connection connection = first.accept();
      for (String path : List.of("/in-progress", "/client", "/refresh", "/warm-up")) {
        String head = connection.head();
        assertTrue(head.startsWith("GET " + path + " "), () -> head + " instead of " + path);
        connection.respond("x");
      }
    }
  }

  @Test
  void aResponseCountsUntilItsBodyHasEnded() throws Exception {
    try (Lab lab = Lab.of(limited(1))) {
      Recorder held = lab.send(Lab.get("/1"));
      Recorder waits = lab.send(Lab.get("/2"));
      Connection connection = requested(first);
      connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na");
      held.awaitHead();
      assertEquals(1, inProgress(lab));
      connection.send("b");
      assertEquals("ab", held.body());
      connection.head();
      connection.respond("2");
      assertEquals("2", waits.body());
      assertNoneLeft(lab);
    }
  }

  // No path counts twice or leaks.

  @Test
  void failedAndCancelledRequestsNoLongerCount() throws Exception {
    try (Lab lab = Lab.of(limited(1))) {
      AtomicReference<OriginCall> held = new AtomicReference<>();
      lab.send(0, Lab.get("/1"), new Recorder(), held::set);
      Connection connection = requested(first);
      Recorder waits = lab.send(Lab.get("/2"));
      lab.send(0, Lab.get("/3"), new Recorder(), OriginCall::cancel);
      lab.loop(0).execute(() -> Objects.requireNonNull(held.get()).cancel());
      connection.awaitClose();
      requested(first).reset();
      waits.failure(Kind.CLOSED_BEFORE_RESPONSE);
      assertNoneLeft(lab);
    }
  }

  @Test
  void aRequestThatCannotConnectNoLongerCounts() throws Exception {
    OriginConfig config = limited(Lab.origin("http://127.0.0.1:" + Ports.free()), 1, 100);
    try (Lab lab = Lab.of(config)) {
      for (int i = 0; i < 4; i++) {
        lab.send(Lab.get("/" + i)).failure(Kind.CONNECT_REFUSED);
      }
      assertNoneLeft(lab);
    }
  }

  @Test
  void aRequestThatIsSentToAnotherServerCountsOnce() throws Exception {
    OriginConfig config =
        limited(
            Lab.withRetries(
                Lab.withServers(
                    Lab.origin(first.url()),
                    OriginServerConfig.of(first.url()),
                    OriginServerConfig.of(second.url())),
                1,
                100,
                503),
            1,
            100);
    try (Lab lab = Lab.of(config)) {
      Recorder served = lab.send(Lab.get("/1"));
      requested(first).send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
      Connection again = requested(second);
      assertEquals(1, inProgress(lab));
      again.respond("1");
      assertEquals("1", served.body());
      assertNoneLeft(lab);
    }
  }

  @Test
  void aFallbackCountsAtTheOriginThatItIsSentTo() throws Exception {
    OriginConfig main =
        limited(
            Lab.withFallback(
                Lab.withEjection(Lab.origin("http://127.0.0.1:" + Ports.free()), 1, 50, 50),
                "other"),
            1,
            100);
    OriginConfig other = limited(Lab.named(Lab.origin(second.url()), "other"), 1, 100);
    try (Lab lab = Lab.of(main, other)) {
      Recorder served = lab.send(Lab.get("/1"));
      Connection connection = requested(second);
      assertEquals(0, inProgress(lab));
      assertEquals(
          List.of(0, 1),
          lab.connections.limits(lab.client(0).origins()).stream()
              .map(LimitStatus::inProgress)
              .toList());
      connection.respond("1");
      assertEquals("1", served.body());
    }
  }

  @Test
  void aLateRequestGoesToASecondServerOnlyWithinTheLimit() throws Exception {
    OriginConfig group =
        Lab.withServers(
            Lab.origin(first.url()),
            OriginServerConfig.of(first.url()),
            OriginServerConfig.of(second.url()));
    for (int limit : new int[] {1, 2}) {
      try (Lab lab = Lab.of(limited(group, limit, 100))) {
        AtomicReference<OriginCall> sent = new AtomicReference<>();
        Recorder response = lab.send(0, Lab.get("/1"), new Recorder(), sent::set);
        Connection held = requested(first);
        Recorder hedge = new Recorder();
        OriginCall another =
            lab.onLoop(
                0,
                () ->
                    lab.client(0)
                        .sendAgain(Objects.requireNonNull(sent.get()), Lab.get("/1"), true, hedge));
        assertEquals(limit == 2, another != null);
        assertEquals(limit, inProgress(lab));
        held.respond("1");
        assertEquals("1", response.body());
        if (another != null) {
          requested(second).respond("2");
          assertEquals("2", hedge.body());
        }
        assertNoneLeft(lab);
      }
    }
  }

  @Test
  void theRestOfABodyIsFetchedAlsoAtTheLimit() throws Exception {
    OriginConfig group =
        Lab.withServers(
            Lab.origin(first.url()),
            OriginServerConfig.of(first.url()),
            OriginServerConfig.of(second.url()));
    try (Lab lab = Lab.of(limited(group, 1, 100))) {
      AtomicReference<OriginCall> sent = new AtomicReference<>();
      OriginRequest unsafe = Lab.request("POST", "/1", RequestBody.NONE);
      Recorder response = lab.send(0, unsafe, new Recorder(), sent::set);
      requested(first).reset();
      response.failure(Kind.CLOSED_BEFORE_RESPONSE);
      Recorder held = lab.send(Lab.get("/2"));
      Recorder rest = new Recorder();
      OriginCall again =
          lab.onLoop(
              0,
              () ->
                  lab.client(0)
                      .sendAgain(Objects.requireNonNull(sent.get()), Lab.get("/1"), false, rest));
      assertNotNull(again);
      assertEquals(2, inProgress(lab));
      requested(second).respond("x");
      requested(second).respond("x");
      assertEquals("x", held.body());
      assertEquals("x", rest.body());
      assertNoneLeft(lab);
    }
  }

  @Test
  void aTunnelNoLongerCounts() throws Exception {
    try (Lab lab = Lab.of(limited(1))) {
      lab.send(upgrade());
      Recorder waits = lab.send(Lab.get("/2"));
      Connection connection = requested(first);
      assertEquals(1, inProgress(lab));
      connection.send(
          "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: own\r\n\r\n");
      requested(first).respond("2");
      assertEquals("2", waits.body());
      assertNoneLeft(lab);
    }
  }

  private static OriginRequest upgrade() {
    UpgradeOffer offer =
        UpgradeOffer.of(
            SyntheticRequest.of("GET", "http://h/", "Connection", "upgrade", "Upgrade", "own"),
            Set.of("own"));
    return new OriginRequest(
        "GET",
        "/",
        HeaderFields.EMPTY,
        RequestBody.NONE,
        new OriginRequest.Hop(offer, false, false));
  }

  @Test
  void streamsOfHttp2Count() throws Exception {
    try (RawHttp2Origin origin = RawHttp2Origin.start();
        Lab lab =
            Lab.of(limited(Lab.speaking(Lab.origin(origin.url()), OriginProtocol.HTTP2), 2, 100))) {
      List<Recorder> responses = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        responses.add(lab.send(Lab.get("/" + i)));
      }
      RawHttp2 connection = origin.accept();
      int one = connection.request().stream();
      int two = connection.request().stream();
      assertEquals(2, inProgress(lab));
      connection.answer(one, "x").flush();
      connection.answer(two, "x").flush();
      connection.answer(connection.request().stream(), "x").flush();
      for (Recorder response : responses) {
        assertEquals("x", response.body());
      }
      assertNoneLeft(lab);
    }
  }

  @Test
  void noRequestWaitsForAnOriginThatIsEjected() throws Exception {
    OriginConfig config =
        limited(
            Lab.withEjection(Lab.withFallback(Lab.origin(first.url()), "other"), 1, 100, 50),
            2,
            100);
    OriginConfig other = Lab.named(Lab.origin(second.url()), "other");
    try (Lab lab = Lab.of(config, other)) {
      Recorder failed = lab.send(Lab.request("POST", "/1", RequestBody.NONE));
      lab.send(Lab.get("/2"));
      Connection one = first.accept();
      Connection two = first.accept();
      second.serve(connection -> {
        while (true) {
          connection.head();
          connection.respond("x");
        }
      });
      lab.send(Lab.get("/3"));
      Recorder waits = lab.send(Lab.get("/4"));
      (one.head().startsWith("POST") ? one : two).reset();
      failed.failure(Kind.CLOSED_BEFORE_RESPONSE);
      assertEquals("x", waits.body());
    }
  }

  // Reloads.

  @Test
  void aReloadChangesTheLimitAndKeepsWhatIsInProgress() throws Exception {
    try (Lab lab = Lab.of(limited(1))) {
      Recorder held = lab.send(Lab.get("/1"));
      Connection connection = requested(first);
      lab.reconfigure(limited(2));
      Recorder more = lab.send(Lab.get("/2"));
      assertEquals(2, inProgress(lab));
      connection.respond("1");
      assertEquals("1", held.body());
      requested(first).respond("2");
      assertEquals("2", more.body());
      lab.reconfigure(Lab.origin(first.url()));
      assertNull(lab.status().adaptive());
      Recorder free = lab.send(Lab.get("/3"));
      requested(first).respond("3");
      assertEquals("3", free.body());
    }
  }

  @Test
  void theLimitHoldsExactlyUnderLoadOnFourLoopsAndNoRequestIsForgotten() throws Exception {
    first.serve(connection -> {
      int count = 0;
      while (true) {
        connection.head();
        count++;
        if (count % 5 == 0) {
          connection.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx");
          return;
        }
        connection.respond("x");
      }
    });
    OriginConfig config =
        limited(
            Lab.withTimes(
                Lab.withMost(Lab.origin(first.url()), 100), 60_000, 60_000, 60_000, 0, 60_000),
            3,
            10_000);
    int loops = 4;
    int each = 300;
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
        int now = inProgress(lab);
        assertTrue(now <= 3, () -> now + " in progress");
        over.await(1, TimeUnit.MILLISECONDS);
      }
      assertEquals(0, failures.get());
      assertNoneLeft(lab);
    }
  }
}
