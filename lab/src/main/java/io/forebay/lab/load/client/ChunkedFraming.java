package io.forebay.lab.load.client;

import io.netty.buffer.ByteBuf;

/** Finds the data of a chunked body. */
final class ChunkedFraming {
  private static final int MAX_SIZE_DIGITS = 15;

  /** Where in the framing. */
  private enum State {
    SIZE,
    EXTENSION,
    DATA,
    DATA_END,
    TRAILER,
    TRAILER_LINE,
    OVER
  }

  private State state = State.OVER;
  private long left;
  private int digits;

  void begin() {
    state = State.SIZE;
    left = 0;
    digits = 0;
  }

  boolean isOver() {
    return state == State.OVER;
  }

  /**
   * Consumes framing up to data: how many bytes of it are readable next.
   *
   * @throws IllegalArgumentException when the framing is malformed
   */
  int data(ByteBuf in) {
    while (in.isReadable() && state != State.OVER) {
      if (state == State.DATA) {
        return (int) Math.min(left, in.readableBytes());
      }
      frame(in.readByte());
    }
    return 0;
  }

  /** So many bytes of data were consumed. */
  void taken(int count) {
    left -= count;
    if (state == State.DATA && left == 0) {
      state = State.DATA_END;
    }
  }

  private void frame(byte next) {
    switch (state) {
      case SIZE -> size(next);
      case EXTENSION -> {
        if (next == '\n') {
          beginChunk();
        }
      }
      case DATA_END -> {
        if (next == '\n') {
          left = 0;
          digits = 0;
          state = State.SIZE;
        } else if (next != '\r') {
          throw new IllegalArgumentException("a chunk is longer than it says");
        }
      }
      case TRAILER -> {
        if (next == '\n') {
          state = State.OVER;
        } else if (next != '\r') {
          state = State.TRAILER_LINE;
        }
      }
      case TRAILER_LINE -> {
        if (next == '\n') {
          state = State.TRAILER;
        }
      }
      case DATA, OVER -> throw new IllegalStateException();
    }
  }

  private void size(byte next) {
    int digit = Character.digit(next, 16);
    if (digit >= 0 && digits < MAX_SIZE_DIGITS) {
      left = left * 16 + digit;
      digits++;
    } else if (digits > 0 && next == '\n') {
      beginChunk();
    } else if (digits > 0 && (next == '\r' || next == ';' || next == ' ')) {
      state = State.EXTENSION;
    } else {
      throw new IllegalArgumentException("no size of a chunk");
    }
  }

  private void beginChunk() {
    state = left == 0 ? State.TRAILER : State.DATA;
  }
}
