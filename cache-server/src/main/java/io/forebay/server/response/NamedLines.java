package io.forebay.server.response;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Finds and removes lines of some fields in a head that is being written, by the beginnings {@code
 * name:} of lines, in lower case. Works in place, and allocates nothing.
 */
final class NamedLines {
  private static final byte[] STATUS_LINE = "HTTP/".getBytes(StandardCharsets.ISO_8859_1);

  private NamedLines() {}

  /** Whether one of the lines written so far begins so. */
  static boolean areIn(ByteBuf head, byte[][] beginnings) {
    return next(head, head.readerIndex(), beginnings) >= 0;
  }

  /** Removes those that do. */
  static void removeFrom(ByteBuf head, byte[][] beginnings) {
    int end = head.writerIndex();
    int to = next(head, head.readerIndex(), beginnings);
    int from = to;
    while (from >= 0) {
      // The line goes; what is before the next such line moves up.
      int kept = lineEnd(head, from);
      int following = next(head, kept, beginnings);
      int keptEnd = following < 0 ? end : following;
      for (int i = kept; i < keptEnd; i++) {
        head.setByte(to++, head.getByte(i));
      }
      from = following;
    }
    if (to >= 0) {
      head.writerIndex(to);
    }
  }

  /** Removes all lines of fields but those that begin so; a status line stays. */
  static void retainIn(ByteBuf head, byte[][] beginnings) {
    int at = head.readerIndex();
    int to = at;
    while (at < head.writerIndex()) {
      int end = lineEnd(head, at);
      if (beginsWith(head, at, STATUS_LINE) || beginsWithAny(head, at, beginnings)) {
        for (int i = at; i < end; i++) {
          head.setByte(to++, head.getByte(i));
        }
      }
      at = end;
    }
    head.writerIndex(to);
  }

  /** The index of the next such line from the beginning of a line on, or -1. */
  private static int next(ByteBuf head, int from, byte[][] beginnings) {
    int at = from;
    while (at < head.writerIndex()) {
      if (beginsWithAny(head, at, beginnings)) {
        return at;
      }
      at = lineEnd(head, at);
    }
    return -1;
  }

  private static int lineEnd(ByteBuf head, int from) {
    int end = head.indexOf(from, head.writerIndex(), (byte) '\n');
    return end < 0 ? head.writerIndex() : end + 1;
  }

  private static boolean beginsWithAny(ByteBuf head, int from, byte[][] beginnings) {
    for (byte[] beginning : beginnings) {
      if (beginsWith(head, from, beginning)) {
        return true;
      }
    }
    return false;
  }

  private static boolean beginsWith(ByteBuf head, int from, byte[] beginning) {
    if (head.writerIndex() - from < beginning.length) {
      return false;
    }
    for (int i = 0; i < beginning.length; i++) {
      if (head.getByte(from + i) != beginning[i]) {
        return false;
      }
    }
    return true;
  }
}
