package io.forebay.server.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.Http2Config;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.counters.LimitKey;
import io.forebay.testing.Await;
import io.forebay.testing.RawHttp2;
import io.netty.handler.codec.http2.Http2Error;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * HTTP/2 frames that cost the node more than their sender, over real sockets; rows S11 to S15 of
 * docs/SECURITY.md. Other connections are not affected.
 */
@Timeout(60)
@Tag("slow")
class Http2FloodTest {

  private static final byte[] NOTHING = {};
  private static final byte[] EIGHT = new byte[8];
  private static final byte[] FIVE = {0, 0, 0, 0, 1};
  private static final byte[] URGENT = {0, 0, 0, 1, 'u', '=', '1'};

  private ListenFixture server;
  private RawHttp2 bystander;

  @BeforeEach
  void start() throws Exception {
    start(ListenFixture.HTTP2);
  }

  private void start(Http2Config bounds) throws Exception {
    ListenerConfig h2c =
        new ListenerConfig("h2c", new Address("127.0.0.1", 0), null, null, null, true, false);
    server =
        new ListenFixture(
            ListenFixture.with(
                ListenFixture.config(ListenFixture.LIMITS, ListenFixture.TIMEOUTS, "auto", 1, h2c),
                bounds));
    bystander = new RawHttp2(server.port());
    bystander.get(1, "/hello").flush();
    assertEquals("end", bystander.endOf(1));
  }

  @AfterEach
  void stop() throws IOException {
    bystander.get(3, "/hello").flush();
    assertEquals("end", bystander.endOf(3), "others are served as before");
    bystander.close();
    server.close();
  }

  private RawHttp2 connect() throws IOException {
    return new RawHttp2(server.port());
  }

  private void assertEndedBy(LimitKey limit, RawHttp2 client) {
    String ending = client.ending();
    // The kernel's reset, sent because frames were left unread, may overtake the GOAWAY.
    assertTrue(Set.of("ENHANCE_YOUR_CALM", "closed").contains(ending), ending);
    Await.until(limit.key(), () -> server.counters().hits(limit) == 1);
  }

  /** All exchanges of the attacker are told; {@code /hello} of the bystander ended by itself. */
  private void assertAllExchangesClosed() {
    Await.until(
        "exchanges are closed",
        () -> server.exchanges.closed.size() == server.exchanges.started.size() - 1);
  }

  @Test
  void s11RapidResetEndsTheConnectionAndCancelsWhatItBegan() throws Exception {
    try (RawHttp2 client = connect()) {
      for (int i = 0; i < 1000; i++) {
        int stream = 2 * i + 1;
        client.get(stream, "/never");
        client.frame(RawHttp2.RST_STREAM, 0, stream, RawHttp2.number(8));
      }
      client.flush();
      assertEndedBy(LimitKey.HTTP2_RESETS, client);
    }
    assertTrue(server.exchanges.started.size() <= 203, "" + server.exchanges.started.size());
    assertAllExchangesClosed();
  }

  static Stream<Arguments> breaches() {
    return Stream.of(
        breach(
            "a WINDOW_UPDATE of nothing",
            (client, stream) ->
                client
                    .post(stream, "/never")
                    .frame(RawHttp2.WINDOW_UPDATE, 0, stream, RawHttp2.number(0))),
        breach(
            "a window beyond all bounds",
            (client, stream) ->
                client
                    .post(stream, "/never")
                    .frame(RawHttp2.WINDOW_UPDATE, 0, stream, RawHttp2.number(0x7fff_ffff))),
        breach(
            "DATA after the end",
            (client, stream) ->
                client.get(stream, "/never").frame(RawHttp2.DATA, 0, stream, EIGHT)),
        breach(
            "HEADERS after the end",
            (client, stream) -> client.get(stream, "/never").get(stream, "/never")),
        breach(
            "a PRIORITY of four bytes",
            (client, stream) ->
                client
                    .post(stream, "/never")
                    .frame(RawHttp2.PRIORITY, 0, stream, RawHttp2.number(0))),
        breach(
            "a field name in upper case",
            (client, stream) -> client.get(stream, "/never", "X", "y")));
  }

