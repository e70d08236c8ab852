package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.call.Priority;
import io.forebay.server.origin.drain.DrainOrder;
import io.forebay.server.origin.health.EndpointHealth;
import io.forebay.server.origin.health.OriginHealth;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests do not pile up before an origin. */
@Timeout(60)
@Tag("slow")
class OriginProtectionTest {
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

  private OriginConfig one(int maxWaiting) {
    return Lab.protectedBy(Lab.withMost(Lab.origin(first.url()), 1), Lab.waiting(maxWaiting));
  }

  /** Two servers, ejected after one failure, and two connections. */
  private OriginConfig two() {
    return Lab.withMost(
        Lab.withEjection(
            Lab.withServers(
                Lab.origin(first.url()),
                OriginServerConfig.of(first.url()),
                OriginServerConfig.of(second.url())),
            1,
            100,
            50),
        2);
  }

  @Test
  void asManyRequestsWaitAsTheConfigurationSays() throws Exception {
    try (Lab lab = Lab.of(one(2))) {
      Recorder served = lab.send(Lab.get("/1"));
      Recorder waits = lab.send(Lab.get("/2"));
      Recorder waitsToo = lab.send(Lab.get("/3"));
      Recorder oneTooMany = lab.send(Lab.get("/4"));
      String detail = oneTooMany.failure(Kind.TOO_MANY_CONNECTIONS);
      assertTrue(detail.contains("2 requests are already waiting"), detail);
      Connection connection = first.accept();
      for (String body : new String[] {"1", "2", "3"}) {
        assertTrue(connection.head().startsWith("GET /" + body + " "));
        connection.respond(body);
      }
      assertEquals("1", served.body());
      assertEquals("2", waits.body());
      assertEquals("3", waitsToo.body());
    }
  }

  @Test
  void withoutAQueueARequestAtTheLimitFailsAtOnce() throws Exception {
    try (Lab lab = Lab.of(one(0))) {
      Recorder served = lab.send(Lab.get("/1"));
      String detail = lab.send(Lab.get("/2")).failure(Kind.TOO_MANY_CONNECTIONS);
      assertTrue(detail.contains("no request may wait"), detail);
      Connection connection = first.accept();
      connection.head();
      connection.respond("1");
      assertEquals("1", served.body());
    }
  }

  @Test
  void withoutAQueueAnIdleConnectionOfAnotherLoopIsStillGivenUp() throws Exception {
    try (Lab lab = new Lab(2, false, one(0))) {
      Recorder served = lab.send(0, Lab.get("/1"));
      Connection connection = first.accept();
      connection.head();
      connection.respond("1");
      assertEquals("1", served.body());
      lab.awaitOnLoop(0, "idle", () -> lab.client(0).idleCount("main") == 1);
      Recorder other = lab.send(1, Lab.get("/2"));
      connection.awaitClose();
      Connection next = first.accept();
      next.head();
      next.respond("2");
      assertEquals("2", other.body());
    }
  }

  /** Ejects both servers; two requests then take the connections until they are released. */
  private void ejectBoth(Lab lab, Semaphore released) throws Exception {
    for (ScriptedOrigin server : List.of(first, second)) {
      server.serve(connection -> {
        while (true) {
          String head = connection.head();
          if (head.startsWith("POST ")) {
            connection.reset();
            return;
          }
          if (head.startsWith("GET /hangs ")) {
            released.acquireUninterruptibly();
          }
          connection.respond("x");
        }
      });
    }
    Recorder failed = lab.send(Lab.request("POST", "/", RequestBody.NONE));
    Recorder failedToo = lab.send(Lab.request("POST", "/", RequestBody.NONE));
    failed.failure(Kind.CLOSED_BEFORE_RESPONSE);
    failedToo.failure(Kind.CLOSED_BEFORE_RESPONSE);
    lab.send(Lab.get("/hangs"));
    lab.send(Lab.get("/hangs"));
  }

