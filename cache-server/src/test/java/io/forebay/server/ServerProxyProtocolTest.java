package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Listeners behind a proxy that says by the PROXY protocol who a client is (hostile input S30). */
@Tag("slow")
final class ServerProxyProtocolTest {

  private static final byte[] SIGNATURE = {
    0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a
  };
  private static final int LOCAL = 0x20;
  private static final int PROXY = 0x21;
  private static final int TCP4 = 0x11;
  private static final int TCP6 = 0x21;
  private static final int UDP4 = 0x12;

  private final TestOrigin origin = new TestOrigin();

  @TempDir Path directory;
  private @Nullable Edge edge;

  @BeforeEach
  void serve() {
    origin.on("/x", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("x")));
  }

  @AfterEach
  void stop() throws IOException {
    edge().close();
    origin.close();
  }

  private void start(String trusted, String more) throws IOException {
    edge =
        Edge.start(
            directory,
            "32MiB",
            """
              - {name: behind, address: "127.0.0.1:0", proxy-protocol: true}
              - name: secure-behind
                address: "127.0.0.1:0"
                proxy-protocol: true
                tls: {certificate: "%s/chain.pem", key: "%s/chain.key"}
            forwarding: {node-id: edge, trusted: "%s"}
            """
                    .formatted(directory, directory, trusted)
                + Edge.origins(origin.url())
                + more);
  }

  private Edge edge() {
    return requireNonNull(edge);
  }

  private Socket connect(String listener) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), edge().port(listener));
    socket.setSoTimeout(30_000);
    return socket;
  }

  private String seenFor() {
    return origin.requests("/x").getLast().field("x-forwarded-for");
  }

  /** A version 2 header (section 2.2 of the protocol's text). */
  private static byte[] version2(int command, int family, String from, byte[] additions) {
    ByteBuf addresses = Unpooled.buffer();
    if (command == PROXY) {
      addresses.writeBytes(requireNonNull(NetUtil.createByteArrayFromIpAddressString(from)));
      addresses.writeBytes(requireNonNull(NetUtil.createByteArrayFromIpAddressString(from)));
      addresses.writeShort(4711).writeShort(443);
    }
    addresses.writeBytes(additions);
    return version2(command, family, addresses.readableBytes(), bytes(addresses));
  }

  private static byte[] version2(int command, int family, int length, byte[] rest) {
    ByteBuf header = Unpooled.buffer();
    header.writeBytes(SIGNATURE).writeByte(command).writeByte(family).writeShort(length);
    return bytes(header.writeBytes(rest));
  }

  private static byte[] bytes(ByteBuf from) {
    byte[] bytes = new byte[from.readableBytes()];
    from.readBytes(bytes);
    return bytes;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static Stream<Arguments> headers() {
    byte[] addition = {4, 0, 3, 'a', 'b', 'c'};
    return Stream.of(
        Arguments.of(ascii("PROXY TCP4 203.0.113.9 192.0.2.1 4711 443\r\n"), "203.0.113.9"),
        Arguments.of(
            ascii("PROXY TCP6 2001:db8::9 2001:db8::1 4711 443\r\n"), "2001:db8:0:0:0:0:0:9"),
        Arguments.of(ascii("PROXY UNKNOWN\r\n"), "127.0.0.1"),
        Arguments.of(version2(PROXY, TCP4, "203.0.113.9", new byte[0]), "203.0.113.9"),
        Arguments.of(version2(PROXY, TCP4, "203.0.113.9", addition), "203.0.113.9"),
        Arguments.of(version2(PROXY, TCP6, "2001:db8::9", addition), "2001:db8:0:0:0:0:0:9"),
        Arguments.of(version2(LOCAL, 0, "", new byte[0]), "127.0.0.1"));
  }

  @ParameterizedTest
  @MethodSource("headers")
  void theClientIsWhoTheProxyNames(byte[] header, String client) throws IOException {
    start("127.0.0.1", "");
    try (Socket socket = connect("behind");
        RawClient http = new RawClient(socket)) {
      Response reply = http.send(header).get("/x", "X-Forwarded-For: 10.9.9.9");
      assertEquals(200, reply.status());
      // What a client says of itself counts where it is a trusted one.
      assertEquals(client.equals("127.0.0.1") ? "10.9.9.9, 127.0.0.1" : client, seenFor());
      assertEquals(200, http.get("/x").status());
      assertEquals(client, seenFor());
    }
  }

  @Test
  void aHeaderMayComeByteByByteAndWithTheRequestBehindIt() throws IOException {
    start("127.0.0.1", "");
    byte[] header = version2(PROXY, TCP4, "203.0.113.9", new byte[0]);
    try (RawClient http = new RawClient(connect("behind"))) {
      for (byte one : header) {
        http.send(new byte[] {one});
      }
      assertEquals(200, http.get("/x").status());
      assertEquals("203.0.113.9", seenFor());
    }
    try (RawClient http = new RawClient(connect("behind"))) {
      http.send(
          "PROXY TCP4 203.0.113.10 192.0.2.1 1 2\r\nGET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
      assertEquals(200, http.reply().status());
      assertEquals("203.0.113.10", seenFor());
    }
  }

  @Test
  void tlsComesBehindTheHeader() throws IOException {
    start("127.0.0.1", "");
    Socket plain = connect("secure-behind");
    plain.getOutputStream().write(version2(PROXY, TCP4, "203.0.113.9", new byte[0]));
    try (RawClient http = new RawClient(edge().secured(plain))) {
      assertEquals(200, http.get("/x").status());
      assertEquals("203.0.113.9", seenFor());
    }
  }

  static List<byte[]> hostile() {
    byte[] tooLongAnAddition = {4, 0, 99, 'a'};
    return List.of(
        ascii("GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
        ascii("PROXY TCP4 203.0.113.9 192.0.2.1 4711\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n"),
        ascii("PROXY TCP4 300.0.113.9 192.0.2.1 4711 443\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n"),
        ascii("PROXY TCP4 a.example 192.0.2.1 4711 443\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n"),
        ascii("PROXY TCP4 203.0.113.9 192.0.2.1 99999 443\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n"),
        // Version 1 ends within 107 bytes.
        ascii("PROXY TCP4 " + "1".repeat(100) + "\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n"),
        version2(PROXY, TCP4, "203.0.113.9", tooLongAnAddition),
        // Too short for two addresses.
        version2(PROXY, TCP4, 4, new byte[4]),
        // More than we read past.
        version2(PROXY, TCP4, 65_535, new byte[65_535]),
        version2(PROXY, UDP4, "203.0.113.9", new byte[0]),
        version2(0x11, TCP4, 12, new byte[12]),
        version2(0x2f, TCP4, 12, new byte[12]),
        version2(PROXY, 0x71, 12, new byte[12]));
  }

  @ParameterizedTest
  @MethodSource("hostile")
  void whatIsNoHeaderEndsTheConnectionUnanswered(byte[] bytes) throws IOException {
    start("127.0.0.1", "");
    try (Socket socket = connect("behind")) {
      assertTrue(isEnded(socket, bytes));
    }
    assertEquals(0, origin.count("/x"));
    try (RawClient http = new RawClient(connect("behind"))) {
      http.send("PROXY TCP4 203.0.113.9 192.0.2.1 1 2\r\n");
      assertEquals(200, http.get("/x").status());
    }
  }

  private static boolean isEnded(Socket socket, byte[] sent) {
    try {
      socket.getOutputStream().write(sent);
      return socket.getInputStream().read() < 0;
    } catch (IOException reset) {
      return true;
    }
  }

  @Test
  void whoIsNotTrustedIsNotListenedTo() throws IOException {
    start("10.0.0.0/8", "");
    try (Socket socket = connect("behind")) {
      byte[] all =
          ascii(
              "PROXY TCP4 203.0.113.9 192.0.2.1 1 2\r\nGET /x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
      assertTrue(isEnded(socket, all));
    }
    assertEquals(0, origin.count("/x"));
  }

  @Test
  void connectionsAreCountedByTheClientThatIsNamed() throws IOException {
    start("127.0.0.1", "limits: {connections-per-address: 1}\n");
    try (RawClient first = new RawClient(connect("behind"));
        RawClient other = new RawClient(connect("behind"))) {
      assertEquals(200, first.send("PROXY TCP4 203.0.113.9 192.0.2.1 1 2\r\n").get("/x").status());
      assertEquals(200, other.send("PROXY TCP4 203.0.113.8 192.0.2.1 1 2\r\n").get("/x").status());
      try (Socket again = connect("behind")) {
        assertTrue(isEnded(again, ascii("PROXY TCP4 203.0.113.9 192.0.2.1 1 2\r\n")));
      }
    }
  }
}
