package io.forebay.server.compress.copy;

import io.forebay.core.key.KeyBuilder;
import io.forebay.server.compress.CodingLevels;
import io.forebay.server.compress.ContentCoding;

/**
 * What tells the keys of the coded copies of a response apart: coding, level and version of the
 * encoder, as in their entity tags. So a copy that was made by other settings is not found.
 */
public final class CopyKeys {
  private static final int LEVELS = 32;

  private static final CopyForm[] FORMS = forms();

  private CopyKeys() {}

  private static CopyForm[] forms() {
    CopyForm[] forms = new CopyForm[ContentCoding.values().length * LEVELS];
    for (ContentCoding coding : ContentCoding.values()) {
      for (int level = 0; level < LEVELS; level++) {
        forms[number(coding, level)] = CopyForm.of(coding, level);
      }
    }
    return forms;
  }

  /** The number of a coding at a level: less than 96. */
  static int number(ContentCoding coding, int level) {
    return coding.ordinal() * LEVELS + level;
  }

  /** The copy in a coding. Allocates nothing. */
  public static CopyForm form(ContentCoding coding, CodingLevels levels) {
    return FORMS[number(coding, levels.of(coding))];
  }

  /**
   * Turns a response's key, built last, into that of a copy; {@link KeyBuilder#uncoded} goes back.
   * False where it is too long. Allocates nothing.
   */
  public static boolean build(KeyBuilder keys, ContentCoding coding, CodingLevels levels) {
    return build(keys, form(coding, levels));
  }

  /** The same for any copy. */
  public static boolean build(KeyBuilder keys, CopyForm form) {
    return keys.coded(form.keyText());
  }
}
