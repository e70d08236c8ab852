package io.forebay.server.fill;

import java.util.Arrays;

/**
 * The bytes that the server stores with each head record, opaque to the store.
 *
 * <pre>
 *   0                     meta.length()
 *   +---------------------+-------------------------------+
 *   | StoredMeta          | field lines, name: value CRLF |
 *   +---------------------+-------------------------------+
 * </pre>
 */
final class HeadBytes {
  private HeadBytes() {}

  static byte[] join(byte[] meta, byte[] block) {
    byte[] bytes = Arrays.copyOf(meta, meta.length + block.length);
    System.arraycopy(block, 0, bytes, meta.length, block.length);
    return bytes;
  }
}
