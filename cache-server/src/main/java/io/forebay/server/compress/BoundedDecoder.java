package io.forebay.server.compress;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/**
 * A decoder that breaks off a body which becomes too large, or too much larger than it came: a
 * decompression bomb. What it writes at once is bounded by {@code room} alone.
 */
final class BoundedDecoder implements BodyCodec {

  /** Up to here any ratio is fine: little harm, and a page of blanks is no bomb. */
  static final long FREE_BYTES = 1 << 20;

  /** Text comes to 3 to 20, logs to 100. */
  static final int MAX_RATIO = 250;

  static final long MAX_BYTES = 1L << 30;

  private final BodyCodec decoder;
  private long received;
  private long decoded;

  BoundedDecoder(BodyCodec decoder) {
    this.decoder = decoder;
  }

  @Override
  public boolean code(ByteBuf piece, Until until, ByteBuf out, int room) throws IOException {
    int before = piece.readableBytes();
    int written = out.writerIndex();
    boolean isTaken = decoder.code(piece, until, out, room);
    received += before - piece.readableBytes();
    decoded += out.writerIndex() - written;
    if (decoded > MAX_BYTES) {
      throw new IOException("the decoded body is larger than " + MAX_BYTES + " bytes");
    }
    if (decoded > FREE_BYTES && decoded / MAX_RATIO > received) {
      throw new IOException(
          "the decoded body is more than "
              + MAX_RATIO
              + " times as large as it came: a decompression bomb");
    }
    return isTaken;
  }

  @Override
  public void close() {
    decoder.close();
  }
}
