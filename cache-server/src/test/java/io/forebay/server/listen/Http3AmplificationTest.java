package io.forebay.server.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.Http3Config;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.TimeoutsConfig;
import io.forebay.server.loop.ListenException;
import io.forebay.testing.Certificates;
import io.forebay.testing.Http3Client;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Before an address is validated, the node sends to it at most three times the bytes of UDP payload
 * that came from it (RFC 9000 §8.1), so forging the address of a victim gains nothing.
 */
@Timeout(60)
@Tag("full")
class Http3AmplificationTest {

  private static final Duration HANDSHAKE = Duration.ofSeconds(2);

  @TempDir static Path directory;
  private static Certificates tls;
  private static ListenFixture server;

  /** A certificate of several KiB, which is what makes a handshake worth abusing. */
  @BeforeAll
  static void open() throws Exception {
    tls = Certificates.in(directory);
    tls.ecdsa(
        "server",
        IntStream.range(0, 200)
            .mapToObj(i -> "name-" + i + ".long.subdomain.example")
            .toArray(String[]::new));
    server = open(new Http3Config(List.of("tls"), 64, Duration.ofHours(1), 0));
  }

  private static ListenFixture open(Http3Config http3) throws ListenException {
    TimeoutsConfig t = ListenFixture.TIMEOUTS;
    return new ListenFixture(
        ListenFixture.config(
            ListenFixture.LIMITS,
            new TimeoutsConfig(
                HANDSHAKE,
                t.requestHeader(),
                t.requestBodyIdle(),
                t.keepAlive(),
                t.noProgress(),
                t.drain(),
                t.requestTotal()),
            "auto",
            1,
            http3,
            new ListenerConfig(
                "tls", new Address("127.0.0.1", 0), tls.pem("server"), tls.key("server"))));
  }

  @AfterAll
  static void close() {
    server.close();
  }

  /** The first datagrams of a client whose server never answers. */
  private static List<byte[]> firstFlight(int count) throws Exception {
    List<byte[]> flight = new ArrayList<>();
    try (DatagramSocket silent = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      // A client that ended early fails the test instead of holding it up.
      silent.setSoTimeout(60_000);
      Thread client =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  new Http3Client(silent.getLocalPort(), tls.pem("server")).close();
                } catch (Exception broken) {
                  // Nobody answers it.
                  return;
                }
              });
      while (flight.size() < count) {
        DatagramPacket packet = new DatagramPacket(new byte[2048], 2048);
        silent.receive(packet);
        flight.add(Arrays.copyOf(packet.getData(), packet.getLength()));
      }
      client.interrupt();
      client.join();
    }
    return flight;
  }

  private static int assertBounded(List<byte[]> sent) throws IOException {
    return assertBounded(server, sent);
  }

  /** Sends and never answers; the bytes that came back. */
  private static int assertBounded(ListenFixture server, List<byte[]> sent) throws IOException {
    int sentBytes = 0;
    List<Integer> received = new ArrayList<>();
    try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      socket.setSoTimeout(200);
      InetSocketAddress node =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
      for (byte[] datagram : sent) {
        socket.send(new DatagramPacket(datagram, datagram.length, node));
        sentBytes += datagram.length;
      }
      // Retransmissions, the end of the handshake's time, and what is sent at the connection's end.
      long deadline = System.nanoTime() + 3 * HANDSHAKE.toNanos();
      int silent = 0;
      while (System.nanoTime() < deadline || silent == 0) {
        DatagramPacket packet = new DatagramPacket(new byte[65_536], 65_536);
        try {
          socket.receive(packet);
          received.add(packet.getLength());
        } catch (SocketTimeoutException silence) {
          silent++;
        }
      }
    }
    int total = received.stream().mapToInt(Integer::intValue).sum();
    assertTrue(
        total <= 3 * sentBytes,
        "sent " + sentBytes + ", received " + total + " in datagrams of " + received);
    return total;
  }

  @Test
  void aClientThatSendsOneInitialGetsThreeTimesItsBytesAtMost() throws Exception {
    assertTrue(
        assertBounded(firstFlight(1)) > 2400, "the handshake is not as large as it should be");
  }

  /** Each copy counts as received, but a copy is no new connection. */
  @Test
  void aClientThatRepeatsItsInitialGetsThreeTimesItsBytesAtMost() throws Exception {
    byte[] initial = firstFlight(1).getFirst();
    for (int copies : new int[] {2, 3, 5, 9}) {
      assertBounded(Collections.nCopies(copies, initial));
    }
  }

  /** RFC 9000 §6.1: version negotiation answers datagrams that are large enough for an Initial. */
  @Test
  void aSmallDatagramOfAnUnknownVersionGetsNothing() throws Exception {
    // A long header, a version that forces negotiation (§15), and two empty connection ids.
    byte[] smallest = {(byte) 0xc0, 0x1a, 0x2a, 0x3a, 0x4a, 0, 0};
    assertBounded(List.of(smallest));
  }

  /** RFC 9000 §14.1: an Initial in a datagram of less than 1,200 bytes is discarded. */
  @Test
  void aSmallInitialGetsNoRetry() throws Exception {
    Http3Config asking = new Http3Config(List.of("tls"), 0, Duration.ofHours(1), 0);
    try (ListenFixture other = open(asking)) {
      ByteArrayOutputStream initial = new ByteArrayOutputStream();
      initial.writeBytes(new byte[] {(byte) 0xc0, 0, 0, 0, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8});
      // No connection id of its own, no token, one byte of payload.
      initial.writeBytes(new byte[] {0, 0, 1, 0});
      assertBounded(other, List.of(initial.toByteArray()));
      assertEquals(0, other.counters().http3.retries);
    }
  }

  @Test
  void whatIsLargeEnoughIsStillAnswered() throws Exception {
    byte[] unknownVersion = firstFlight(1).getFirst();
    Arrays.fill(unknownVersion, 1, 5, (byte) 0x1a);
    assertTrue(assertBounded(List.of(unknownVersion)) > 0, "no version negotiation");
    try (ListenFixture other = open(new Http3Config(List.of("tls"), 0, Duration.ofHours(1), 0))) {
      assertTrue(assertBounded(other, firstFlight(1)) > 0, "no Retry");
    }
  }
}
