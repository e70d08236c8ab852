package io.forebay.e2e;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** A response as it came over the wire; field lines in order, with lower-case names. */
@SuppressWarnings("ArrayRecordComponent") // Made once, read by tests.
record Response(int status, String statusLine, List<Field> fields, byte[] body) {

  record Field(String name, String value) {}

  boolean has(String name) {
    return fields.stream().anyMatch(field -> field.name().equals(name));
  }

  /** Values of all such fields joined by commas, or empty. */
  String field(String name) {
    return String.join(
        ", ",
        fields.stream()
            .filter(field -> field.name().equals(name.toLowerCase(Locale.ROOT)))
            .map(Field::value)
            .toList());
  }

  String text() {
    return new String(body, StandardCharsets.ISO_8859_1);
  }

  /**
   * Whether Cache-Status says that it came from the cache, or from a fetch that was under way: the
   * last client of a fill has all of the body a moment before the object is in place.
   */
  boolean isHit() {
    return field("cache-status").matches(".*;\\s*(hit|collapsed)\\b.*");
  }

  @Override
  public String toString() {
    String text = body.length > 200 ? body.length + " bytes" : text();
    return statusLine + " " + fields + " " + text;
  }
}
