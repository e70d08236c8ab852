package io.forebay.server.digest;

import io.forebay.core.http.FieldsView;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.greenbytes.http.sfv.ByteSequenceItem;
import org.greenbytes.http.sfv.ListElement;
import org.greenbytes.http.sfv.ParseException;
import org.greenbytes.http.sfv.Parser;
import org.jspecify.annotations.Nullable;

/** Reads Content-Digest and Repr-Digest: dictionaries of byte sequences (RFC 9530 §2, §3). */
public final class DigestFields {
  public static final String OF_CONTENT = "content-digest";
  public static final String OF_REPRESENTATION = "repr-digest";

  /** A longer field counts as malformed. */
  static final int MAX_LENGTH = 4096;

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
    Map<String, ListElement<?>> members = members(response, lowerCaseName, MAX_LENGTH);
    if (members == null) {
      return List.of();
    }
    List<Expected> all = new ArrayList<>();
    for (DigestAlgorithm algorithm : DigestAlgorithm.values()) {
      ByteBuffer value = value(members, algorithm);
      if (value != null) {
        all.add(new Expected(lowerCaseName, algorithm, value));
      }
    }
    return List.copyOf(all);
  }

  /**
   * The members of a field that is a dictionary; null where it is missing, malformed or too long.
   */
  static @Nullable Map<String, ListElement<?>> members(
      FieldsView fields, String lowerCaseName, int maxLength) {
    String field = fields.combined(lowerCaseName);
    if (field == null || field.length() > maxLength) {
      return null;
    }
    try {
      return Parser.parseDictionary(field).get();
    } catch (ParseException e) {
      return null;
    }
  }

  private static @Nullable ByteBuffer value(
      Map<String, ListElement<?>> members, DigestAlgorithm algorithm) {
    return members.get(algorithm.key()) instanceof ByteSequenceItem bytes ? bytes.get() : null;
  }
}
