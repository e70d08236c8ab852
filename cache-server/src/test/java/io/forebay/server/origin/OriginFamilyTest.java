package io.forebay.server.origin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.EgressConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.testing.Ports;
import io.forebay.testing.ScriptedOrigin;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers with addresses of both families, of which one leads nowhere. */
@Timeout(120)
@Tag("slow")
final class OriginFamilyTest {

  /** An address that answers no SYN: a listener whose queue is full and that accepts nothing. */
  private static final class BlackHole implements AutoCloseable {
    private final ServerSocket listener;
    private final List<SocketChannel> queued = new ArrayList<>();

    BlackHole(String address, int port) throws IOException {
      listener = new ServerSocket(port, 1, InetAddress.getByName(address));
      for (int i = 0; i < 16; i++) {
        SocketChannel channel = SocketChannel.open();
        channel.configureBlocking(false);
        channel.connect(new InetSocketAddress(InetAddress.getByName(address), port));
        queued.add(channel);
      }
    }

    @Override
    public void close() throws IOException {
      for (SocketChannel channel : queued) {
        channel.close();
      }
      listener.close();
    }
  }

  private static OriginConfig config(int port, Duration otherFamilyAfter) {
    OriginConfig origin =
        Lab.withLoopbackNames(
            Lab.withTimes(
                Lab.origin("http://origin.test:" + port), 60_000, 60_000, 60_000, 0, 5000));
    return Lab.withEgress(origin, new EgressConfig(false, List.of(), null, otherFamilyAfter));
  }

  @Test
  void aFamilyWhosePacketsGetLostCostsAFractionOfTheConnectTimeout() throws Exception {
    int port = Ports.free();
    try (BlackHole nowhere = new BlackHole("127.0.0.1", port);
        BlackHole alsoNowhere = new BlackHole("127.0.0.2", port);
        BlackHole nowhereEither = new BlackHole("127.0.0.3", port);
        ScriptedOrigin origin = ScriptedOrigin.startAt("::1", port);
        Lab lab = Lab.of(config(port, Duration.ofMillis(50)))) {
      lab.names.set("origin.test", "127.0.0.1", "127.0.0.2", "127.0.0.3", "::1");
      long start = System.nanoTime();
      Recorder response = lab.send(Lab.get("/"));
      ScriptedOrigin.Connection connection = origin.accept();
      connection.head();
      connection.respond("over IPv6");
      assertEquals("over IPv6", response.body());
      long millis = (System.nanoTime() - start) / 1_000_000;
      // Alone it would have had a third of a minute.
      assertTrue(millis < 15_000, "after " + millis + " ms");
      assertEquals(1, lab.counters().originConnectionsOpened);
    }
  }

  @Test
  void theOnlyFamilyHasAllOfTheConnectTimeout() throws Exception {
    int port = Ports.free();
    OriginConfig config =
        Lab.withEgress(
            Lab.withTimes(config(port, Duration.ofMillis(10)), 700, 5000, 5000, 0, 5000),
            new EgressConfig(false, List.of(), null, Duration.ofMillis(10)));
    try (BlackHole nowhere = new BlackHole("127.0.0.1", port);
        Lab lab = Lab.of(config)) {
      lab.names.set("origin.test", "127.0.0.1");
      long start = System.nanoTime();
      lab.send(Lab.get("/")).failure(Kind.CONNECT_TIMEOUT);
      long millis = (System.nanoTime() - start) / 1_000_000;
      assertTrue(millis >= 600, "after " + millis + " ms");
    }
  }
}
