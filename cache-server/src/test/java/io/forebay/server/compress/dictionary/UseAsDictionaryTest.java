package io.forebay.server.compress.dictionary;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The field among the lines of a stored response. */
final class UseAsDictionaryTest {

  private static @Nullable String value(String lines) {
    byte[] bytes = ("xx" + lines + "use-as-dictionary: behind").getBytes(StandardCharsets.US_ASCII);
    return UseAsDictionary.value(MemorySegment.ofArray(bytes), 2, lines.length());
  }

  @Test
  void isFoundAtTheBeginningOfALineOnly() {
    assertEquals("match=\"/a\"", value("use-as-dictionary: match=\"/a\"\r\na: b\r\n"));
    assertEquals("match=\"/a\"", value("a: b\r\nuse-as-dictionary: match=\"/a\"\r\n"));
    assertEquals("1", value("use-as-dictionary: 1\r\nuse-as-dictionary: 2\r\n"));
    assertNull(value("a: use-as-dictionary: 1\r\n"));
    assertNull(value("use-as-dictionary-x: 1\r\n"));
    assertNull(value("x-use-as-dictionary: 1\r\n"));
    assertNull(value(""));
    assertNull(value("a"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {
        "match=\"/a\" | true",
        "match=\"/a\", type=raw | true",
        "type=raw;x=1, match=\"/a\" | true",
        "match=\"/a\", type=other | false",
        "match=\"/a\",type=other | false",
        "type=other, type=raw, match=\"/a\" | true",
        "match=\"/a, type=other\" | true",
        "match=\"/\\\", type=other\" | true",
        "match=\"/a\", type | false",
        "match=\"/a\", type=rawer | false",
      })
  void onlyRawBytesAreADictionary(String value, boolean isRaw) {
    assertEquals(isRaw, UseAsDictionary.isRaw(value));
  }
}