  private static Arguments breach(String what, BiConsumer<RawHttp2, Integer> sent) {
    return Arguments.of(what, sent);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("breaches")
  void s12ResetsThatTheClientCausesAreCountedLikeItsOwn(
      String what, BiConsumer<RawHttp2, Integer> sent) throws Exception {
    try (RawHttp2 client = connect()) {
      for (int i = 0; i < 300; i++) {
        sent.accept(client, 2 * i + 1);
      }
      client.flush();
      assertEndedBy(LimitKey.HTTP2_RESETS_CAUSED, client);
    }
    assertTrue(server.exchanges.started.size() <= 203, "" + server.exchanges.started.size());
    assertAllExchangesClosed();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void s13AFloodOfContinuationsIsNotReadToItsEnd(int length) throws Exception {
    long before = server.counters().bytesFromClients;
    try (RawHttp2 client = connect()) {
      client.frame(RawHttp2.HEADERS, RawHttp2.END_STREAM, 1, RawHttp2.block("GET", "/never"));
      byte[] part = new byte[length];
      for (int i = 0; i < 100_000; i++) {
        client.frame(RawHttp2.CONTINUATION, 0, 1, part);
      }
      client.flush();
      assertEndedBy(LimitKey.HTTP2_CONTINUATIONS, client);
    }
    assertEquals(1, server.exchanges.started.size(), "no request was made of it");
    assertEquals(before, server.counters().bytesFromClients);
  }

  @Test
  void s14AMegabyteOfFieldsIsNotCollected() throws Exception {
    try (RawHttp2 client = connect()) {
      client.frame(RawHttp2.HEADERS, RawHttp2.END_STREAM, 1, RawHttp2.block("GET", "/never"));
      ByteArrayOutputStream field = new ByteArrayOutputStream();
      RawHttp2.literal(field, "x", "y".repeat(16_000));
      for (int i = 0; i < 64; i++) {
        client.frame(RawHttp2.CONTINUATION, 0, 1, field.toByteArray());
      }
      client.frame(RawHttp2.CONTINUATION, RawHttp2.END_HEADERS, 1, NOTHING).flush();
      String ending = client.ending();
      assertTrue(!ending.equals("NO_ERROR"), ending);
      Await.until("counted", () -> server.counters().hits(LimitKey.HEADER_BYTES) == 1);
    }
    assertEquals(1, server.exchanges.started.size());
  }

  @Test
  void s14FieldsBeyondTheirNumberAreRefused() throws Exception {
    try (RawHttp2 client = connect()) {
      String[] many = new String[2 * 150];
      Arrays.fill(many, "x");
      client.get(1, "/never", many).flush();
      assertEquals("end", client.endOf(1));
      assertEquals(1, server.counters().hits(LimitKey.HEADER_COUNT));
      String[] large = new String[2 * 600];
      Arrays.fill(large, "x");
      client.get(3, "/never", large).flush();
      assertEquals("end", client.endOf(3));
      assertEquals(1, server.counters().hits(LimitKey.HEADER_BYTES));
      client.get(5, "/hello").flush();
      assertEquals("end", client.endOf(5));
    }
  }

  @Test
  void s14AClientThatWantsNoFieldsGetsItsResponseAllTheSame() throws Exception {
    // SETTINGS_MAX_HEADER_LIST_SIZE = 1; it is advice (RFC 9113 §6.5.2).
    try (RawHttp2 client = new RawHttp2(server.port(), RawHttp2.setting(6, 1))) {
      for (int stream = 1; stream < 1000; stream += 2) {
        client.get(stream, "/hello").flush();
        assertEquals("end", client.endOf(stream));
      }
    }
  }

  static Stream<Arguments> floods() {
    return Stream.of(
        flood(LimitKey.HTTP2_PINGS, 1_500, c -> c.frame(RawHttp2.PING, 0, 0, EIGHT), 100),
        flood(LimitKey.HTTP2_SETTINGS, 150, c -> c.frame(RawHttp2.SETTINGS, 0, 0, NOTHING), 50),
        flood(LimitKey.HTTP2_PRIORITIES, 1_500, c -> c.frame(RawHttp2.PRIORITY, 0, 1, FIVE), 100),
        flood(
            LimitKey.HTTP2_PRIORITIES,
            1_500,
            c -> c.frame(RawHttp2.PRIORITY_UPDATE, 0, 0, URGENT),
            100),
        flood(LimitKey.HTTP2_PRIORITIES, 1_500, c -> c.frame(0x77, 0, 0, EIGHT), 100));
  }

  private static Arguments flood(LimitKey limit, int count, Consumer<RawHttp2> one, int perFlush) {
    return Arguments.of(limit, count, one, perFlush);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("floods")
  void aFloodOfFramesWithoutUseEndsTheConnection(
      LimitKey limit, int count, Consumer<RawHttp2> one, int perFlush) throws Exception {
    try (RawHttp2 client = connect()) {
      for (int i = 1; i <= count; i++) {
        one.accept(client);
        if (i % perFlush == 0) {
          // Read by the node before more comes: it is not what is queued that counts here.
          client.flush();
          LockSupport.parkNanos(2_000_000);
        }
      }
      client.flush();
      assertEndedBy(limit, client);
    }
  }

  @Test
  void answersThatNobodyReadsEndTheConnection() throws Exception {
    bystander.close();
    server.close();
    start(new Http2Config(Duration.ofSeconds(30), 200, 200, 1_000_000, 100, 1000, 16, 4, 16));
    try (RawHttp2 client = connect()) {
      for (int i = 0; i < 600_000; i++) {
        client.frame(RawHttp2.PING, 0, 0, EIGHT);
      }
      client.flush();
      assertEndedBy(LimitKey.HTTP2_QUEUED_CONTROL_FRAMES, client);
    }
  }

  @Test
  void emptyDataFramesEndTheConnection() throws Exception {
    try (RawHttp2 client = connect()) {
      client.post(1, "/echo");
      for (int i = 0; i < 10; i++) {
        client.frame(RawHttp2.DATA, 0, 1, NOTHING);
      }
      client.flush();
      assertEndedBy(LimitKey.HTTP2_EMPTY_FRAMES, client);
    }
  }

  @Test
  void streamsBeyondTheirNumberAreRefusedAndTheOthersGoOn() throws Exception {
    try (RawHttp2 client = connect()) {
      for (int i = 0; i < 101; i++) {
        client.get(2 * i + 1, i == 0 ? "/slow?1" : "/never");
      }
      client.flush();
      assertEquals("reset REFUSED_STREAM", client.endOf(201));
      assertEquals(1, server.counters().hits(LimitKey.STREAMS_PER_CONNECTION));
      server.release();
      assertEquals("end", client.endOf(1));
      client.get(203, "/hello").flush();
      assertEquals("end", client.endOf(203));
    }
  }

  @Test
  void aStreamThatWasPassedOverIsAnErrorOfTheConnection() throws Exception {
    try (RawHttp2 client = connect()) {
      client.get(9, "/hello").flush();
      assertEquals("end", client.endOf(9));
      client.get(3, "/hello").flush();
      assertEquals("PROTOCOL_ERROR", client.ending());
    }
  }

  @Test
  void aDrainSaysGoodbyeTwice() throws Exception {
    try (RawHttp2 client = connect()) {
      client.get(1, "/slow?1").flush();
      Await.until("the request is there", () -> !server.exchanges.held.isEmpty());
      Thread drain =
          Thread.startVirtualThread(() -> {
            try {
              server.listeners.drain(Duration.ofSeconds(20));
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
      RawHttp2.Frame first = client.await(RawHttp2.GOAWAY);
      assertEquals(Integer.MAX_VALUE, first.lastStream());
      assertEquals(Http2Error.NO_ERROR, first.goAwayError());
      RawHttp2.Frame ping = client.await(RawHttp2.PING);
      // Sent before the first GOAWAY was read: still served.
      client.get(3, "/hello").flush();
      assertEquals("end", client.endOf(3));
      client.frame(RawHttp2.PING, RawHttp2.ACK, 0, ping.payload()).flush();
      assertEquals(3, client.await(RawHttp2.GOAWAY).lastStream());
      server.release();
      assertEquals("end", client.endOf(1));
      assertNull(client.read(), "closed when the last response was sent");
      drain.join();
    }
    bystander.close();
    server.close();
    start();
  }
}
