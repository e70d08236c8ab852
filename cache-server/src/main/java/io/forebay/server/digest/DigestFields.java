package io.forebay.server.digest;

import io.forebay.core.http.FieldsView;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.greenbytes.http.sfv.ByteSequenceItem;
import org.greenbytes.http.sfv.Dictionary;
import org.greenbytes.http.sfv.ParseException;
import org.greenbytes.http.sfv.Parser;
import org.jspecify.annotations.Nullable;

/** Reads Content-Digest and Repr-Digest: dictionaries of byte sequences (RFC 9530 §2, §3). */
public final class DigestFields {
  public static final String OF_CONTENT = "content-digest";
  public static final String OF_REPRESENTATION = "repr-digest";

  /** A longer field counts as malformed. */
  private static final int MAX_LENGTH = 4096;

  /**
   * What a response says of its body.
   *
   * @param field that says so, in lower case
   * @param value of any length: one of a wrong length is of no body
   */
  public record Expected(String field, DigestAlgorithm algorithm, ByteBuffer value) {}

  private DigestFields() {}

  /**
   * The digests that a field has, by algorithms that are known here; none if it is malformed (RFC
   * 9651 §4.2: such a field is ignored).
   */
  public static List<Expected> of(FieldsView response, String lowerCaseName) {
    String field = response.combined(lowerCaseName);
    if (field == null || field.length() > MAX_LENGTH) {
      return List.of();
    }
    Dictionary dictionary;
    try {
      dictionary = Parser.parseDictionary(field);
    } catch (ParseException e) {
      return List.of();
    }
    List<Expected> all = new ArrayList<>();
    for (DigestAlgorithm algorithm : DigestAlgorithm.values()) {
      ByteBuffer value = value(dictionary, algorithm);
      if (value != null) {
        all.add(new Expected(lowerCaseName, algorithm, value));
      }
    }
    return List.copyOf(all);
  }

  private static @Nullable ByteBuffer value(Dictionary dictionary, DigestAlgorithm algorithm) {
    return dictionary.get().get(algorithm.key()) instanceof ByteSequenceItem bytes
        ? bytes.get()
        : null;
  }
}
