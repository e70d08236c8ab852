package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CacheControlTest {

  private static CacheControl parse(String... lines) {
    return CacheControl.parse(List.of(lines));
  }

  /** RFC 9111 §5.2, §1.2.2, §4.2.1. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          max-age=60                  | 60
          MAX-AGE=60                  | 60
          max-age="60"                | 60
          max-age="6\\0"              | 60
          max-age=060                 | 60
          max-age=0                   | 0
          max-age=60, max-age=30      | 30
          max-age=60, max-age=60      | 60
          max-age=60, max-age=x       | 0
          max-age=30, max-age=60      | 30
          max-age=2147483648          | 2147483648
          max-age=99999999999999999999999 | 2147483648
          max-age=-1                  | 0
          max-age=1.5                 | 0
          max-age=1e3                 | 0
          max-age=abc                 | 0
          max-age=                    | 0
          max-age                     | 0
          max-age=""                  | 0
          max-age="60                 | 0
          max-age = 60                | 0
          max-age =60                 | 0
          max-age= 60                 | 0
          max-age=60 s                | 0
          max-age=60;x                | 0
          max-age=+60                 | 0
          , ,,max-age=60,,            | 60
          foo, max-age=60             | 60
          foo=bar, max-age=60         | 60
          foo="a, max-age=9", max-age=60 | 60
          foo="\\", max-age=9", max-age=60 | 60
          s-maxage=60                 | -1
          xmax-age=60                 | -1
          max-agex=60                 | -1
          max_age=60                  | -1
          ''                          | -1
          foo="max-age=60"            | -1
          """)
  void readsMaxAge(String value, long seconds) {
    assertEquals(seconds, parse(value).maxAgeSeconds());
  }

  @Test
  void readsEveryDirective() {
    CacheControl control =
        parse(
            "no-store,no-cache,private,public,must-revalidate",
            "proxy-revalidate, must-understand, no-transform, immutable, only-if-cached",
            "s-maxage=1, stale-while-revalidate=2, stale-if-error=3, min-fresh=4, max-stale=5");
    assertTrue(control.noStore());
    assertTrue(control.noCache());
    assertTrue(control.isPrivate());
    assertTrue(control.isPublic());
    assertTrue(control.mustRevalidate());
    assertTrue(control.proxyRevalidate());
    assertTrue(control.mustUnderstand());
    assertTrue(control.noTransform());
    assertTrue(control.immutable());
    assertTrue(control.onlyIfCached());
    assertEquals(1, control.sharedMaxAgeSeconds());
    assertEquals(2, control.staleWhileRevalidateSeconds());
    assertEquals(3, control.staleIfErrorSeconds());
    assertEquals(4, control.minFreshSeconds());
    assertEquals(5, control.maxStaleSeconds());
  }

  @Test
  void nothingIsSetWithoutAField() {
    CacheControl control = CacheControl.of(HeaderFields.EMPTY);
    assertSame(CacheControl.NONE, control);
    assertFalse(control.noStore() || control.noCache() || control.isPrivate());
    assertEquals(CacheControl.ABSENT, control.maxAgeSeconds());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"no-store", "No-Store", "no-store=x", "no-store x", "x,no-store=\"", "=,no-store"})
  void aMalformedNoStoreStillForbids(String value) {
    assertTrue(parse(value).noStore());
  }

  @ParameterizedTest
  @ValueSource(strings = {"x=\"no-store\"", "no-stores", "x-no-store"})
  void whatOnlyLooksLikeNoStoreIsNone(String value) {
    assertFalse(parse(value).noStore());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x=\"y, private",
        "max-age=9, x=\"y",
        "max-age=9\"",
        "max-age=\"9",
        "max-age=\"9\\\"",
        "max-age=\"9\"0\", public",
        "x= \"y, private\", max-age=9",
        "\"no-store\"",
        "max-age=9, \"private\"",
        "must-understand, \"",
        "x=\"1, private, y=\"1, max-age=9",
        "max-age=9, x=\"1\" public",
      })
  void quotesThatDoNotPairMakeTheFieldForbidAll(String value) {
    for (CacheControl control : List.of(parse(value), parse("max-age=9, public", value))) {
      assertTrue(control.isUnreadable(), value);
      assertTrue(control.noStore() && control.isPrivate() && control.noCache(), value);
      assertFalse(control.mustUnderstand(), value);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "max-age=\"9\"",
        "x=\"a\\\"b\", max-age=9",
        "x=\"\\\\\", max-age=9",
        "x=\"a\" , max-age=9",
        "x=\"a\"; y, max-age=9",
        "private=\"a\""
      })
  void quotesThatPairAreRead(String value) {
    assertFalse(parse(value).isUnreadable(), value);
    assertFalse(parse(value).noStore(), value);
  }

  /** RFC 9111 §5.2.2.4, §5.2.2.7. */
  @Test
  void readsFieldNamesOfPrivateAndNoCache() {
    CacheControl control = parse("private=\"Set-Cookie, X-User\", no-cache=\"x\"");
    assertEquals(List.of("set-cookie", "x-user"), control.privateNames());
    assertEquals(List.of("x"), control.noCacheNames());
    assertFalse(control.isPrivate());
    assertFalse(control.noCache());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "private",
        "private=\"a\", private",
        "private, private=\"a\"",
        "private=\"a",
        "private=\"a b\"",
        "private=\"\"",
        "private=\",\"",
        "private="
      })
  void aBrokenListOfNamesMeansTheWholeResponse(String value) {
    assertTrue(parse(value).isPrivate());
  }

  @Test
  void tooManyNamesMeanTheWholeResponse() {
    assertFalse(parse("private=\"" + "a,".repeat(32) + "\"").isPrivate());
    assertTrue(parse("private=\"" + "a,".repeat(33) + "\"").isPrivate());
    String[] lines = new String[40];
    Arrays.fill(lines, "no-cache=\"a\"");
    assertTrue(parse(lines).noCache());
  }

  /** RFC 5861: a permission that cannot be read is none. */
  @Test
  void malformedStaleWindowsPermitNothing() {
    CacheControl control = parse("stale-while-revalidate, stale-if-error=x");
    assertEquals(0, control.staleWhileRevalidateSeconds());
    assertEquals(0, control.staleIfErrorSeconds());
  }

  /** RFC 9111 §5.2.1.2. */
  @Test
  void maxStaleWithoutANumberTakesAnyAge() {
    assertEquals(CacheControl.MAX_SECONDS, parse("max-stale").maxStaleSeconds());
    assertEquals(0, parse("max-stale=x").maxStaleSeconds());
  }

  @Test
  void hostileListsTakeLinearTime() {
    for (String piece :
        new String[] {",", ", ", "=", "\"", "\\", "a,", "a=\"\\\",", "private=\","}) {
      String line = piece.repeat(2_000_000 / piece.length());
      assertTimeoutPreemptively(Duration.ofSeconds(5), () -> parse(line, line));
    }
    assertTrue(parse(",".repeat(8192) + "no-store").noStore());
  }
}
