package io.forebay.server.compress;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * The way back from gzip (RFC 1952), through one member or several. Checksum and length of each are
 * verified; what follows the last and begins no other is dropped, as gzip itself does.
 *
 * <pre>
 *   FIXED ─► EXTRA ─► NAME ─► COMMENT ─► HEADER_CRC ─► BODY ─► TRAILER ─► FIXED | REST
 *             └────────┴─────────┴───────────┘ each only where its flag is set
 * </pre>
 */
final class GzipDecoder implements BodyCodec {
  private static final int FIXED_BYTES = 10;
  private static final int TRAILER_BYTES = 8;
  private static final int MIN_ROOM = 4096;

  private static final int HAS_HEADER_CRC = 2;
  private static final int HAS_EXTRA = 4;
  private static final int HAS_NAME = 8;
  private static final int HAS_COMMENT = 16;
  private static final int RESERVED = 0xE0;

  private enum State {
    FIXED,
    EXTRA_LENGTH,
    EXTRA,
    NAME,
    COMMENT,
    HEADER_CRC,
    BODY,
    TRAILER,
    REST
  }

  private final Inflater inflater = new Inflater(true);
  private final CRC32 crc = new CRC32();
  private State state = State.FIXED;
  private boolean isFirst = true;
  private int flags;

  /** Bytes of the present state that were read, and their little-endian number. */
  private int read;

  private long number;

  /** Bytes of the extra field that are still to be skipped. */
  private int extra;

  @Override
  public boolean code(ByteBuf piece, Until until, ByteBuf out, int room) throws IOException {
    int limit = out.writerIndex() + room;
    while (true) {
      if (state == State.BODY) {
        if (!inflate(piece, out, limit)) {
          return false;
        }
        if (state == State.BODY) {
          break;
        }
      }
      if (!piece.isReadable()) {
        break;
      }
      switch (state) {
        case FIXED -> fixed(piece.readByte() & 0xFF);
        case EXTRA_LENGTH -> {
          if (collects(piece.readByte() & 0xFF, 2)) {
            extra = (int) number;
            go(State.EXTRA);
          }
        }
        case EXTRA -> {
          int skipped = Math.min(extra, piece.readableBytes());
          piece.skipBytes(skipped);
          extra -= skipped;
          if (extra == 0) {
            afterExtra();
          }
        }
        case NAME -> {
          if (piece.readByte() == 0) {
            afterName();
          }
        }
        case COMMENT -> {
          if (piece.readByte() == 0) {
            afterComment();
          }
        }
        case HEADER_CRC -> {
          if (collects(piece.readByte() & 0xFF, 2)) {
            go(State.BODY);
          }
        }
        case TRAILER -> trailer(piece.readByte() & 0xFF);
        case REST -> piece.skipBytes(piece.readableBytes());
        case BODY -> throw new IllegalStateException();
      }
    }
    // No bytes at all are no bytes.
    boolean isWhole = state == State.REST || (state == State.FIXED && read == 0);
    if (until == Until.END && !isWhole) {
      throw new IOException("the gzip stream ends within a member");
    }
    return true;
  }

  /** False where there is no more room; else all of the piece was read, or the body has ended. */
  private boolean inflate(ByteBuf piece, ByteBuf out, int limit) throws IOException {
    while (true) {
      if (out.writerIndex() >= limit) {
        return false;
      }
      ByteBuffer from = piece.nioBuffer();
      int available = from.remaining();
      out.ensureWritable(MIN_ROOM);
      int at = out.writerIndex();
      ByteBuffer to = out.nioBuffer(at, out.writableBytes());
      int space = to.remaining();
      int written;
      inflater.setInput(from);
      try {
        written = inflater.inflate(to);
      } catch (DataFormatException e) {
        throw new IOException("the gzip stream is damaged: " + e.getMessage(), e);
      }
      piece.skipBytes(available - from.remaining());
      out.writerIndex(at + written);
      crc.update(out.nioBuffer(at, written));
      if (inflater.finished()) {
        go(State.TRAILER);
        return true;
      }
      if (inflater.needsDictionary()) {
        throw new IOException("the gzip stream needs a dictionary");
      }
      if (written < space) {
        return true;
      }
    }
  }

  private void fixed(int value) throws IOException {
    boolean isRight =
        switch (read) {
          case 0 -> value == 0x1F;
          case 1 -> value == 0x8B;
          case 2 -> value == 8;
          case 3 -> (value & RESERVED) == 0;
          default -> true;
        };
    if (!isRight) {
      if (!isFirst && read == 0) {
        go(State.REST);
        return;
      }
      throw new IOException("not a gzip stream");
    }
    if (read == 3) {
      flags = value;
    }
    if (++read == FIXED_BYTES) {
      if ((flags & HAS_EXTRA) != 0) {
        go(State.EXTRA_LENGTH);
      } else {
        afterExtra();
      }
    }
  }

  private void afterExtra() {
    if ((flags & HAS_NAME) != 0) {
      go(State.NAME);
    } else {
      afterName();
    }
  }

  private void afterName() {
    if ((flags & HAS_COMMENT) != 0) {
      go(State.COMMENT);
    } else {
      afterComment();
    }
  }

  private void afterComment() {
    go((flags & HAS_HEADER_CRC) != 0 ? State.HEADER_CRC : State.BODY);
  }

  private void trailer(int value) throws IOException {
    if (!collects(value, TRAILER_BYTES)) {
      return;
    }
    boolean isRight =
        (number & 0xFFFF_FFFFL) == crc.getValue()
            && number >>> 32 == (inflater.getBytesWritten() & 0xFFFF_FFFFL);
    if (!isRight) {
      throw new IOException("the gzip stream has a wrong checksum or length");
    }
    inflater.reset();
    crc.reset();
    isFirst = false;
    go(State.FIXED);
  }

  /** Whether so many bytes of the state are read with this one. */
  private boolean collects(int value, int bytes) {
    number |= (long) value << (8 * read);
    return ++read == bytes;
  }

  private void go(State next) {
    state = next;
    read = 0;
    number = 0;
  }

  @Override
  public void close() {
    inflater.end();
  }
}
