package io.forebay.server.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GlobTest {

  @ParameterizedTest
  @CsvSource({
    "/a*, /a, true",
    "/a*, /a/b/c, true",
    "/a*, /b, false",
    "*.js, /x/y.js, true",
    "*.js, /x/y.json, false",
    "/a/*/c, /a/b/b/c, true",
    "/a/*/c, /a/c, false",
    "/?, /a, true",
    "/?, /, false",
    "**, '', true",
    "a*b*c, aXbXbXc, true",
    "a*b*c, aXbXbX, false",
  })
  void starsStandForAnythingAndQuestionMarksForOne(String glob, String text, boolean matches) {
    assertEquals(matches, Glob.of(glob).matches("<" + text + ">", 1, 1 + text.length()));
  }

  @Test
  void itAgreesWithARegularExpression() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 20_000; i++) {
      String pattern = text(random, "ab*?", 8);
      String text = text(random, "ab", 10);
      String regex = pattern.replace("*", ".*").replace('?', '.');
      assertEquals(
          Pattern.matches(regex, text),
          Glob.of(pattern).matches(text, 0, text.length()),
          () -> pattern + " " + text + " seed " + seed);
    }
  }

  private static String text(SplittableRandom random, String letters, int most) {
    StringBuilder text = new StringBuilder();
    for (int length = random.nextInt(most); length > 0; length--) {
      text.append(letters.charAt(random.nextInt(letters.length())));
    }
    return text.toString();
  }
}
