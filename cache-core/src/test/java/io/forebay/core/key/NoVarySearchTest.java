package io.forebay.core.key;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.SyntheticRequest;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NoVarySearchTest {

  private static @Nullable NoVarySearch of(String field) {
    return NoVarySearch.of(HeaderFields.of("no-vary-search", field));
  }

  /** The draft, §4: which fields say something, and what. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      textBlock =
          """
          key-order                           | s-
          key-order=?1                        | s-
          key-order=?0                        | -
          params                              | o+
          params=?0                           | -
          params=("a")                        | o-a
          params=("b" "a" "b")                | o-a!b
          params=()                           | -
          params=("a b" "a+b" "a%20b" "%c3%A4") | o-%C3%A4!a%20b
          key-order, params=("a")             | s-a
          params, except=("id")               | o+id
          params=?1, except=("id" "page"), key-order | s+id!page
          except=("id"), params               | o+id
          params, except=()                   | o+
          except=("id")                       | -
          params=("a"), except=("id")         | -
          params=?0, except=("id")            | -
          params, except                      | -
          params, except="id"                 | -
          params="a"                          | -
          params=(a)                          | -
          params=("a" 1)                      | -
          params=1                            | -
          key-order=1                         | -
          key-order, unknown                  | -
          key-order;x=1, params=("a";y=2);z   | s-a
          params=("a                          | -
          Params                              | -
          params=("ü")                        | -
          ``                                  | -
          """)
  void saysWhatDoesNotMatter(String field, @Nullable String text) {
    NoVarySearch rule = of(field);
    assertEquals(text, rule == null ? null : rule.text());
    if (rule != null) {
      assertEquals(text, Objects.requireNonNull(NoVarySearch.parse(rule.text())).text());
    }
  }

  /** The draft, §6: two queries are equivalent if what is left of them is the same. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      nullValues = "-",
      textBlock =
          """
          key-order             | b=2&a=1&a=0      | a=1&a=0&b=2
          key-order             | a&b              | a=&b=
          params=("a")          | a=1&b=2&%61=3    | b=2
          params=("a")          | a=1              | -
          params=("a")          | A=1              | A=1
          params=("a")          | -                | -
          params=("a")          | b=2&c=1          | b=2&c=1
          params                | a=1&b=2          | -
          params, except=("id") | x=1&id=7&y&id=8  | id=7&id=8
          params=("a b")        | a+b=1&a%20b=2&ab | ab=
          params=("x")          | q=a+b            | q=a%20b
          params=("x")          | q=a%2Bb          | q=a%2Bb
          params=("x")          | q=%2g&%=%        | q=%252g&%25=%25
          params=("x")          | &&a=1&&          | a=1
          params=("x")          | a=b=c            | a=b%3Dc
          params=("x")          | =1               | =1
          """)
  void reducesAQueryToWhatMatters(String field, @Nullable String query, @Nullable String reduced) {
    NoVarySearch rule = Objects.requireNonNull(of(field));
    assertEquals(reduced, rule.reduced(query));
    assertEquals(reduced, rule.reduced(reduced), "again");
  }

  @Test
  void severalLinesAreOneDictionaryAndTheLastOfAKeyCounts() {
    HeaderFields fields =
        HeaderFields.of("no-vary-search", "params=(\"a\")", "No-Vary-Search", "key-order, params");
    assertEquals("s+", Objects.requireNonNull(NoVarySearch.of(fields)).text());
  }

  private static boolean isRule(String field) {
    return of(field) != null;
  }

  @Test
  void isBoundedAndLinear() {
    assertNotNull(of("params=(\"" + "a".repeat(700) + "\")"));
    assertNull(of("params=(\"" + "a".repeat(800) + "\")"));
    for (String junk : List.of(",", "(", "a,", "params=(\"a\"),", "params=(\"%")) {
      assertTimeoutPreemptively(Duration.ofSeconds(5), () -> isRule(junk.repeat(2_000_000)));
      String most = junk.repeat(4096 / junk.length());
      assertTimeoutPreemptively(Duration.ofSeconds(5), () -> isRule(most));
    }
    NoVarySearch rule = Objects.requireNonNull(of("key-order"));
    assertTimeoutPreemptively(
        Duration.ofSeconds(5), () -> assertNotNull(rule.reduced("b&a%".repeat(100_000) + "%")));
  }

  @Test
  void aReducedKeyIsNoneOfAQueryThatLooksLikeIt() {
    KeyBuilder keys = new KeyBuilder(new byte[16]);
    KeyRecipe stripping =
        new KeyRecipe(
            new UrlRecipe(
                null,
                true,
                true,
                false,
                new QueryRecipe(
                    false, false, new NamePatterns(List.of("utm_*")), NamePatterns.NONE)),
            FieldRecipe.NONE,
            64,
            true,
            false);
    NoVarySearch rule = Objects.requireNonNull(of("params=(\"a\")"));
    SyntheticRequest request = SyntheticRequest.of("GET", "http://h/p?a=1&%75tm_x=2&b=3&utm_y");
    assertTrue(keys.build(request, stripping, rule));
    // Encoded it was no parameter to strip, so the origin has seen it, and it counts.
    assertEquals("http://h:80/p?utm_x=2&b=3#n=o-a", keys.toString());
    String reduced = keys.toString();
    assertTrue(keys.build(SyntheticRequest.of("GET", "http://h/p?utm_x=2&b=3"), KeyRecipe.DEFAULT));
    assertNotEquals(reduced, keys.toString());
    assertTrue(keys.buildSearchRule(request.target(), stripping));
    assertEquals("http://h:80/p#?", keys.toString());
  }
}
