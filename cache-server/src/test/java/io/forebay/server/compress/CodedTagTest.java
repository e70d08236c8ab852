package io.forebay.server.compress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Entity tags of coded responses and the way back. */
final class CodedTagTest {

  @ParameterizedTest
  @ValueSource(strings = {"\"abc\"", "W/\"abc\"", "\"\"", "\"a-br\"", "\"a,b\""})
  void aSuffixNamesCodingLevelAndVersionAndComesOffAgain(String tag) {
    for (ContentCoding coding : ContentCoding.values()) {
      String coded = CodedTag.add(tag, coding, 11);
      assertEquals(tag.substring(0, tag.length() - 1) + "-" + coding.token() + "11.1\"", coded);
      assertEquals(coding, CodedTag.coding(coded));
      assertEquals(tag, CodedTag.strip(coded));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"abc\"",
        "\"abc-br\"",
        "\"abc-br5\"",
        "\"abc-br5.\"",
        "\"abc-br.1\"",
        "\"abcbr5.1\"",
        "\"abc-lz4.1\"",
        "\"abc-br5.1",
        "abc",
        "",
        "\"",
        "\"-5.1\"",
        "br5.1\""
      })
  void othersHaveNoSuffix(String tag) {
    assertNull(CodedTag.coding(tag));
    assertEquals(tag, CodedTag.strip(tag));
  }

  @ParameterizedTest
  @EnumSource(DeltaCoding.class)
  void aTagOfADeltaNamesItsDictionaryToo(DeltaCoding coding) {
    byte[] hash = new byte[32];
    hash[7] = 42;
    byte[] other = new byte[32];
    other[7] = 43;
    String tag = "\"abc" + CodedTag.suffix(coding, 9, hash) + "77\"";
    assertEquals("\"abc-" + coding.token() + "9.1000000004277\"", tag);
    assertEquals("\"abc\"", CodedTag.strip(tag));
    assertEquals(coding, CodedTag.delta(tag, hash));
    assertNull(CodedTag.delta(tag, other));
    assertNull(CodedTag.coding(tag), "no coding that a client could take without it");
    assertNull(CodedTag.delta("\"abc\"", hash));
    assertNull(CodedTag.delta("\"abc-br9.1000000004277\"", hash));
    assertEquals(tag + ", \"abc\"", CodedTag.withStripped(tag));
  }

  @ParameterizedTest
  @ValueSource(strings = {"abc", "", "\"", "abc\""})
  void whatIsNoTagGetsNone(String tag) {
    assertEquals(tag, CodedTag.add(tag, ContentCoding.BR, 4));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {
        "* | *",
        "\"a\", \"b\" | \"a\", \"b\"",
        "\"a-br4.1\" | \"a-br4.1\", \"a\"",
        "W/\"a-br4.1\", \"b\" | W/\"a-br4.1\", \"b\", W/\"a\"",
        "\"a-br4.1\", \"a\" | \"a-br4.1\", \"a\"",
        "\"a-br4.1\", \"b-gzip6.1\" | \"a-br4.1\", \"b-gzip6.1\", \"a\", \"b\"",
        "\"a-br4.1 | \"a-br4.1",
      })
  void anOriginIsAskedForTheTagsThatItKnowsToo(String list, String asked) {
    assertEquals(asked, CodedTag.withStripped(list));
  }

  @Test
  void theCodedFormIsTheOneThatTheClientHas() {
    assertEquals("\"a-br4.1\"", CodedTag.codedFormOf("\"a\"", "\"x\", \"a-br4.1\""));
    assertEquals("W/\"a-br4.1\"", CodedTag.codedFormOf("\"a\"", "W/\"a-br4.1\""));
    assertEquals("\"a-br4.1\"", CodedTag.codedFormOf("W/\"a\"", "\"a-br4.1\", \"a-br5.1\""));
    assertNull(CodedTag.codedFormOf("\"a\"", "\"a-br4.1\", \"a\""));
    assertNull(CodedTag.codedFormOf("\"b\"", "\"a-br4.1\""));
    assertNull(CodedTag.codedFormOf("\"a\"", "*"));
  }
}
