package io.forebay.lab.load.client;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/** Reads the frames of one response: finds its data and its status. */
final class Http3Frames {
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int MAX_HEAD_BYTES = 64 * 1024;

  private byte[] held = new byte[256];
  private int count;
  private boolean isInFrame;
  private long type;
  private long left;
  private int status = -1;

  /**
   * Consumes all up to data: how many bytes of it are readable next; 0 when a head ends or the
   * bytes do.
   *
   * @throws IllegalArgumentException when the frames are malformed
   */
  int data(ByteBuf in) {
    while (in.isReadable()) {
      if (!isInFrame) {
        if (!begin(in)) {
          continue;
        }
      }
      if (type == DATA) {
        return (int) Math.min(left, in.readableBytes());
      }
      if (skip(in)) {
        return 0;
      }
    }
    return 0;
  }

  /** Whether the header of a frame with a payload is whole. */
  private boolean begin(ByteBuf in) {
    held[count++] = in.readByte();
    int typeBytes = length(held[0]);
    if (count <= typeBytes || count < typeBytes + length(held[typeBytes])) {
      return false;
    }
    type = integer(0);
    left = integer(typeBytes);
    count = 0;
    if (type == HEADERS && left > MAX_HEAD_BYTES) {
      throw new IllegalArgumentException("a head of more than " + MAX_HEAD_BYTES);
    }
    isInFrame = left > 0;
    return isInFrame;
  }

  private static int length(byte first) {
    return 1 << ((first & 0xC0) >> 6);
  }

  private long integer(int from) {
    long value = held[from] & 0x3F;
    for (int i = 1; i < length(held[from]); i++) {
      value = (value << 8) | (held[from + i] & 0xFF);
    }
    return value;
  }

  /** Whether a head has ended. */
  private boolean skip(ByteBuf in) {
    int more = (int) Math.min(left, in.readableBytes());
    if (type == HEADERS) {
      if (count + more > held.length) {
        held = Arrays.copyOf(held, (int) (count + left));
      }
      in.readBytes(held, count, more);
      count += more;
    } else {
      in.skipBytes(more);
    }
    left -= more;
    if (left > 0) {
      return false;
    }
    isInFrame = false;
    if (type != HEADERS) {
      return false;
    }
    status = FieldStatus.qpack(held, 0, count);
    count = 0;
    return true;
  }

  /** So many bytes of data were consumed. */
  void taken(int bytes) {
    left -= bytes;
    isInFrame = left > 0;
  }

  /** The status of a head that has just ended, 0 for one that cannot be told; else -1. */
  int takeStatus() {
    int taken = status;
    status = -1;
    return taken;
  }

  /** Whether no frame is cut off here. */
  boolean isBetween() {
    return !isInFrame && count == 0;
  }
}
