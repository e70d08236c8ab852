package io.forebay.server.response;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Writes the stored header lines that a 304 repeats (RFC 9110 §15.4.5), and
 * Strict-Transport-Security, which belongs to every response (RFC 6797 §7.1).
 */
public final class NotModifiedLines {

  private static final byte[][] REPEATED = {
    name("cache-control:"),
    name("cdn-cache-control:"),
    name("content-location:"),
    name("date:"),
    name("etag:"),
    name("expires:"),
    name("last-modified:"),
    name("vary:"),
    name("set-cookie:"),
    name("strict-transport-security:")
  };

  private NotModifiedLines() {}

  private static byte[] name(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Copies those lines of a block of {@code name: value\r\n} lines. */
  public static void copy(ByteBuf out, byte[] block) {
    int from = 0;
    while (from < block.length) {
      int to = from;
      while (block[to] != '\n') {
        to++;
      }
      to++;
      for (byte[] name : REPEATED) {
        if (startsWith(block, from, to, name)) {
          out.writeBytes(block, from, to - from);
          break;
        }
      }
      from = to;
    }
  }

  private static boolean startsWith(byte[] block, int from, int to, byte[] name) {
    if (to - from < name.length) {
      return false;
    }
    for (int i = 0; i < name.length; i++) {
      if (block[from + i] != name[i]) {
        return false;
      }
    }
    return true;
  }
}
