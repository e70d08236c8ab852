package io.forebay.server.text;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LinearRegexTest {

  @Test
  void sizesOfExpressionsAreSeenBeforeTheyAreCompiled() {
    assertTrue(LinearRegex.size("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}") < 80);
    assertTrue(LinearRegex.size("^/img/(thumb|full)/.*\\.(png|jpe?g)$") < 80);
    assertTrue(LinearRegex.size("[]{500}]\\{500}") < 10, "those are no repetitions");
    assertTrue(LinearRegex.size("(a{100}){100}") > LinearRegex.MAX_SIZE);
    assertTrue(LinearRegex.size("(((a{9}){9}){9}){9}") > LinearRegex.MAX_SIZE);
    assertTrue(LinearRegex.size("(".repeat(300) + "a" + "{9})".repeat(300)) > 0);
    assertThrows(
        IllegalArgumentException.class,
        () -> LinearRegex.of("x".repeat(LinearRegex.MAX_LENGTH + 1)));
  }

  /** With a backtracking engine this takes longer than the universe is old. */
  @Test
  void noExpressionHurts() {
    String evil = "a".repeat(2000) + "b";
    assertFalse(LinearRegex.of("^(a+)+$").isFoundIn(evil));
    assertFalse(LinearRegex.of("^(a|aa)+$").isFoundIn(evil));
    assertFalse(LinearRegex.of("^(.*a){12}$").isFoundIn(evil));
  }

  @ParameterizedTest
  @CsvSource({
    "^/old/(.*)$, /old/",
    "^/a\\.b[0-9], /a.b",
    "^/ab*c, /a",
    "^/ab?, /a",
    "^/ab{0}c, /a",
    "^/ab+c, /ab",
    "^/ab(?)*c, /a",
    "^/a$, /a",
    "^(/a|/b), ''",
    "^/a(b|c), /a",
    "^/a|/b, ''",
    "^/a[(]|/b, ''",
    "^/a\\(|/b, ''",
    "^/a[|]b, /a",
    "^/a\\d, /a",
    "^\\Q/a\\E*, ''",
    "/a, ''",
    "(?i)^/a, ''",
  })
  void whatEverythingItIsFoundInBeginsWithIsKnown(String expression, String prefix) {
    assertEquals(prefix, LinearRegex.of(expression).literalPrefix());
  }

  @Test
  void nothingIsFoundInWhatBeginsOtherwise() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 20_000; i++) {
      String expression = "^" + text(random, "ab|()*?+[]\\\\{1}", 9);
      String text = text(random, "ab()", 5);
      LinearRegex regex;
      try {
        regex = LinearRegex.of(expression);
      } catch (IllegalArgumentException e) {
        continue;
      }
      assertTrue(
          text.startsWith(regex.literalPrefix()) || !regex.isFoundIn(text),
          () -> expression + " " + text + " seed " + seed);
    }
  }

  private static String text(SplittableRandom random, String letters, int most) {
    StringBuilder text = new StringBuilder();
    for (int length = random.nextInt(most); length > 0; length--) {
      text.append(letters.charAt(random.nextInt(letters.length())));
    }
    return text.toString();
  }

  @Test
  void groupsThatTookNoPartAreEmpty() {
    LinearRegex regex = LinearRegex.of("^/(a)?(b)");
    assertArrayEquals(new String[] {"/b", "", "b"}, regex.captures("/bc"));
    assertNull(regex.captures("/c"));
  }
}
