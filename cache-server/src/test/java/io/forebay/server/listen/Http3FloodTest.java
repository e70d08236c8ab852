package io.forebay.server.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.server.config.Http3Config;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.counters.LimitKey;
import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.Http3Client;
import io.netty.handler.codec.http3.Http3ErrorCode;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * HTTP/3 streams and frames that a client may not send, or not as many of; the counterpart of
 * {@link Http2FloodTest}. The connection ends with the error of RFC 9114 §8.1; other connections
 * are not affected.
 */
@Timeout(60)
@Tag("slow")
class Http3FloodTest {

  private static final long PRIORITY_UPDATE = 0xF0700;
  private static final byte[] URGENT = {0, 'u', '=', '1'};
  private static final byte[] NOTHING = {};

  @TempDir static Path directory;
  private static Certificates tls;
  private static ListenFixture server;
  private Http3Client bystander;

  @BeforeAll
  static void open() throws Exception {
    tls = Certificates.in(directory);
    tls.ecdsa("server", "localhost", "127.0.0.1");
    server =
        new ListenFixture(
            ListenFixture.config(
                ListenFixture.LIMITS,
                ListenFixture.TIMEOUTS,
                "auto",
                1,
                new Http3Config(List.of("tls"), 64, Duration.ofHours(1), 0),
                new ListenerConfig(
                    "tls", new Address("127.0.0.1", 0), tls.pem("server"), tls.key("server"))));
  }

  @AfterAll
  static void shut() {
    server.close();
  }

  @BeforeEach
  void connectBystander() throws Exception {
    bystander = connect();
    assertEquals("end", bystander.get("/ok").end());
  }

  @AfterEach
  void others() throws Exception {
    try (Http3Client other = bystander) {
      assertEquals("end", other.get("/ok").end(), "others are served as before");
    }
  }

  private static Http3Client connect() throws Exception {
    return new Http3Client(server.port(), tls.pem("server"));
  }

  /** RFC 9114 §6.2.1 and §6.2.2, RFC 9204 §4.2. */
  @ParameterizedTest
  @ValueSource(bytes = {0, 1, 2, 3})
  void aStreamThatMayBeThereOnceEndsTheConnectionTheSecondTime(byte type) throws Exception {
    try (Http3Client client = connect()) {
      assertEquals("end", client.get("/ok").end());
      if (type > 1) {
        // The client's codec opens a control stream, and none of QPACK's.
        client.unidirectional(new byte[] {type});
      }
      client.unidirectional(new byte[] {type, 0});
      assertEquals(Http3ErrorCode.H3_STREAM_CREATION_ERROR.code(), client.closed());
    }
  }

  static Stream<Arguments> frames() {
    return Stream.of(
        Arguments.of("PRIORITY_UPDATE", PRIORITY_UPDATE, URGENT),
        Arguments.of("PRIORITY_UPDATE of pushes", 0xF0701L, URGENT),
        Arguments.of("MAX_PUSH_ID", 0x0DL, new byte[] {1}),
        Arguments.of("GOAWAY", 0x07L, new byte[] {0}),
        Arguments.of("a reserved type", 0x21L, NOTHING),
        Arguments.of("another reserved type", 0x21L + 0x1F * 1000, URGENT),
        Arguments.of("an unknown type", 0x2FL, NOTHING),
        Arguments.of("an unknown type of eight bytes", (1L << 40) + 0x2F, URGENT));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("frames")
  void aFloodOfFramesOnTheControlStreamEndsTheConnection(String what, long type, byte[] payload)
      throws Exception {
    long before = server.counters().hits(LimitKey.HTTP2_PRIORITIES);
    try (Http3Client client = connect()) {
      assertEquals("end", client.get("/ok").end());
      client.control(repeat(type, payload, ListenFixture.HTTP2.priorities() + 2));
      assertEquals(Http3ErrorCode.H3_EXCESSIVE_LOAD.code(), client.closed());
    }
    Await.until("the count", () -> server.counters().hits(LimitKey.HTTP2_PRIORITIES) == before + 1);
  }

  @Test
  void aFloodOnARequestStreamEndsTheConnection() throws Exception {
    try (Http3Client client = connect()) {
      client.exchange(repeat(0x21, NOTHING, ListenFixture.HTTP2.priorities() + 1));
      assertEquals(Http3ErrorCode.H3_EXCESSIVE_LOAD.code(), client.closed());
    }
    long before = server.counters().hits(LimitKey.HTTP2_EMPTY_FRAMES);
    try (Http3Client client = connect()) {
      client.exchange(repeat(0, NOTHING, ListenFixture.HTTP2.emptyFrames() + 1));
      assertEquals(Http3ErrorCode.H3_EXCESSIVE_LOAD.code(), client.closed());
    }
    Await.until(
        "the count", () -> server.counters().hits(LimitKey.HTTP2_EMPTY_FRAMES) == before + 1);
  }

  @ParameterizedTest
  @ValueSource(bytes = {2, 3})
  void aFloodOfInstructionsEndsTheConnection(byte type) throws Exception {
    // Set Dynamic Table Capacity to nothing; Stream Cancellation.
    byte instruction = type == 2 ? (byte) 0x20 : 0x40;
    byte[] stream = new byte[Long.BYTES * ListenFixture.HTTP2.priorities() + 1];
    Arrays.fill(stream, instruction);
    stream[0] = type;
    try (Http3Client client = connect()) {
      client.unidirectional(stream);
      assertEquals(Http3ErrorCode.H3_EXCESSIVE_LOAD.code(), client.closed());
    }
  }

  /** Unknown payload costs as HTTP/2's frames of 16 KiB would, before any of it has come. */
  @Test
  void aFrameWithoutEndEndsTheConnection() throws Exception {
    try (Http3Client client = connect()) {
      assertEquals("end", client.get("/ok").end());
      ByteArrayOutputStream head = new ByteArrayOutputStream();
      integer(head, 0x2F);
      integer(head, 1L << 30);
      client.control(head.toByteArray());
      assertEquals(Http3ErrorCode.H3_EXCESSIVE_LOAD.code(), client.closed());
    }
  }

  /**
   * What clients of today send: a few frames that mean nothing, and a priority with each request.
   */
  @Test
  void whatOrdinaryClientsSendIsNoFlood() throws Exception {
    try (Http3Client client = connect()) {
      assertEquals("end", client.get("/ok").end());
      client.control(repeat(0x21, URGENT, 3));
      client.unidirectional(new byte[] {2});
      client.unidirectional(new byte[] {3});
      for (int i = 0; i < 100; i++) {
        client.control(repeat(PRIORITY_UPDATE, new byte[] {(byte) (4 * i % 64), 'u', '=', '1'}, 1));
        assertEquals("end", client.get("/ok").end());
      }
    }
  }

  private static byte[] repeat(long type, byte[] payload, int count) {
    ByteArrayOutputStream frames = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++) {
      integer(frames, type);
      integer(frames, payload.length);
      frames.writeBytes(payload);
    }
    return frames.toByteArray();
  }

  /** RFC 9000 §16, always in eight bytes where it is large. */
  private static void integer(ByteArrayOutputStream to, long value) {
    if (value < 64) {
      to.write((int) value);
      return;
    }
    long coded = value | 3L << 62;
    for (int shift = 56; shift >= 0; shift -= 8) {
      to.write((int) (coded >> shift));
    }
  }
}
