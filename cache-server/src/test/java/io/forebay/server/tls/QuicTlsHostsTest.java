package io.forebay.server.tls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.netty.handler.codec.quic.SslSessionTicketKey;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Keys of tickets that listeners for HTTP/3 derive. SharedTlsIT opens sessions with them. */
final class QuicTlsHostsTest {

  private static byte[] key(int filling) {
    byte[] key = new byte[TicketKeys.KEY_LENGTH];
    Arrays.fill(key, (byte) filling);
    return key;
  }

  private static List<byte[]> parts(SslSessionTicketKey key) {
    return List.of(key.name(), key.hmacKey(), key.aesKey());
  }

  @Test
  void nodesWithTheSameKeyDeriveTheSameForAListener() {
    List<byte[]> first = parts(QuicTlsHosts.ticketKey("tls", key(1)));
    List<byte[]> second = parts(QuicTlsHosts.ticketKey("tls", key(1)));
    for (int i = 0; i < first.size(); i++) {
      assertArrayEquals(first.get(i), second.get(i));
    }
  }

  @Test
  void noTicketOfAListenerIsOneOfAnotherListenerOrOfTcp() {
    byte[] tcp = key(1);
    SslSessionTicketKey one = QuicTlsHosts.ticketKey("tls", tcp);
    for (SslSessionTicketKey other :
        List.of(
            QuicTlsHosts.ticketKey("internal", tcp),
            QuicTlsHosts.ticketKey("tls", key(2)),
            new SslSessionTicketKey(
                Arrays.copyOfRange(tcp, 0, 16),
                Arrays.copyOfRange(tcp, 16, 32),
                Arrays.copyOfRange(tcp, 32, 48)))) {
      for (int i = 0; i < parts(one).size(); i++) {
        assertFalse(Arrays.equals(parts(one).get(i), parts(other).get(i)));
      }
    }
  }
}
