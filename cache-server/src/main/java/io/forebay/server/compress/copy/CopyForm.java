package io.forebay.server.compress.copy;

import io.forebay.core.key.KeyBuilder;
import io.forebay.server.compress.CodedTag;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.compress.DeltaCoding;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * One of the copies that a response may have: what tells its key, its entity tag and the jobs that
 * make it apart from those of the others.
 */
public final class CopyForm {

  /** Less than 128; from here on of deltas. */
  private static final int DELTAS = 120;

  private static final int DICTIONARY = 127;

  private final String coding;
  private final byte[] keyText;
  private final String tagSuffix;
  private final int number;
  private final long salt;
  private final boolean isDelta;

  private CopyForm(
      String coding, String keyText, String tagSuffix, int number, long salt, boolean isDelta) {
    this.coding = coding;
    this.keyText = keyText.getBytes(StandardCharsets.US_ASCII);
    this.tagSuffix = tagSuffix;
    this.number = number;
    this.salt = salt;
    this.isDelta = isDelta;
  }

  /** In a coding at a level: both stand in key and tag, so other settings find other copies. */
  static CopyForm of(ContentCoding coding, int level) {
    String suffix = CodedTag.suffix(coding, level);
    // Without the hyphen that it begins with.
    return new CopyForm(
        coding.token(), suffix.substring(1), suffix, CopyKeys.number(coding, level), 0, false);
  }

  /**
   * As a delta: its key has the whole hash of the dictionary.
   *
   * @param dictionaryHash SHA-256
   */
  public static CopyForm of(DeltaCoding coding, int level, byte[] dictionaryHash) {
    String suffix = CodedTag.suffix(coding, level, dictionaryHash);
    String key =
        CodedTag.suffix(coding.encoder(), level).replace(coding.encoder().token(), coding.token());
    return new CopyForm(
        coding.token(),
        key.substring(1)
            + "="
            + Base64.getUrlEncoder().withoutPadding().encodeToString(dictionaryHash),
        suffix,
        DELTAS + coding.ordinal(),
        ByteBuffer.wrap(dictionaryHash).getLong(),
        true);
  }

  /** As in Content-Encoding. */
  String coding() {
    return coding;
  }

  /** What stands behind the colon in its key. */
  byte[] keyText() {
    return keyText;
  }

  /** Length of what its key has behind that of its source. */
  public int keySuffixLength() {
    return KeyBuilder.codedLength(keyText);
  }

  /**
   * A number by which a loop links the copy with its source: of the form, and of the least length
   * by which the source was found to have copies.
   */
  public long link(CompressionSettings settings) {
    return numberOf(settings.minBytes(), number);
  }

  boolean isDelta() {
    return isDelta;
  }

  /**
   * The suffix of a copy's tag. Its last number is another one for each copy that is made: the
   * bytes may depend on how the body came, so the same tag of two copies would not be a strong one.
   *
   * @param copyNumber any number that no other copy has
   */
  String tagSuffix(long copyNumber) {
    return tagSuffix + copyNumber;
  }

  /** The number of the copy of a response, for {@link CopyRegistry}. */
  long numberOf(long objectId) {
    return numberOf(objectId, number) ^ salt;
  }

  /** A number of what is about an object. */
  static long numberOf(long objectId, int number) {
    return objectId << 7 | number;
  }

  /** The number of what is known of an object as a dictionary. */
  public static long numberOfDictionary(long objectId) {
    return numberOf(objectId, DICTIONARY);
  }
}
