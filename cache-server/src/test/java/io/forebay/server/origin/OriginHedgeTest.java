package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.hedge.HedgingOriginClient;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that go to a second server because the first one is late. */
@Timeout(60)
class OriginHedgeTest {
  private final ScriptedOrigin one = ScriptedOrigin.start();
  private final ScriptedOrigin two = ScriptedOrigin.start();

  /** Requests for /late, in the order in which they came to either server. */
  private final BlockingQueue<Connection> late = new LinkedBlockingQueue<>();

  @BeforeEach
  void start() {
    one.serve(this::answerButLate);
    two.serve(this::answerButLate);
  }

  @AfterEach
  void stop() throws Exception {
    one.close();
    two.close();
  }

  @Test
  void aLateRequestGoesToASecondServerWhoseResponseIsUsed() throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response = lab.sendBy(learned(lab), Lab.get("/late"));
      Connection first = takeLate();
      takeLate().respond("second");
      assertEquals("second", response.body());
      first.awaitClose();
      assertEquals(1, lab.counters().originHedges);
      assertEquals(1, lab.counters().originHedgesWon);
    }
  }

  @Test
  void theFirstServerMayStillAnswerFirst() throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response = lab.sendBy(learned(lab), Lab.get("/late"));
      Connection first = takeLate();
      Connection second = takeLate();
      first.respond("first");
      assertEquals("first", response.body());
      second.awaitClose();
      assertEquals(1, lab.counters().originHedges);
      assertEquals(0, lab.counters().originHedgesWon);
    }
  }

  @Test
  void anErrorOfTheSecondServerIsNotUsedWhileTheFirstMayAnswer() throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response = lab.sendBy(learned(lab), Lab.get("/late"));
      Connection first = takeLate();
      Connection second = takeLate();
      second.send("HTTP/1.1 503 Busy\r\ncontent-length: 4\r\n\r\nbusy");
      second.awaitClose();
      first.respond("first");
      assertEquals("first", response.body());
      assertEquals(0, lab.counters().originHedgesWon);
    }
  }

  @Test
  void theSecondServerAnswersAlsoWhenTheFirstFails() throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response = lab.sendBy(learned(lab), Lab.get("/late"));
      Connection first = takeLate();
      Connection second = takeLate();
      breakOff(first);
      lab.awaitOnLoop(0, "the first one failed", () -> lab.counters().originFailures == 1);
      second.respond("second");
      assertEquals("second", response.body());
    }
  }

  @Test
  void itFailsOnceWhenBothDo() throws Exception {
    try (Lab lab = Lab.of(group())) {
      Recorder response = lab.sendBy(learned(lab), Lab.get("/late"));
      Connection first = takeLate();
      Connection second = takeLate();
      breakOff(first);
      breakOff(second);
      response.failure(Kind.CLOSED_BEFORE_RESPONSE);
      assertEquals(2, lab.counters().originFailures);
    }
  }

  @Test
  void aRequestThatIsNotSafeToSendTwiceIsNot() throws Exception {
    try (Lab lab = Lab.of(group())) {
      HedgingOriginClient client = learned(lab);
      Recorder unsafe = lab.sendBy(client, Lab.request("POST", "/late", RequestBody.NONE));
      Connection first = takeLate();
      // It began later, and a second request goes out for it.
      Recorder safe = lab.sendBy(client, Lab.get("/late"));
      Connection second = takeLate();
      takeLate().respond("safe");
      assertEquals("safe", safe.body());
      second.awaitClose();
      first.respond("unsafe");
      assertEquals("unsafe", unsafe.body());
      assertEquals(1, lab.counters().originHedges);
    }
  }

  @Test
  void aCancelledRequestIsCancelledAtBothServers() throws Exception {
    try (Lab lab = Lab.of(group())) {
      OriginCall[] calls = new OriginCall[1];
      Recorder response = new Recorder();
      lab.sendBy(learned(lab), Lab.get("/late"), response, call -> calls[0] = call);
      Connection first = takeLate();
      Connection second = takeLate();
      lab.onLoop(
          0,
          () -> {
            calls[0].cancel();
            return null;
          });
      first.awaitClose();
      second.awaitClose();
      assertFalse(response.isOver());
    }
  }

  /** Neither sends a request again by itself. */
  private OriginConfig group() {
    OriginConfig servers =
        Lab.withServers(
            Lab.origin(one.url()),
            OriginServerConfig.of(one.url()),
            OriginServerConfig.of(two.url()));
    return Lab.withRetries(servers, 0, 10);
  }

  /** A client that knows how long responses take. */
  private static HedgingOriginClient learned(Lab lab) throws Exception {
    HedgingOriginClient client =
        new HedgingOriginClient(lab.client(0), name -> true, lab.loop(0), lab.counters());
    for (int i = 0; i < 32; i++) {
      assertEquals("ok", lab.sendBy(client, Lab.get("/")).body());
    }
    return client;
  }

  private void answerButLate(Connection connection) throws IOException {
    while (true) {
      if (connection.head().contains(" /late ")) {
        late.add(connection);
        return;
      }
      connection.respond("ok");
    }
  }

  /** Within the head: without a byte of it, the request would be sent again by a new connection. */
  private static void breakOff(Connection connection) throws IOException {
    connection.send("HTTP/1.1 2");
    connection.close();
  }

  private Connection takeLate() throws InterruptedException {
    Connection next = late.poll(10, TimeUnit.SECONDS);
    assertNotNull(next, "no request came");
    return next;
  }
}
