package io.forebay.server.origin;

import io.forebay.server.http.ClientInfo;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.NetUtil;
import org.jspecify.annotations.Nullable;

/**
 * Writes the header of the PROXY protocol, version 2, with which a connection to an origin begins.
 *
 * <pre>
 *   signature 12 | version, command | family | length 2 | source | destination | ports 2 + 2
 *                  2      0: LOCAL    0        0
 *                  2      1: PROXY    11, 21   12, 36     the client; all zero
 * </pre>
 *
 * <p>The destination is the address that the client connected to. It is not known here, and
 * unspecified.
 */
final class ProxyHeader {
  private static final byte[] SIGNATURE = {
    0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a
  };
  private static final int LOCAL = 0x20;
  private static final int PROXY = 0x21;
  private static final int UNSPECIFIED = 0x00;
  private static final int TCP4 = 0x11;
  private static final int TCP6 = 0x21;
  private static final int IPV4_LENGTH = 4;
  private static final int PORTS_LENGTH = 4;
  private static final int MAX_LENGTH = 52;

  private ProxyHeader() {}

  /** The header for a client; without one, or without an IP address of it, that of the node. */
  static ByteBuf of(ByteBufAllocator allocator, @Nullable ClientInfo client) {
    ByteBuf header = allocator.buffer(MAX_LENGTH).writeBytes(SIGNATURE);
    byte[] source =
        client == null ? null : NetUtil.createByteArrayFromIpAddressString(client.address());
    if (client == null || source == null) {
      return header.writeByte(LOCAL).writeByte(UNSPECIFIED).writeShort(0);
    }
    return header
        .writeByte(PROXY)
        .writeByte(source.length == IPV4_LENGTH ? TCP4 : TCP6)
        .writeShort(2 * source.length + PORTS_LENGTH)
        .writeBytes(source)
        .writeZero(source.length)
        .writeShort(client.port())
        .writeShort(0);
  }
}
