package io.forebay.core.key;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.SyntheticRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class QueryRecipeTest {

  private static List<String> list(@Nullable String text) {
    return text == null ? List.of() : List.of(text.split(",", -1));
  }

  private static QueryRecipe recipe(
      boolean isSorted, @Nullable String strip, @Nullable String keep) {
    return new QueryRecipe(
        false, isSorted, new NamePatterns(list(strip)), new NamePatterns(list(keep)));
  }

  /** What the key has of a query is what a fill asks for. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          sorted by name              | true  | -            | -    | b=1&a=2&c        | a=2&b=1&c
          one name keeps its order    | true  | -            | -    | b=2&a=9&b=1      | a=9&b=2&b=1
          a name before a longer one  | true  | -            | -    | ab=1&a=2&a.b=3   | a=2&a.b=3&ab=1
          stripped                    | false | utm_*,fbclid | -    | b=1&utm_x=2&fbclid=3&c | b=1&c
          nothing left                | false | utm_*        | -    | utm_x=2&utm_     | -
          a name is whole             | false | fbclid       | -    | fbclid2=1&fbcli  | fbclid2=1&fbcli
          case counts                 | false | utm_*        | -    | UTM_x=1          | UTM_x=1
          an encoding is as written   | false | utm_*        | -    | %75tm_x=1        | %75tm_x=1
          the star needs nothing      | false | a*           | -    | a=1&ab=2&b=3     | b=3
          kept only                   | false | -            | id,p*| id=1&x=2&page=3&p | id=1&page=3&p
          kept but stripped           | false | page         | p*   | page=1&p=2       | p=2
          everything                  | false | *            | -    | a=1&b            | -
          empty parameters go         | true  | -            | -    | &&b=1&&a=2&      | a=2&b=1
          an empty name may stay      | false | x            | -    | =1&a             | =1&a
          a value may have equals     | false | b            | -    | a=b=c&b=c=d      | a=b=c
          an empty query goes         | true  | -            | -    | ''               | -
          none stays none             | true  | -            | -    | -                | -
          """)
  void leavesOutAndSorts(
      String what, boolean isSorted, String strip, String keep, String query, String expected) {
    QueryRecipe recipe = recipe(isSorted, strip, keep);
    assertEquals(expected, recipe.canonical(query), what);
    assertEquals(expected, recipe.canonical(expected), what + ", again");
    KeyBuilder keys = new KeyBuilder(new byte[16]);
    UrlRecipe url = new UrlRecipe(null, true, true, false, recipe);
    String suffix = query == null ? "" : "?" + query;
    assertTrue(
        keys.build(
            SyntheticRequest.of("GET", "http://a/x" + suffix),
            new KeyRecipe(url, FieldRecipe.NONE)));
    assertEquals("http://a:80/x" + (expected == null ? "" : "?" + expected), keys.toString(), what);
  }

  @Test
  void asReceivedNothingChanges() {
    for (String query : List.of("", "&&", "b&a&&utm_x", "=")) {
      assertEquals(query, QueryRecipe.AS_RECEIVED.canonical(query));
    }
    assertNull(new QueryRecipe(true, false, NamePatterns.NONE, NamePatterns.NONE).canonical("a=1"));
  }

  @Test
  void sortsStablyWhateverTheOrder() {
    Random random = new Random(7);
    for (int size = 0; size < 70; size++) {
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        expected.add("n" + (char) ('0' + i / 8) + "=" + i);
      }
      List<String> names = new ArrayList<>(expected);
      Collections.shuffle(names, random);
      // Those of one name stay in the order that the shuffle gave them.
      List<String> sorted = new ArrayList<>(names);
      sorted.sort((a, b) -> a.substring(0, 2).compareTo(b.substring(0, 2)));
      String query = String.join("&", names);
      String wanted = size == 0 ? null : String.join("&", sorted);
      assertEquals(wanted, recipe(true, null, null).canonical(query), query);
    }
  }

  @Test
  void refusesPatternsThatNothingCouldMatch() {
    for (String pattern : List.of("", "a b", "a*b", "**", "a&b", "a=b", "a#", "ü", "a,b")) {
      assertThrows(
          IllegalArgumentException.class, () -> new NamePatterns(List.of(pattern)), pattern);
    }
  }

  @Test
  void manyPatternsCostNoMoreThanTheNameIsLong() {
    List<String> many = IntStream.range(0, 1000).mapToObj(i -> "p" + i + "*").toList();
    NamePatterns patterns = new NamePatterns(many);
    assertTrue(patterns.matches("p9990", 0, 5));
    assertFalse(patterns.matches("q9990", 0, 5));
    String query = "x=1&".repeat(4_000);
    QueryRecipe recipe = new QueryRecipe(false, true, patterns, NamePatterns.NONE);
    assertTimeoutPreemptively(
        Duration.ofSeconds(10),
        () -> {
          for (int i = 0; i < 200; i++) {
            assertEquals(query, recipe.canonical(query) + "&");
          }
        });
  }
}
