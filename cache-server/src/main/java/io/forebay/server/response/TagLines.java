package io.forebay.server.response;

import io.forebay.core.key.ResponseTags;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Finds and removes the lines with cache tags in a head that is being written. Works in place, and
 * allocates nothing.
 */
public final class TagLines {
  private static final byte[][] NAMES =
      ResponseTags.fieldNames().stream()
          .map(name -> (name + ":").getBytes(StandardCharsets.ISO_8859_1))
          .toArray(byte[][]::new);

  private TagLines() {}

  /** Whether one of the lines written so far carries tags; names are in lower case. */
  public static boolean areIn(ByteBuf head) {
    return next(head, head.readerIndex()) >= 0;
  }

  /** Removes them. */
  public static void removeFrom(ByteBuf head) {
    int end = head.writerIndex();
    int to = next(head, head.readerIndex());
    int from = to;
    while (from >= 0) {
      // The line goes; what is before the next such line moves up.
      int kept = lineEnd(head, from);
      int following = next(head, kept);
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

  /** The index of the next such line from the beginning of a line on, or -1. */
  private static int next(ByteBuf head, int from) {
    int at = from;
    while (at < head.writerIndex()) {
      if (isTagLine(head, at)) {
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

  private static boolean isTagLine(ByteBuf head, int from) {
    for (byte[] name : NAMES) {
      if (startsWith(head, from, name)) {
        return true;
      }
    }
    return false;
  }

  private static boolean startsWith(ByteBuf head, int from, byte[] name) {
    if (head.writerIndex() - from < name.length) {
      return false;
    }
    for (int i = 0; i < name.length; i++) {
      if (head.getByte(from + i) != name[i]) {
        return false;
      }
    }
    return true;
  }
}
