package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.EgressConfig;
import io.forebay.server.config.OriginTlsConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.counters.Protocol;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.testing.Certificates;
import io.forebay.testing.ScriptedOrigin;
import io.forebay.testing.ScriptedOrigin.Connection;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.pkitesting.X509Bundle;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that begin with the PROXY protocol, or come from a given address. */
@Timeout(60)
@Tag("slow")
class OriginEgressTest {
  private static final int LOCAL_LENGTH = 16;
  private static final int TCP4_LENGTH = 28;

  @TempDir Path directory;

  private static OriginConfig proxied(ScriptedOrigin origin) {
    return Lab.withEgress(Lab.origin(origin.url()), new EgressConfig(true, List.of(), null));
  }

  private static ClientInfo client(String address) {
    return ClientInfo.of(address, 4711, Protocol.HTTP_1_1, "plain", 0, false, null);
  }

  private static OriginRequest of(OriginRequest request, String address) {
    return request.onBehalfOf(client(address));
  }

  @ParameterizedTest
  @CsvSource({"192.0.2.7, 192.0.2.7", "2001:db8::7, 2001:db8:0:0:0:0:0:7"})
  void theHeaderNamesTheClient(String address, String decoded) {
    ByteBuf header = ProxyHeader.of(UnpooledByteBufAllocator.DEFAULT, client(address));
    HAProxyMessage message = decode(ByteBufUtil.getBytes(header));
    header.release();
    assertEquals(HAProxyCommand.PROXY, message.command());
    assertEquals(decoded, message.sourceAddress());
    assertEquals(4711, message.sourcePort());
    message.release();
  }

  @Test
  void aRequestOfAClientHasAConnectionOfItsOwnWithItsAddress() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(proxied(origin))) {
      for (String address : List.of("192.0.2.1", "192.0.2.2", "192.0.2.2")) {
        Recorder response = lab.send(of(Lab.get("/"), address));
        Connection connection = origin.accept();
        HAProxyMessage message = decode(connection.bytes(TCP4_LENGTH));
        assertEquals(address, message.sourceAddress());
        message.release();
        assertTrue(connection.head().startsWith("GET / "));
        connection.respond("ok");
        assertEquals("ok", response.body());
        connection.awaitClose();
      }
      lab.awaitOnLoop(0, "none is kept", () -> lab.connections.open("main") == 0);
    }
  }

  @Test
  void fetchesShareConnectionsOfTheNode() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(proxied(origin))) {
      Recorder first = lab.send(Lab.get("/1"));
      Connection shared = origin.accept();
      HAProxyMessage message = decode(shared.bytes(LOCAL_LENGTH));
      assertEquals(HAProxyCommand.LOCAL, message.command());
      message.release();
      shared.head();
      shared.respond("one");
      assertEquals("one", first.body());
      lab.awaitOnLoop(0, "idle", () -> lab.client(0).idleCount("main") == 1);

      Recorder own = lab.send(of(Lab.get("/own"), "192.0.2.1"));
      Connection tied = origin.accept();
      tied.bytes(TCP4_LENGTH);
      tied.head();
      tied.respond("own");
      assertEquals("own", own.body());

      Recorder second = lab.send(Lab.get("/2"));
      assertTrue(shared.head().startsWith("GET /2 "));
      shared.respond("two");
      assertEquals("two", second.body());
      assertEquals(2, origin.accepted());
    }
  }

  @Test
  void atTheLimitAClientWaitsForAConnectionOfItsOwn() throws Exception {
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab = Lab.of(Lab.withMost(proxied(origin), 1))) {
      Recorder first = lab.send(Lab.get("/1"));
      Connection shared = origin.accept();
      shared.bytes(LOCAL_LENGTH);
      shared.head();
      Recorder own = lab.send(of(Lab.get("/own"), "192.0.2.1"));
      shared.respond("one");
      assertEquals("one", first.body());
      Connection tied = origin.accept();
      tied.bytes(TCP4_LENGTH);
      tied.head();
      tied.respond("own");
      assertEquals("own", own.body());
      shared.awaitClose();
    }
  }

  @Test
  void theHeaderComesBeforeTls() throws Exception {
    Certificates certificates = Certificates.in(directory);
    X509Bundle bundle = certificates.ecdsa("origin.test", "origin.test");
    try (ScriptedOrigin origin = ScriptedOrigin.startTls(Certificates.serverContext(bundle));
        Lab lab =
            Lab.of(
                Lab.withTls(
                    Lab.withTrust(proxied(origin), certificates.authorityPem()),
                    new OriginTlsConfig("origin.test", null, List.of())))) {
      Recorder response = lab.send(of(Lab.get("/"), "192.0.2.1"));
      Connection connection = origin.acceptPlain();
      HAProxyMessage message = decode(connection.bytes(TCP4_LENGTH));
      assertEquals("192.0.2.1", message.sourceAddress());
      message.release();
      Connection secured = origin.secured(connection);
      assertTrue(secured.head().startsWith("GET / "));
      secured.respond("ok");
      assertEquals("ok", response.body());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void connectionsComeFromTheSourceAddress(boolean isNio) throws Exception {
    InetAddress source = InetAddress.ofLiteral("127.0.0.9");
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab =
            new Lab(
                1,
                isNio,
                Lab.withEgress(
                    Lab.origin(origin.url()), new EgressConfig(false, List.of(source), null)))) {
      Recorder response = lab.send(Lab.get("/"));
      Connection connection = origin.accept();
      connection.head();
      assertEquals(source, connection.peer());
      connection.respond("ok");
      assertEquals("ok", response.body());
    }
  }

  @Test
  void anAddressOfTheOtherFamilyIsNotConnectedTo() throws Exception {
    InetAddress source = InetAddress.ofLiteral("::1");
    try (ScriptedOrigin origin = ScriptedOrigin.start();
        Lab lab =
            Lab.of(
                Lab.withEgress(
                    Lab.origin(origin.url()), new EgressConfig(false, List.of(source), null)))) {
      String detail = lab.send(Lab.get("/")).failure(Kind.CONNECT_FAILED);
      assertTrue(detail.contains("no source-address of its family"), detail);
      assertEquals(0, origin.accepted());
      assertEquals(0, lab.connections.open("main"));
    }
  }

  private static HAProxyMessage decode(byte[] header) {
    EmbeddedChannel channel = new EmbeddedChannel(new HAProxyMessageDecoder());
    assertTrue(channel.writeInbound(Unpooled.wrappedBuffer(header)));
    HAProxyMessage message = channel.readInbound();
    assertEquals(0, channel.inboundMessages().size(), "what follows the header");
    return message;
  }
}
