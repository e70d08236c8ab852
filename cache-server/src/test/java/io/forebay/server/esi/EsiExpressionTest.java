package io.forebay.server.esi;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.SyntheticRequest;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What tests of conditions say of a request, and which texts are none. */
final class EsiExpressionTest {

  private final Variables variables =
      new Variables(
          SyntheticRequest.of(
              "GET",
              "http://shop.example/a?n=10&m=9.50&empty=&t=b&v=3.01.23&neg=-2",
              "Cookie",
              "group=Advanced; text='x'",
              "Accept-Language",
              "de, en;q=0.5",
              "Authorization",
              "Basic secret"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        // The examples of the specification (3.3, 5.1).
        "$(HTTP_COOKIE{group})=='Advanced' ~ true",
        "$(HTTP_HOST) == 'example.com' ~ false",
        "!(1==1) ~ false",
        "!('a'<='c') ~ false",
        "(1==1)|('abc'=='def') ~ true",
        "(4!=5)&(4==5) ~ false",
        // Numbers and text.
        "$(QUERY_STRING{n})>9 ~ true",
        "$(QUERY_STRING{n})>'9' ~ false",
        "$(QUERY_STRING{n})>$(QUERY_STRING{m}) ~ true",
        "$(QUERY_STRING{m})==9.5 ~ true",
        "$(QUERY_STRING{m})=='9.5' ~ false",
        "$(QUERY_STRING{neg})<-1.5 ~ true",
        "$(QUERY_STRING{v})>3 ~ true",
        "$(QUERY_STRING{t})>1 ~ true",
        "'a'<'b' ~ true",
        "'b'<='a' ~ false",
        "'a'>='a' ~ true",
        "'a'!='a' ~ false",
        "007==7 ~ true",
        // What is empty or missing.
        "$(HTTP_COOKIE{none})=='x' ~ false",
        "$(HTTP_COOKIE{none})!='x' ~ false",
        "!($(HTTP_COOKIE{none})=='x') ~ true",
        "$(QUERY_STRING{empty})=='' ~ false",
        "$(HTTP_COOKIE{none}|'x')=='x' ~ true",
        "$(HTTP_HEADER{Authorization}) ~ false",
        "$(NO_SUCH_THING) ~ false",
        // Variables by themselves.
        "$(HTTP_COOKIE{group}) ~ true",
        "!$(HTTP_COOKIE{none}) ~ true",
        "$(HTTP_ACCEPT_LANGUAGE{de}) ~ true",
        "$(HTTP_ACCEPT_LANGUAGE{fr}) ~ false",
        "$(HTTP_ACCEPT_LANGUAGE{fr})=='false' ~ true",
        // Precedence: comparisons, !, &, |.
        "!1==2 ~ true",
        "!1==1&1==2 ~ false",
        "1==1|1==1&1==2 ~ true",
        "(1==1|1==1)&1==2 ~ false",
        "!!(1==1) ~ true",
        "1==2|1==2|1==1 ~ true",
        // Signs within text, blanks.
        "'a&b|c)'=='a&b|c)' ~ true",
        "` \t1 == 1 ` ~ true",
      })
  void aTestSaysWhetherTheRequestIsMeant(String test, boolean holds) {
    EsiExpression expression = EsiExpression.of(test);
    assertEquals(holds, requireNonNull(expression, test).holds(variables), test);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "(1 & 4)",
        "(\"abc\" | \"edf\")",
        "1",
        "'a'",
        "a==b",
        "1=1",
        "1==",
        "==1",
        "1==1==1",
        "1==1 1==1",
        "1==1&",
        "|1==1",
        "1==1&&1==1",
        "1==1||1==1",
        "(1==1",
        "1==1)",
        "()",
        "(1)==1",
        "!",
        "'a==1",
        "'a'=='b",
        "$(A",
        "$()",
        "$(a)",
        "$(A{})",
        "$(A{'b'})",
        "$(A|b c)",
        "$A==1",
        "1.==1",
        "1e3==1",
        "1234567890123456==1",
        "1==1<",
        "$(HTTP_HOST) has 'x'",
        "$(HTTP_HOST) matches 'x'",
        "'\\''=='a'",
      })
  void whatIsNoExpressionIsNotRead(String test) {
    assertNull(EsiExpression.of(test), test);
  }

  @Test
  void lengthOperandsAndDepthAreBounded() {
    String pair = "1==1";
    String many = pair + ("|" + pair).repeat(EsiExpression.MAX_OPERANDS / 2 - 1);
    assertNotNull(EsiExpression.of(many));
    assertNull(EsiExpression.of(many + "|$(A)"));
    int depth = EsiExpression.MAX_DEPTH;
    assertNotNull(EsiExpression.of("(".repeat(depth) + pair + ")".repeat(depth)));
    assertNull(EsiExpression.of("(".repeat(depth + 1) + pair + ")".repeat(depth + 1)));
    assertNotNull(EsiExpression.of("!".repeat(depth) + pair));
    assertNull(EsiExpression.of("!".repeat(depth + 1) + pair));
    String longest = "'" + "x".repeat(EsiExpression.MAX_LENGTH - 5) + "'==1";
    assertNotNull(EsiExpression.of(longest));
    assertNull(EsiExpression.of(longest + "1"));
  }

  @Test
  void randomTextIsReadOrNotAndNeverFails() {
    long seed = Long.getLong("forebay.seed", System.nanoTime());
    System.out.println("seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    String[] words = {
      "1",
      "-2.5",
      "'a'",
      "'",
      "$(HTTP_HOST)",
      "$(QUERY_STRING{n})",
      "$(",
      ")",
      "(",
      "!",
      "&",
      "|",
      "==",
      "!=",
      "<",
      "<=",
      ">",
      ">=",
      "=",
      " ",
      "{",
      "}",
      "a"
    };
    int read = 0;
    for (int round = 0; round < 20_000; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(1, 9); i > 0; i--) {
        text.append(words[random.nextInt(words.length)]);
      }
      EsiExpression expression = EsiExpression.of(text.toString());
      if (expression != null) {
        read++;
        EsiExpression same = requireNonNull(EsiExpression.of("(" + text + ")"), text.toString());
        assertEquals(expression.holds(variables), same.holds(variables), text.toString());
      }
    }
    assertTrue(read > 20, read + " read, seed " + seed);
  }
}
