package io.forebay.server.compress.copy;

import io.forebay.core.key.KeyBuilder;
import io.forebay.server.compress.CodedTag;
import io.forebay.server.compress.CodingLevels;
import io.forebay.server.compress.ContentCoding;
import java.nio.charset.StandardCharsets;

/**
 * What tells the keys of the coded copies of a response apart: coding, level and version of the
 * encoder, as in their entity tags. So a copy that was made by other settings is not found.
 */
public final class CopyKeys {
  private static final int LEVELS = 32;

  private static final byte[][] TEXTS = texts();

  private CopyKeys() {}

  private static byte[][] texts() {
    byte[][] texts = new byte[ContentCoding.values().length * LEVELS][];
    for (ContentCoding coding : ContentCoding.values()) {
      for (int level = 0; level < LEVELS; level++) {
        // Without the hyphen that it begins with.
        texts[number(coding, level)] =
            CodedTag.suffix(coding, level).substring(1).getBytes(StandardCharsets.US_ASCII);
      }
    }
    return texts;
  }

  /** The number of a coding at a level: less than 128. */
  static int number(ContentCoding coding, int level) {
    return coding.ordinal() * LEVELS + level;
  }

  /**
   * Turns a response's key, built last, into that of a copy; {@link KeyBuilder#uncoded} goes back.
   * False where it is too long. Allocates nothing.
   */
  public static boolean build(KeyBuilder keys, ContentCoding coding, CodingLevels levels) {
    return keys.coded(TEXTS[number(coding, levels.of(coding))]);
  }
}
