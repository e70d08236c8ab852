package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.counters.OriginCounters;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.testing.Await;
import io.forebay.testing.ScriptedOrigin;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The circuit of an origin: closed, open while every server fails, half-open for one request. */
@Timeout(60)
@Tag("slow")
class OriginCircuitTest {
  private enum Mode {
    ANSWERS,
    RESETS,
    HANGS
  }

  private final List<ScriptedOrigin> servers = new ArrayList<>();
  private final AtomicInteger requests = new AtomicInteger();
  private final Semaphore released = new Semaphore(0);
  private volatile Mode mode = Mode.RESETS;

  @BeforeEach
  void start() {
    for (int i = 0; i < 2; i++) {
      servers.add(
          ScriptedOrigin.start()
              .serve(connection -> {
                while (true) {
                  connection.head();
                  requests.incrementAndGet();
                  if (mode == Mode.RESETS) {
                    connection.reset();
                    return;
                  }
                  if (mode == Mode.HANGS) {
                    released.acquireUninterruptibly();
                  }
                  connection.respond("ok");
                }
              }));
    }
  }

  @AfterEach
  void stop() throws Exception {
    released.release(100);
    for (ScriptedOrigin server : servers) {
      server.close();
    }
  }

  /** Two servers, each ejected after two failures. */
  private OriginConfig group() {
    OriginServerConfig[] both =
        servers.stream()
            .map(server -> OriginServerConfig.of(server.url()))
            .toArray(OriginServerConfig[]::new);
    return Lab.withCircuit(
        Lab.withEjection(Lab.withServers(Lab.origin(servers.getFirst().url()), both), 2, 50, 50));
  }

  private static OriginRequest post() {
    return Lab.request("POST", "/", RequestBody.NONE);
  }

  /** Sends requests until both servers are ejected. */
  private void open(Lab lab) throws Exception {
    for (int i = 0; i < 4; i++) {
      lab.send(post()).failure(Kind.CLOSED_BEFORE_RESPONSE);
    }
    assertEquals(4, requests.get());
  }

  private int accepted() {
    return servers.stream().mapToInt(ScriptedOrigin::accepted).sum();
  }

  private static void assertRefused(Lab lab, OriginRequest request) throws Exception {
    String detail = lab.send(request).failure(Kind.CONNECT_FAILED);
    assertTrue(detail.contains("every address is ejected or fails its probes"), detail);
  }

  private static void letTimePass(Lab lab, long seconds) {
    lab.clockAheadNanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
  }

  private static OriginCounters counters(Lab lab) {
    return lab.counters().origin(lab.counters().names().origins().number("main"));
  }

  private static long logged(Lab lab, String text) {
    return lab.log.stream().filter(line -> line.contains(text)).count();
  }

  @Test
  void whileEveryServerFailsRequestsFailAtOnceWithoutAConnection() throws Exception {
    try (Lab lab = Lab.of(group())) {
      open(lab);
      int before = accepted();
      for (int i = 0; i < 10; i++) {
        assertRefused(lab, i % 2 == 0 ? Lab.get("/") : post());
      }
      assertEquals(before, accepted());
      assertEquals(10, counters(lab).circuitRefused);
      assertEquals(1, counters(lab).circuitOpened);
      assertEquals(1, logged(lab, "circuit open"), lab.log::toString);
    }
  }

  @Test
  void oneRequestAtATimeFindsOutAndItsSuccessClosesTheCircuit() throws Exception {
    try (Lab lab = new Lab(4, false, group())) {
      open(lab);
      assertRefused(lab, Lab.get("/"));
      mode = Mode.HANGS;
      letTimePass(lab, 11);
      List<Recorder> sent = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        sent.add(lab.send(i % 4, Lab.get("/" + i)));
      }
      Await.until("a request finds out", () -> requests.get() == 5);
      sent.getLast().failure(Kind.CONNECT_FAILED);
      assertFalse(sent.getFirst().isOver());
      for (Recorder other : sent.subList(1, sent.size())) {
        other.failure(Kind.CONNECT_FAILED);
      }
      assertEquals(5, requests.get());
      mode = Mode.ANSWERS;
      released.release();
      assertEquals("ok", sent.getFirst().body());
      for (int i = 0; i < 4; i++) {
        assertEquals("ok", lab.send(i, Lab.get("/")).body());
      }
      assertEquals(1, logged(lab, "circuit closed"), lab.log::toString);
    }
  }

  @Test
  void aFailureOfThatRequestKeepsTheCircuitOpenForTwiceAsLong() throws Exception {
    try (Lab lab = Lab.of(group())) {
      open(lab);
      letTimePass(lab, 11);
      for (int i = 0; i < 2; i++) {
        // One server after the other, and never sent on to the other one.
        lab.send(Lab.get("/")).failure(Kind.CLOSED_BEFORE_RESPONSE);
        assertEquals(5 + i, requests.get());
      }
      assertRefused(lab, Lab.get("/"));
      letTimePass(lab, 11);
      assertRefused(lab, Lab.get("/"));
      assertEquals(6, requests.get());
      mode = Mode.ANSWERS;
      letTimePass(lab, 10);
      assertEquals("ok", lab.send(Lab.get("/")).body());
    }
  }

  @Test
  void theOnlyServerOfAnOriginHasACircuitToo() throws Exception {
    OriginConfig one =
        Lab.withCircuit(Lab.withEjection(Lab.origin(servers.getFirst().url()), 2, 50, 50));
    try (Lab lab = Lab.of(one)) {
      lab.send(post()).failure(Kind.CLOSED_BEFORE_RESPONSE);
      lab.send(post()).failure(Kind.CLOSED_BEFORE_RESPONSE);
      assertRefused(lab, Lab.get("/"));
      mode = Mode.ANSWERS;
      letTimePass(lab, 11);
      assertEquals("ok", lab.send(Lab.get("/")).body());
      assertEquals("ok", lab.send(post()).body());
    }
  }

  @Test
  void theCircuitStaysOpenThroughAReload() throws Exception {
    try (Lab lab = Lab.of(group())) {
      open(lab);
      assertRefused(lab, Lab.get("/"));
      lab.reconfigure(Lab.withMost(group(), 3));
      assertRefused(lab, Lab.get("/"));
      assertEquals(4, requests.get());
      assertEquals(1, logged(lab, "circuit open"), lab.log::toString);
    }
  }

  @Test
  void withoutACircuitAllServersAreUsedWhenNoneIsLeft() throws Exception {
    OriginConfig config = Lab.protectedBy(Lab.withEjection(group(), 2, 100, 50), Lab.waiting(100));
    try (Lab lab = Lab.of(config)) {
      open(lab);
      lab.send(post()).failure(Kind.CLOSED_BEFORE_RESPONSE);
      assertEquals(5, requests.get());
    }
  }
}
