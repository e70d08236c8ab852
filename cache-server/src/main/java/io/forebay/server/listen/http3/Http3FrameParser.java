package io.forebay.server.listen.http3;

import io.netty.buffer.ByteBuf;

/**
 * Finds frame boundaries in the bytes of an HTTP/3 stream without storing frames. The codec
 * silently drops unknown frames, so frames are counted here (RFC 9114 §7.1). Owner: the event loop
 * of the stream.
 */
final class Http3FrameParser {

  /** Is told of each frame when its header is complete. */
  interface FrameListener {

    /** Says whether to go on; the length is that of the payload, up to 2^62 - 1. */
    boolean onFrame(long type, long length);
  }

  private final QuicInteger integer = new QuicInteger();
  private boolean hasType;
  private long type;
  private long payloadLeft;

  /**
   * Walks over what has come; the reader index stays where it is.
   *
   * @return false as soon as the listener has had enough
   */
  boolean walk(ByteBuf data, int from, FrameListener listener) {
    int at = from;
    int end = data.writerIndex();
    while (at < end) {
      if (payloadLeft > 0) {
        long step = Math.min(payloadLeft, end - at);
        payloadLeft -= step;
        at += (int) step;
        continue;
      }
      if (!integer.take(data.getByte(at++))) {
        continue;
      }
      if (!hasType) {
        hasType = true;
        type = integer.value();
      } else {
        hasType = false;
        payloadLeft = integer.value();
        if (!listener.onFrame(type, payloadLeft)) {
          return false;
        }
      }
    }
    return true;
  }

  /** A variable-length integer that comes byte by byte (RFC 9000 §16). */
  static final class QuicInteger {
    private int missing;
    private long value;

    /** Takes the next byte; says whether the integer is complete. */
    boolean take(byte next) {
      if (missing == 0) {
        missing = 1 << ((next & 0xff) >> 6);
        value = next & 0x3f;
      } else {
        value = (value << 8) | (next & 0xff);
      }
      return --missing == 0;
    }

    /** The integer that the last byte completed. */
    long value() {
      return value;
    }
  }
}
