package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A strict parser of multipart/byteranges bodies (RFC 2046 §5.1.1). */
final class MultipartBody {
  private MultipartBody() {}

  /** A part; {@code fields} are its field lines. */
  @SuppressWarnings("ArrayRecordComponent")
  record Part(List<String> fields, byte[] bytes) {}

  static List<Part> parse(String contentType, byte[] body) {
    String type = "multipart/byteranges; boundary=";
    assertTrue(contentType.startsWith(type), contentType);
    String delimiter = "\r\n--" + contentType.substring(type.length());
    String text = new String(body, StandardCharsets.ISO_8859_1);
    List<Part> parts = new ArrayList<>();
    int from = text.indexOf(delimiter);
    assertEquals(0, from, "nothing stands before the first part");
    while (!text.startsWith("--\r\n", from + delimiter.length())) {
      int fieldsFrom = from + delimiter.length();
      assertTrue(text.startsWith("\r\n", fieldsFrom));
      int bytesFrom = text.indexOf("\r\n\r\n", fieldsFrom) + 4;
      int to = text.indexOf(delimiter, bytesFrom);
      parts.add(
          new Part(
              List.of(text.substring(fieldsFrom + 2, bytesFrom - 4).split("\r\n", -1)),
              Arrays.copyOfRange(body, bytesFrom, to)));
      from = to;
    }
    assertEquals(body.length, from + delimiter.length() + 4, "nothing stands behind the last");
    return parts;
  }
}
