package io.forebay.core.key;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.http.TargetUri;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ScopesTest {

  private final Scopes scopes = new Scopes(new byte[16]);

  private boolean kills(long[] purge, long[] response) {
    return Arrays.stream(purge)
        .anyMatch(scope -> Arrays.stream(response).anyMatch(s -> s == scope));
  }

  private long[] of(String url, String... fields) {
    return scopes.ofResponse(
        SyntheticRequest.of("GET", url),
        KeyRecipe.DEFAULT,
        ResponseTags.of(HeaderFields.of(fields)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          http://127.0.0.1:8080/x    | http://127.0.0.1:8080/x   | true
          http://example.com/x       | http://EXAMPLE.com:80/x   | true
          http://example.com/x       | http://example.com/%78    | true
          http://example.com/x       | http://example.com/a/../x | true
          http://example.com/x       | example.com/x             | true
          https://example.com/x      | example.com/x             | true
          https://example.com/x      | //example.com/x           | true
          https://example.com/x      | http://example.com/x      | false
          http://example.com/x       | http://example.com/x?     | false
          http://example.com/x?a     | http://example.com/x?a    | true
          http://example.com/x?a     | http://example.com/x      | false
          http://example.com/        | http://example.com        | true
          http://example.com/        | example.com               | true
          http://example.com:8080/x  | example.com:8080/x        | true
          http://example.com/x?u=a://b | example.com/x?u=a://b   | true
          http://example.com/x       | http://example.com/x#frag | true
          """)
  void exactPurgeHitsWhatRequestsProduce(String requested, String purged, boolean isKilled) {
    assertEquals(isKilled, kills(scopes.exact(purged), of(requested)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          http://h/a/b        | http://h/a/b     | true
          http://h/a/b/       | http://h/a/b     | true
          http://h/a/b/c?q    | http://h/a/b     | true
          http://h/a/bc       | http://h/a/b     | false
          http://h/a/b        | http://h/a/b/    | false
          http://h/a/b/       | http://h/a/b/    | true
          http://h/a/b/c      | http://h/a/b/    | true
          https://h/a/b/c     | http://h/a/      | true
          https://h/a/b/c     | h/a              | true
          http://h/x          | http://h/        | true
          http://h/x          | h                | true
          http://g/x          | http://h/        | false
          http://h:81/x       | http://h/        | false
          http://h:81/x       | h:81/            | true
          http://h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/z | h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/ | true
          http://h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/z | h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/z | true
          http://h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/z | h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/x/ | true
          http://h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/x/16/17/18/z | h/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/ | false
          """)
  void prefixPurgeHitsAtSegmentBoundariesOnly(String requested, String prefix, boolean isKilled) {
    assertEquals(isKilled, kills(scopes.prefix(prefix), of(requested)));
  }

  @ParameterizedTest
  @CsvSource({
    "http://example.com/x, example.com, true",
    "https://example.com/x, EXAMPLE.com, true",
    "http://example.com:8080/x, example.com, true",
    "http://example.com:8080/x, example.com:8080, true",
    "http://example.com/x, example.com:80, true",
    "https://example.com/x, example.com:80, false",
    "https://example.com/x, example.com:443, true",
    "http://example.com/x, example.com:8080, false",
    "http://a.example.com/x, example.com, false",
    "http://[::1]:9/x, [::1], true",
    "http://[::1]:9/x, [::1]:9, true"
  })
  void hostPurgeWithoutAPortHitsEveryPort(String requested, String host, boolean isKilled) {
    assertEquals(isKilled, kills(new long[] {scopes.host(host)}, of(requested)));
  }

  @Test
  void tagsOfAllThreeFieldsCount() {
    long[] response = of("http://h/", "Surrogate-Key", "a b", "xkey", "c", "Cache-Tag", "d e, f");
    for (String tag : List.of("a", "b", "c", "d e", "f")) {
      assertTrue(kills(scopes.tagPurge(tag), response), tag);
    }
    for (String tag : List.of("A", "d", "e", "", "a b")) {
      assertFalse(kills(scopes.tagPurge(tag), response), tag);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "xkey, 'a,b c'",
    "Cache-Tags, 'a b,c'",
    "X-Cache-Tags, 'a,b,c'",
    "X-Drupal-Cache-Tags, 'a b c'",
    "Purge-Cache-Tags, 'a b c'",
    "X-Magento-Tags, 'a,b,c'"
  })
  void tagsOfContentManagementSystemsCountByBlanksAndCommas(String field, String value) {
    long[] response = of("http://h/", field, value);
    for (String tag : List.of("a", "b", "c")) {
      assertTrue(kills(scopes.tagPurge(tag), response), tag);
    }
    assertFalse(kills(scopes.tagPurge(value), response), value);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          http://h/x        | http://h/x    | true
          https://h/x       | http://h/x    | true
          http://h:9/x      | http://h/x    | true
          https://h:9/x     | http://h:81/x | true
          http://h/x?q      | https://h/x?q | true
          http://h/x?q      | http://h/x    | false
          http://h/x/y      | http://h/x    | false
          http://g/x        | http://h/x    | false
          """)
  void aPurgeOnAnyPortHitsThePathWhateverThePortAndTheScheme(
      String requested, String purged, boolean isKilled) {
    TargetUri uri = SyntheticRequest.of("GET", purged).target();
    assertEquals(
        isKilled, kills(new long[] {scopes.anywhere(uri, UrlRecipe.WHOLE)}, of(requested)));
  }

  @Test
  void anyTagPurgeKillsWhatHadTooManyOrTooLongTags() {
    String many = IntStream.range(0, 129).mapToObj(i -> "t" + i).collect(Collectors.joining(" "));
    assertTrue(kills(scopes.tagPurge("none"), of("http://h/", "Surrogate-Key", many)));
    assertTrue(kills(scopes.tagPurge("none"), of("http://h/", "Cache-Tag", "x".repeat(257))));
    String most = many.substring(0, many.lastIndexOf(' '));
    long[] response = of("http://h/", "Surrogate-Key", most + " t0", "Cache-Tag", "t1");
    assertFalse(kills(scopes.tagPurge("none"), response));
    assertTrue(kills(scopes.tagPurge("t127"), response));
    assertTrue(response.length <= Scopes.MAX_SCOPES);
  }

  /** RFC 9875 §2.1. */
  @Test
  void groupsAreThoseOfOneOrigin() {
    long[] response = of("http://h/a", "Cache-Groups", "\"x\", \"y z\";revalidate");
    for (String uri : List.of("http://h/", "http://h:80/b")) {
      TargetUri target = SyntheticRequest.of("POST", uri).target();
      assertTrue(kills(new long[] {scopes.group(target, "x")}, response), uri);
      assertTrue(kills(new long[] {scopes.group(target, "y z")}, response), uri);
      assertFalse(kills(new long[] {scopes.group(target, "X")}, response), uri);
    }
    for (String uri : List.of("https://h/a", "http://h:81/a", "http://g/a")) {
      TargetUri other = SyntheticRequest.of("POST", uri).target();
      assertFalse(kills(new long[] {scopes.group(other, "x")}, response), uri);
    }
    assertFalse(kills(scopes.tagPurge("x"), response));
  }

  @Test
  void kindsOfScopesCannotBeMistakenForEachOther() {
    assertNotEquals(scopes.tag("example.com"), scopes.host("example.com"));
    Set<Long> distinct = new HashSet<>();
    long[] response = of("http://h/a/b", "xkey", "h h:80 h/a/ http://h:80/a/b");
    Arrays.stream(response).forEach(distinct::add);
    assertEquals(response.length, distinct.size());
  }

  private static UrlRecipe stripping(String... patterns) {
    return new UrlRecipe(
        null,
        true,
        true,
        false,
        new QueryRecipe(false, true, new NamePatterns(List.of(patterns)), NamePatterns.NONE));
  }

  private long[] of(KeyRecipe recipe, String url, String... fields) {
    return scopes.ofResponse(
        SyntheticRequest.of("GET", url, fields), recipe, ResponseTags.of(HeaderFields.EMPTY));
  }

  @Test
  void aPurgeByUrlNamesWhatTheRecipeMakesOfIt() {
    KeyRecipe recipe = new KeyRecipe(stripping("utm_*"), FieldRecipe.NONE);
    TargetUri purged = Objects.requireNonNull(TargetUri.parse("http://h/a?utm_x=2&c=3&b=1"));
    long scope = scopes.exact(purged, recipe);
    assertEquals(of(recipe, "http://h/a?b=1&c=3")[0], scope);
    assertEquals(of(recipe, "http://h/a?c=3&utm_y=9&b=1")[0], scope);
    assertNotEquals(of(recipe, "http://h/a?b=2&c=3")[0], scope);
    assertNotEquals(of(recipe, "http://h/A?b=1&c=3")[0], scope);
  }

  @Test
  void aPurgeByUrlTakesWhateverTheHeaderAddsToTheKey() {
    KeyRecipe recipe =
        new KeyRecipe(
            UrlRecipe.WHOLE,
            new FieldRecipe(List.of("x"), List.of("c"), true, List.of("en", "de"), List.of()));
    TargetUri purged = Objects.requireNonNull(TargetUri.parse("http://h/a"));
    long scope = scopes.exact(purged, recipe);
    assertEquals(scope, of(recipe, "http://h/a")[0]);
    assertEquals(scope, of(recipe, "http://h/a", "x", "1", "cookie", "c=2")[0]);
    assertEquals(scope, of(recipe, "http://h/a", "user-agent", "bot")[0]);
  }

  @Test
  void aPurgeByHostOrPrefixTakesWhatIsKeptUnderTheHostsFixedName() {
    UrlRecipe url = new UrlRecipe("shared", true, true, true, QueryRecipe.AS_RECEIVED);
    long[] response = of(new KeyRecipe(url, FieldRecipe.NONE), "http://a.example/IMG/x");
    assertTrue(kills(scopes.host("a.example", url), response));
    assertTrue(kills(scopes.host("b.example", url), response));
    assertFalse(kills(scopes.host("b.example", UrlRecipe.WHOLE), response));
    assertTrue(kills(scopes.prefix("a.example/Img/", url), response));
    assertFalse(kills(scopes.prefix("a.example/css/", url), response));
  }

  @Test
  void aPurgeByPortTakesWhatIsKeptForAllPorts() {
    UrlRecipe anyPort = new UrlRecipe(null, false, true, false, QueryRecipe.AS_RECEIVED);
    UrlRecipe anyScheme = new UrlRecipe(null, true, false, false, QueryRecipe.AS_RECEIVED);
    long[] ofAnyPort = of(new KeyRecipe(anyPort, FieldRecipe.NONE), "http://h:8080/x");
    long[] ofAnyScheme = of(new KeyRecipe(anyScheme, FieldRecipe.NONE), "http://h/x");
    long[] ofAPort = of(new KeyRecipe(anyScheme, FieldRecipe.NONE), "http://h:8080/x");
    assertTrue(kills(scopes.host("h:9", anyPort), ofAnyPort));
    assertTrue(kills(scopes.host("h", anyPort), ofAnyPort));
    assertTrue(kills(scopes.host("h:443", anyScheme), ofAnyScheme));
    assertTrue(kills(scopes.host("h:80", anyScheme), ofAnyScheme));
    assertTrue(kills(scopes.host("h:8080", anyScheme), ofAPort));
    assertFalse(kills(scopes.host("h:8081", anyScheme), ofAPort));
  }

  @Test
  void refusesWhatNoRequestCanBeFor() {
    for (String url : List.of("", "/x", "ftp://h/x", "http://", "h h/x", "http://u@h/", "h/%zz")) {
      assertNull(PurgeUrl.parse(url), url);
      assertThrows(IllegalArgumentException.class, () -> scopes.exact(url), url);
    }
    assertThrows(IllegalArgumentException.class, () -> scopes.host("a/b"));
  }
}
