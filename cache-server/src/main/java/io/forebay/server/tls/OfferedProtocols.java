package io.forebay.server.tls;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Reads the protocols (ALPN, RFC 7301) that a ClientHello offers. */
final class OfferedProtocols {
  /** Version and random. */
  private static final int FIXED_BYTES = 34;

  private static final int ALPN = 16;

  private OfferedProtocols() {}

  /**
   * Whether a ClientHello offers the protocol of tls-alpn-01 and no other, as validations do (RFC
   * 8737 §3).
   *
   * @param hello without the header of the handshake message; its indexes are left alone
   */
  static boolean offersOnlyChallenge(ByteBuf hello) {
    try {
      int at = hello.readerIndex() + FIXED_BYTES;
      at += 1 + hello.getUnsignedByte(at);
      at += 2 + hello.getUnsignedShort(at);
      at += 1 + hello.getUnsignedByte(at);
      int end = Math.min(at + 2 + hello.getUnsignedShort(at), hello.writerIndex());
      at += 2;
      while (at + 4 <= end) {
        int type = hello.getUnsignedShort(at);
        int length = hello.getUnsignedShort(at + 2);
        at += 4;
        if (type == ALPN) {
          return at + length <= end && isOnlyChallenge(hello, at, length);
        }
        at += length;
      }
      return false;
    } catch (IndexOutOfBoundsException e) {
      // Not a whole ClientHello: the TLS library says what is wrong with it.
      return false;
    }
  }

  private static boolean isOnlyChallenge(ByteBuf hello, int at, int length) {
    int nameLength = ClientTls.CHALLENGE_PROTOCOL.length();
    return length == nameLength + 3
        && hello.getUnsignedByte(at + 2) == nameLength
        && hello
            .toString(at + 3, nameLength, StandardCharsets.US_ASCII)
            .equals(ClientTls.CHALLENGE_PROTOCOL);
  }
}
