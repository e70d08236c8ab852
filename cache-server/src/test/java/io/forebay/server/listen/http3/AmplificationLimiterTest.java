package io.forebay.server.listen.http3;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class AmplificationLimiterTest {
  private static final InetSocketAddress NODE = at(1, 443);
  private static final InetSocketAddress CLIENT = at(2, 5000);

  private final AmplificationLimiter bound = new AmplificationLimiter();
  private final EmbeddedChannel socket = new EmbeddedChannel(bound);

  @AfterEach
  void close() {
    socket.finishAndReleaseAll();
  }

  private static InetSocketAddress at(int host, int port) {
    try {
      return new InetSocketAddress(
          InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, (byte) host}), port);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  private void receive(InetSocketAddress from, int bytes) {
    ByteBuf content = Unpooled.buffer(bytes).writeZero(bytes).setByte(0, 0xC0);
    socket.writeInbound(new DatagramPacket(content, NODE, from));
  }

  /** How many of that many datagrams leave. */
  private int send(InetSocketAddress to, int count, int bytes) {
    int left = 0;
    for (int i = 0; i < count; i++) {
      ByteBuf content = Unpooled.buffer(bytes).writeZero(bytes);
      socket.writeOutbound(new DatagramPacket(content, to));
      DatagramPacket sent = socket.readOutbound();
      if (sent != null) {
        sent.release();
        left++;
      } else {
        assertEquals(0, content.refCnt());
      }
    }
    return left;
  }

  @Test
  void anAddressIsSentThreeTimesWhatCameFromIt() {
    receive(CLIENT, 1200);
    bound.begins(CLIENT);
    assertEquals(3, send(CLIENT, 9, 1200));
    receive(CLIENT, 1200);
    assertEquals(3, send(CLIENT, 9, 1200));
    assertEquals(0, send(CLIENT, 1, 1));
  }

  @Test
  void anAnswerWithoutAConnectionCountsToo() {
    receive(CLIENT, 1200);
    assertEquals(36, send(CLIENT, 99, 100));
    bound.begins(CLIENT);
    assertEquals(0, send(CLIENT, 1, 1200));
  }

  @Test
  void aProvenAddressHasNoBound() {
    receive(CLIENT, 1200);
    bound.begins(CLIENT);
    bound.proven(CLIENT);
    assertEquals(99, send(CLIENT, 99, 1200));
  }

  @Test
  void aForgedInitialDoesNotHoldUpAConnectionThatIsThere() {
    receive(CLIENT, 1200);
    bound.begins(CLIENT);
    bound.proven(CLIENT);
    for (int i = 0; i < 2 * AmplificationLimiter.MAX_STRANGERS; i++) {
      receive(at(3, 1 + i), 1200);
    }
    receive(CLIENT, 1200);
    assertEquals(99, send(CLIENT, 99, 1200));
  }

  @Test
  void aProofEndsWithTheLastConnection() {
    receive(CLIENT, 1200);
    bound.begins(CLIENT);
    bound.begins(CLIENT);
    bound.proven(CLIENT);
    bound.ends(CLIENT);
    assertEquals(9, send(CLIENT, 9, 1200));
    bound.ends(CLIENT);
    receive(CLIENT, 1200);
    assertEquals(3, send(CLIENT, 9, 1200));
  }
}
