package io.forebay.e2e;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.TreeMap;

/**
 * What {@code nghttp --hexdump} prints of what came to it, decrypted:
 *
 * <pre>
 *   00000000  00 00 12 04 00 00 00 00  00 00 03 00 00 00 64 00  |..............d.|
 *   *
 *   0000000a
 * </pre>
 *
 * one such dump a read, and out of these the body of each stream.
 */
final class Http2Dump {
  private static final int ROW = 16;
  private static final int FRAME_HEAD = 9;
  private static final int DATA = 0;
  private static final int PADDED = 0x8;

  private Http2Dump() {}

  /** Bodies in the order in which their streams were opened. */
  static List<byte[]> bodies(String dump) {
    TreeMap<Integer, ByteArrayOutputStream> streams = new TreeMap<>();
    ByteBuffer in = ByteBuffer.wrap(bytes(dump));
    while (in.remaining() >= FRAME_HEAD) {
      int length = (in.get() & 0xff) << 16 | (in.getShort() & 0xffff);
      int type = in.get();
      int flags = in.get();
      int stream = in.getInt();
      byte[] payload = new byte[length];
      in.get(payload);
      if (type == DATA) {
        int first = (flags & PADDED) == 0 ? 0 : 1;
        int padding = first == 0 ? 0 : payload[0] & 0xff;
        streams
            .computeIfAbsent(stream, _ -> new ByteArrayOutputStream())
            .write(payload, first, length - first - padding);
      }
    }
    return streams.values().stream().map(ByteArrayOutputStream::toByteArray).toList();
  }

  private static byte[] bytes(String dump) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] row = new byte[0];
    int written = 0;
    for (String line : dump.lines().toList()) {
      if (line.equals("*")) {
        // Rows like the last one; how many the next line's offset tells.
        continue;
      }
      int offset = Integer.parseInt(line, 0, 8, ROW);
      for (; written < offset; written += row.length) {
        out.writeBytes(row);
      }
      if (line.length() == 8) {
        written = 0;
        continue;
      }
      String[] words = line.substring(8, line.indexOf('|')).strip().split(" +", -1);
      row = new byte[words.length];
      for (int i = 0; i < words.length; i++) {
        row[i] = (byte) Integer.parseInt(words[i], ROW);
      }
      out.writeBytes(row);
      written += row.length;
    }
    return out.toByteArray();
  }

  /** The bodies' digests. */
  static List<String> digests(String dump) {
    return bodies(dump).stream().map(Curl::sha256).toList();
  }
}
