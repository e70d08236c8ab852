package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.server.counters.TlsGroupCounters.Group;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.internal.tcnative.SSL;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The key exchange group: X25519MLKEM768 with clients that support it. */
@Timeout(180)
final class ServerTlsGroupTest {
  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final MultiThreadIoEventLoopGroup loop =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

  @AfterEach
  void stop() throws IOException {
    loop.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).syncUninterruptibly();
    origin.close();
  }

  /** Makes a handshake as a client that offers those groups; gives the one that was used. */
  private String handshake(Edge edge, String... groups) throws Exception {
    SslContext context =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.OPENSSL)
            .trustManager(edge.authority().toFile())
            .option(OpenSslContextOption.GROUPS, groups)
            .build();
    try {
      Channel channel =
          new Bootstrap()
              .group(loop)
              .channel(NioSocketChannel.class)
              .handler(
                  new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel made) {
                      made.pipeline()
                          .addLast(context.newHandler(made.alloc(), "127.0.0.1", edge.tlsPort()));
                    }
                  })
              .connect("127.0.0.1", edge.tlsPort())
              .sync()
              .channel();
      SslHandler handler = channel.pipeline().get(SslHandler.class);
      handler.handshakeFuture().sync();
      String used =
          loop.submit(() ->
                  SSL.getGroupName(((ReferenceCountedOpenSslEngine) handler.engine()).sslPointer()))
              .get();
      channel.close().sync();
      return used;
    } finally {
      ReferenceCountUtil.release(context);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "X25519MLKEM768, X25519MLKEM768",
    "X25519, X25519",
    "P-256, P256",
    "P-384, P384",
  })
  void theGroupOfTheClientIsUsedAndCounted(String offered, Group counted) throws Exception {
    try (Edge edge = Edge.before(origin, directory)) {
      assertEquals(counted, Group.of(handshake(edge, offered)));
      edge.awaitSum(1, counters -> counters.tlsGroups.handshakes(counted));
      edge.awaitSum(1, counters -> counters.tlsHandshakes);
    }
  }

  @Test
  void aClientThatOffersGroupsAsBrowsersDoGetsTheOneThatResistsQuantumComputers() throws Exception {
    try (Edge edge = Edge.before(origin, directory)) {
      assertEquals(
          Group.X25519MLKEM768, Group.of(handshake(edge, "X25519MLKEM768", "X25519", "P-256")));
      edge.awaitSum(1, counters -> counters.tlsGroups.handshakes(Group.X25519MLKEM768));
    }
  }
}
