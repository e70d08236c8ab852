package io.forebay.core.key;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.SyntheticRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class KeyBuilderTest {

  private final KeyBuilder keys = new KeyBuilder(new byte[16]);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          http://example.com/            | http://example.com:80/
          https://example.com/           | https://example.com:443/
          http://Example.COM:80/a        | http://example.com:80/a
          https://example.com:80/a       | https://example.com:80/a
          http://127.0.0.1:8080/x        | http://127.0.0.1:8080/x
          http://[::1]/x                 | http://[::1]:80/x
          https://[::1]:8443/x?          | https://[::1]:8443/x?
          http://example.com/x?b=2&a=1   | http://example.com:80/x?b=2&a=1
          http://example.com/%7ex/../y   | http://example.com:80/y
          http://example.com/a%2fb       | http://example.com:80/a%2Fb
          """)
  void writesTheCanonicalText(String url, String text) {
    assertTrue(keys.build(SyntheticRequest.of("GET", url), KeyRecipe.DEFAULT));
    assertEquals(text, keys.toString());
    assertEquals(text.length(), keys.textLength());
    assertEquals(text.length(), keys.baseLength());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          gzip, deflate, br              | br, gzip
          br;q=1.0, gzip;q=0.8, *;q=0.1  | br, gzip
          GZIP                           | gzip
          x-gzip                         | gzip
          gzip;q=0                       | identity
          gzip;q=0.000, br;q=0.001       | br
          zstd,br,gzip                   | br, gzip, zstd
          *                              | identity
          identity;q=0                   | identity;q=0
          *;q=0                          | identity;q=0
          gzip, *;q=0                    | gzip, identity;q=0
          gzip, identity, *;q=0          | gzip
          gzip;q=0, identity;q=0, *      | br, zstd, identity;q=0
          br, *;q=0.001, identity;q=0    | br, gzip, zstd, identity;q=0
          identity                       | identity
          gzip;q=junk                    | identity
          gzip;level=9                   | identity
          ,,,;;;"gzip                    | identity
          gzipx, xbr                     | identity
          """)
  void junkAndSpellingsOfAcceptEncodingFallIntoSixteenClasses(String sent, String expected) {
    SyntheticRequest request = SyntheticRequest.of("GET", "http://a/", "Accept-Encoding", sent);
    assertTrue(keys.build(request, KeyRecipe.DEFAULT));
    assertTrue(keys.variant(request, List.of("accept-encoding")));
    assertEquals("http://a:80/ accept-encoding=\"" + expected + "\"", keys.toString());
  }

  @Test
  void severalLinesOfAcceptEncodingCountTogether() {
    SyntheticRequest request =
        SyntheticRequest.of("GET", "http://a/", "Accept-Encoding", "gzip", "accept-encoding", "br");
    assertTrue(keys.build(request, KeyRecipe.DEFAULT));
    assertTrue(keys.variant(request, List.of("accept-encoding")));
    assertEquals("http://a:80/ accept-encoding=\"br, gzip\"", keys.toString());
  }

  @Test
  void selectingFieldsAreFoldedAndJoined() {
    SyntheticRequest request =
        SyntheticRequest.of(
            "GET", "http://a/", "Accept-Language", "de,  \t en", "X", "1", "accept-language", "fr");
    assertTrue(keys.build(request, KeyRecipe.DEFAULT));
    long baseHi = keys.hi();
    assertTrue(keys.variant(request, List.of("accept-language", "y")));
    assertEquals("http://a:80/ accept-language=\"de, en, fr\" y", keys.toString());
    assertEquals("http://a:80/".length(), keys.baseLength());
    assertNotEquals(baseHi, keys.hi());
  }

  /** RFC 9110 §5.6.1: blanks around the commas of a list mean nothing, but in a quoted string. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          1,2              | 1,2
          1 ,\t2           | 1,2
          a  b , c;d = 1,  | a b,c;d = 1,
          , a              | ,a
          "x , y" , z      | \\"x , y\\",z
          "x\\" , y" , z    | \\"x\\\\\\" , y\\",z
          "x , y           | \\"x , y
          """)
  void aSelectingFieldIsComparedWithoutTheBlanksOfItsList(String sent, String expected) {
    SyntheticRequest request = SyntheticRequest.of("GET", "http://a/", "X", sent);
    assertTrue(keys.build(request, KeyRecipe.DEFAULT));
    assertTrue(keys.variant(request, List.of("x")));
    assertEquals("http://a:80/ x=\"" + expected + "\"", keys.toString());
  }

  @Test
  void linesOfASelectingFieldAreOneList() {
    SyntheticRequest request = SyntheticRequest.of("GET", "http://a/", "X", "1", "X", "2");
    assertTrue(keys.build(request, KeyRecipe.DEFAULT));
    assertTrue(keys.variant(request, List.of("x")));
    assertEquals("http://a:80/ x=\"1,2\"", keys.toString());
  }

  @Test
  void credentialsAreNoList() {
    SyntheticRequest request =
        SyntheticRequest.of("GET", "http://a/", "Authorization", "D a=1, b=2");
    assertTrue(keys.build(request, KeyRecipe.DEFAULT));
    assertTrue(keys.variant(request, List.of("authorization")));
    assertEquals("http://a:80/ authorization=\"D a=1, b=2\"", keys.toString());
  }

  @Test
  void absentAndEmptyAndQuotedValuesAreDifferentVariants() {
    Map<String, SyntheticRequest> byText = new HashMap<>();
    List<SyntheticRequest> requests =
        List.of(
            SyntheticRequest.of("GET", "http://a/"),
            SyntheticRequest.of("GET", "http://a/", "x", ""),
            SyntheticRequest.of("GET", "http://a/", "x", "\" y=\"1"),
            SyntheticRequest.of("GET", "http://a/", "x", "", "y", "1"),
            SyntheticRequest.of("GET", "http://a/", "x", "\\\" y=\\\"1"));
    for (SyntheticRequest request : requests) {
      assertTrue(keys.build(request, KeyRecipe.DEFAULT));
      assertTrue(keys.variant(request, List.of("x", "y")));
      byText.put(keys.toString(), request);
    }
    assertEquals(requests.size(), byText.size(), byText.toString());
  }

  @Test
  void variantCanBeBuiltAgainFromTheSameBase() {
    SyntheticRequest request = SyntheticRequest.of("GET", "http://a/", "x", "1");
    assertTrue(keys.build(request, KeyRecipe.DEFAULT));
    assertTrue(keys.variant(request, List.of("x", "y")));
    assertTrue(keys.variant(request, List.of("x")));
    assertEquals("http://a:80/ x=\"1\"", keys.toString());
  }

  @Test
  void refusesWhatIsLongerThanTheBoundAndWorksOnAfterwards() {
    String longest = "http://a/" + "x".repeat(KeyBuilder.MAX_LENGTH - "http://a:80/".length());
    assertTrue(keys.build(SyntheticRequest.of("GET", longest), KeyRecipe.DEFAULT));
    assertEquals(KeyBuilder.MAX_LENGTH, keys.textLength());
    assertFalse(keys.build(SyntheticRequest.of("GET", longest + "x"), KeyRecipe.DEFAULT));
    SyntheticRequest request = SyntheticRequest.of("GET", "http://a/", "x", "1".repeat(20_000));
    assertTrue(keys.build(request, KeyRecipe.DEFAULT));
    assertFalse(keys.variant(request, List.of("x")));
    assertTrue(keys.variant(request, List.of("y")));
    assertEquals("http://a:80/ y", keys.toString());
  }

  @Test
  void hashIsThatOfTheText() {
    SipHash128 hash = new SipHash128(new byte[16]);
    assertTrue(keys.build(SyntheticRequest.of("GET", "http://a/b?c"), KeyRecipe.DEFAULT));
    hash.hash(keys.text(), 0, keys.textLength());
    assertEquals(hash.hi(), keys.hi());
    assertEquals(hash.lo(), keys.lo());
  }

  @Test
  void differentRequestsNeverShareAText() {
    long seed = 20_260_101;
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    Map<String, List<Object>> seen = new HashMap<>();
    String[] pieces = {"", "a", "\"", "\\", " ", ",", "=", "b", "\" b=\""};
    for (int i = 0; i < 20_000; i++) {
      List<Object> identity = new ArrayList<>();
      List<String> fields = new ArrayList<>();
      for (String name : List.of("a", "b")) {
        if (random.nextBoolean()) {
          String value =
              (pieces[random.nextInt(pieces.length)] + pieces[random.nextInt(pieces.length)])
                  .strip()
                  .replaceAll(" +", " ");
          fields.add(name);
          fields.add(value);
          identity.add(name + ":" + value);
        }
      }
      SyntheticRequest request =
          SyntheticRequest.of("GET", "http://h/", fields.toArray(new String[0]));
      assertTrue(keys.build(request, KeyRecipe.DEFAULT));
      assertTrue(keys.variant(request, List.of("a", "b")));
      List<Object> other = seen.putIfAbsent(keys.toString(), identity);
      assertTrue(other == null || other.equals(identity), "seed " + seed + ": " + keys);
    }
  }

  @Test
  void textSurvivesInTheArrayItIsReadFrom() {
    assertTrue(keys.build(SyntheticRequest.of("GET", "http://a/b"), KeyRecipe.DEFAULT));
    byte[] expected = "http://a:80/b".getBytes(StandardCharsets.US_ASCII);
    assertArrayEquals(expected, Arrays.copyOf(keys.text(), keys.textLength()));
  }
}