  @Test
  void noRequestWaitsWhileEveryAddressIsEjected() throws Exception {
    Semaphore released = new Semaphore(0);
    try (Lab lab = Lab.of(two())) {
      ejectBoth(lab, released);
      String detail = lab.send(Lab.get("/waits")).failure(Kind.CONNECT_FAILED);
      assertTrue(detail.contains("every address is ejected or fails its probes"), detail);
      assertEquals(0, lab.counters().limitsHit());
      released.release(2);
    }
  }

  @Test
  void aRequestForAnEjectedServerGetsThePermitOfAnIdleConnection() throws Exception {
    try (Lab lab = Lab.of(Lab.withMost(two(), 1))) {
      Recorder served = lab.send(Lab.get("/1"));
      Connection connection = first.accept();
      connection.head();
      connection.respond("1");
      assertEquals("1", served.body());
      lab.awaitOnLoop(0, "idle", () -> lab.client(0).idleCount("main") == 1);
      OriginHealth health = lab.connections.health("main");
      List<EndpointHealth> group =
          lab.onLoop(
              0,
              () ->
                  Stream.of(first, second)
                      .map(server ->
                          new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()))
                      .map(health::find)
                      .toList());
      for (EndpointHealth one : group) {
        assertTrue(health.onFailure(one, group, two().ejection(), "main", "a test"));
      }
      Recorder other = lab.send(Lab.get("/2"));
      connection.awaitClose();
      Connection next = second.accept();
      next.head();
      next.respond("2");
      assertEquals("2", other.body());
    }
  }

  @Test
  void aRequestThatFindsOutWhetherAnAddressAnswersAgainWaits() throws Exception {
    Semaphore released = new Semaphore(0);
    try (Lab lab = Lab.of(two())) {
      ejectBoth(lab, released);
      lab.clockAheadNanos.addAndGet(TimeUnit.SECONDS.toNanos(11));
      Recorder asks = lab.send(Lab.get("/asks"));
      Recorder waitsWithIt = lab.send(Lab.request("POST", "/", RequestBody.NONE));
      released.release(2);
      assertEquals("x", asks.body());
      waitsWithIt.failure(Kind.CLOSED_BEFORE_RESPONSE);
    }
  }

  @Test
  void requestsThatWaitFailWhenEveryServerIsDrained() throws Exception {
    try (Lab lab = Lab.of(one(5))) {
      Recorder served = lab.send(Lab.get("/1"));
      Connection connection = first.accept();
      connection.head();
      Recorder waits = lab.send(Lab.get("/2"));
      lab.drains(directory).drain(new DrainOrder(first.url(), null, "a test", true));
      String detail = waits.failure(Kind.CONNECT_FAILED);
      assertTrue(detail.contains("every address is drained"), detail);
      connection.respond("1");
      assertEquals("1", served.body());
    }
  }

  @Test
  void fallbacksGetWhatWaitsForAnOriginThatIsEjected() throws Exception {
    OriginConfig main =
        Lab.withFallback(
            Lab.withMost(Lab.withEjection(Lab.origin(first.url()), 1, 50, 50), 2), "other");
    OriginConfig other = Lab.named(Lab.origin(second.url()), "other");
    try (Lab lab = Lab.of(main, other)) {
      Recorder failed = lab.send(Lab.request("POST", "/1", RequestBody.NONE));
      Recorder hangs = lab.send(Lab.get("/2"));
      Recorder getsItsPermit = lab.send(Lab.get("/3"));
      Recorder waits = lab.send(Lab.get("/4"));
      Connection one = first.accept();
      Connection two = first.accept();
      (one.head().startsWith("POST") ? one : two).reset();
      failed.failure(Kind.CLOSED_BEFORE_RESPONSE);
      Connection fallback = second.accept();
      assertTrue(fallback.head().startsWith("GET /4 "));
      fallback.respond("4");
      assertEquals("4", waits.body());
      assertFalse(hangs.isOver());
      assertFalse(getsItsPermit.isOver());
    }
  }

  // Priorities.

  private static OriginRequest get(String target, Priority priority) {
    return Lab.get(target).with(priority);
  }

  @Test
  void atTheLimitClientsGoBeforeRefreshesAndTheseBeforeWarmUps() throws Exception {
    try (Lab lab = Lab.of(one(9))) {
      lab.send(Lab.get("/in-progress"));
      lab.send(get("/warm-up", Priority.WARM_UP));
      lab.send(get("/refresh", Priority.REFRESH));
      lab.send(get("/client-1", Priority.CLIENT));
      Recorder cancelled =
          lab.send(0, get("/x", Priority.CLIENT), new Recorder(), OriginCall::cancel);
      lab.send(get("/client-2", Priority.CLIENT));
      Connection connection = first.accept();
      for (String path :
          List.of("/in-progress", "/client-1", "/client-2", "/refresh", "/warm-up")) {
        String head = connection.head();
        assertTrue(head.startsWith("GET " + path + " "), () -> head + " instead of " + path);
        connection.respond("x");
      }
      assertFalse(cancelled.isOver());
    }
  }

  @Test
  void aFullQueueGivesUpItsLeastUrgentRequest() throws Exception {
    try (Lab lab = Lab.of(one(2))) {
      lab.send(Lab.get("/in-progress"));
      Recorder warmUp = lab.send(get("/warm-up", Priority.WARM_UP));
      Recorder refresh = lab.send(get("/refresh", Priority.REFRESH));
      Recorder client = lab.send(get("/client", Priority.CLIENT));
      String detail = warmUp.failure(Kind.TOO_MANY_CONNECTIONS);
      assertTrue(detail.contains("2 more urgent requests are waiting"), detail);
      Recorder late = lab.send(get("/late", Priority.REFRESH));
      late.failure(Kind.TOO_MANY_CONNECTIONS);
      Connection connection = first.accept();
      for (int i = 0; i < 3; i++) {
        connection.head();
        connection.respond("x");
      }
      assertEquals("x", client.body());
      assertEquals("x", refresh.body());
    }
  }

  @Test
  void noPriorityIsOvertakenForEver() throws Exception {
    try (Lab lab = Lab.of(one(9))) {
      CallQueue queue = new CallQueue();
      List<String> order =
          lab.onLoop(
              0,
              () -> {
                // Times in seconds; requests wait at most 4.
                queued(lab, queue, Priority.WARM_UP, 0);
                queued(lab, queue, Priority.REFRESH, 0);
                queued(lab, queue, Priority.CLIENT, 0.5);
                queued(lab, queue, Priority.CLIENT, 1.5);
                queued(lab, queue, Priority.CLIENT, 2.5);
                List<String> targets = new ArrayList<>();
                for (PooledCall next = queue.first(); next != null; next = queue.first()) {
                  targets.add(next.request().target());
                  queue.remove(next);
                  next.onDequeued();
                }
                assertEquals(0, queue.size());
                return targets;
              });
      assertEquals(
          List.of("/CLIENT/0.5", "/REFRESH/0.0", "/CLIENT/1.5", "/WARM_UP/0.0", "/CLIENT/2.5"),
          order);
    }
  }

  private static void queued(Lab lab, CallQueue queue, Priority priority, double seconds) {
    OriginRequest request = get("/" + priority + "/" + seconds, priority);
    PooledCall call = new PooledCall(lab.client(0), null, request, new Recorder());
    call.onQueued(
        new WaitQueue() {
          @Override
          public void removeWaiting(PooledCall removed) {
            queue.remove(removed);
          }

          @Override
          public OriginFailure waitedTooLong(Duration timeout) {
            return new OriginFailure(Kind.TOO_MANY_CONNECTIONS, "");
          }
        },
        (long) (seconds * 1e9),
        Duration.ofSeconds(4));
    queue.add(call);
  }
}
