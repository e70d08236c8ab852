package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AcceptLanguageTest {

  private static String normal(String... lines) {
    HeaderFields.Builder fields = HeaderFields.builder();
    for (String line : lines) {
      fields.add("Accept-Language", line);
    }
    return AcceptLanguage.of(fields.build());
  }

  /** RFC 9111 §4.1: the selecting field is normalised in ways that keep its meaning. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = true,
      textBlock =
          """
          case                        | EN-us, De            | de, en-us
          blanks                      | de ,\ten ;q=0.5      | de, en;q=0.5
          order of weights            | en;q=0.5, de         | de, en;q=0.5
          order of equal weights      | fr;q=0.5, en;q=0.5   | en;q=0.5, fr;q=0.5
          order within each weight    | nl, fr;q=0.5, de, en;q=0.5, da | da, de, nl, en;q=0.5, fr;q=0.5
          a shorter tag is before     | de-ch, de            | de, de-ch
          zeros of a weight           | de;q=1.000, en;q=0.50| de, en;q=0.5
          weight without digits       | de;q=1., en;q=0.     | de, en;q=0
          three digits                | de;q=0.005           | de;q=0.005
          refused                     | de;q=0               | de;q=0
          any                         | *;q=0.1, de          | de, *;q=0.1
          the heavier of two          | de;q=0.1, en;q=0.5, de | de, en;q=0.5
          no range                    | de, , x_y, 1a, -, a- | de
          too long a subtag           | abcdefghi, de        | de
          digits later in a tag       | es-419               | es-419
          no weight                   | de;q=2, en;q=x, fr;p=1, it;q=0.1234, nl | nl
          nothing                     | ''                   | ''
          """)
  void bringsWhatMeansTheSameIntoOneForm(String what, String sent, String expected) {
    assertEquals(expected, normal(sent), what);
    assertEquals(expected, normal(expected), what + ", again");
  }

  @Test
  void severalLinesAreOneList() {
    assertEquals("de, fr, en;q=0.5", normal("en;q=0.5, de", "fr"));
  }

  /** RFC 4647 §3.4. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          exact                        | de                   | de
          shortened                    | de-ch-1996           | de
          a singleton goes, too        | zh-hant-x-private    | zh-hant
          the list's tag is not cut    | zh                   | en
          first range that has one     | it, fr, de           | fr
          by weight                    | fr;q=0.2, de;q=0.7   | de
          refused is not looked up     | de;q=0, fr           | fr
          any is the default           | *                    | en
          nothing fits                 | it, nl               | en
          no field                     | ''                   | en
          upper case                   | ZH-HANT-TW           | zh-hant
          """)
  void looksUpTheTagThatServesBest(String what, String sent, String expected) {
    List<String> tags = List.of("en", "de", "fr", "zh-hant");
    AcceptLanguage language = new AcceptLanguage();
    language.begin();
    language.add(sent);
    language.end();
    assertEquals(expected, tags.get(language.lookup(tags)), what);
  }

  @Test
  void whatComesAfterThe32ndRangeDoesNotCount() {
    StringBuilder many = new StringBuilder();
    for (char c = 'a'; c <= 'z'; c++) {
      many.append(c).append("a, ").append(c).append("b, ");
    }
    String first = many.substring(0, 32 * 4 - 2);
    assertEquals(first, normal(many.toString()));
  }

  @Test
  void junkTakesLinearTime() {
    for (String junk : List.of(",", "-", ";q=", "a-", "*", "de;q=0.1,")) {
      assertTimeoutPreemptively(Duration.ofSeconds(5), () -> normal(junk.repeat(200_000)));
    }
  }
}
