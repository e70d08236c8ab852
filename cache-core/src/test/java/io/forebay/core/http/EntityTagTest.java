package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class EntityTagTest {

  /** The table of RFC 9110 §8.8.3.2. */
  @ParameterizedTest
  @CsvSource({
    "W/\"1\", W/\"1\", false, true",
    "W/\"1\", W/\"2\", false, false",
    "W/\"1\", \"1\",   false, true",
    "\"1\",   \"1\",   true,  true",
    "\"\",    \"\",    true,  true",
    "1,       1,       false, false",
    "\"1\",   1,       false, false",
    "w/\"1\", w/\"1\", false, false"
  })
  void compares(String a, String b, boolean strong, boolean weak) {
    assertEquals(strong, EntityTag.strongEquals(a, b));
    assertEquals(strong, EntityTag.strongEquals(b, a));
    assertEquals(weak, EntityTag.weakEquals(a, b));
    assertEquals(weak, EntityTag.weakEquals(b, a));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "\"", "W/", "W/\"", "\"a", "a\"", "\"a\"b", "\"a b\"", "\"a\n\"", "W\"a\"", " \"a\""
      })
  void refusesWhatIsNoTag(String text) {
    assertFalse(EntityTag.isValid(text));
  }

  /** RFC 9110 §13.1.1, §13.1.2. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "a"                   | "a"   | true  | true
          "b", "a"              | "a"   | true  | true
          "b","a","c"           | "a"   | true  | true
          W/"a"                 | "a"   | false | true
          "a"                   | W/"a" | false | true
          "b, c", "a"           | "a"   | true  | true
          "b, "a"               | "a"   | true  | true
          junk, "a"             | "a"   | true  | true
          ,,"a",,               | "a"   | true  | true
          "ab"                  | "a"   | false | false
          a                     | "a"   | false | false
          "a                    | "a"   | false | false
          junk "a"              | "a"   | false | false
          "a"                   | a     | false | false
          """)
  void findsATagInAList(String list, String tag, boolean strong, boolean weak) {
    assertEquals(strong, EntityTag.listContains(list, tag, true));
    assertEquals(weak, EntityTag.listContains(list, tag, false));
  }

  @Test
  void hostileListsTakeLinearTime() {
    for (String piece : new String[] {",", "\"", "W/", "W/\"a", "\"a\",", "a\" "}) {
      String list = piece.repeat(2_000_000 / piece.length());
      assertTimeoutPreemptively(
          Duration.ofSeconds(5), () -> EntityTag.listContains(list, "\"zz\"", false));
    }
  }
}
