package io.forebay.core.route;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.forebay.core.http.KnownField;
import io.forebay.core.http.RequestView;
import io.forebay.core.http.SyntheticRequest;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CookieFilterTest {

  private static final CookieFilter STRIP = CookieFilter.strip(Set.of("a", "_ga"));
  private static final CookieFilter KEEP = CookieFilter.keep(Set.of("a"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          a=1; b=2      | b=2  | a=1
          b=2           | b=2  | -
          a=1           | -    | a=1
          a=1;_ga=2;    | -    | a=1
          A=1; ab=2     | A=1; ab=2 | -
          b=x=y; a      | b=x=y | a
          a =1; c       | c    | a =1
          ;;,           | ,    | -
          """)
  void picksCookiesByName(String line, @Nullable String stripped, @Nullable String kept) {
    assertEquals(stripped, STRIP.cookies(line));
    assertEquals(kept, KEEP.cookies(line));
    assertEquals(line, CookieFilter.ALL.cookies(line));
  }

  @ParameterizedTest
  @CsvSource({"a=1, false", "a=1; Path=/b, false", "b=1; a=2, true", "' a = 1', false", "'', true"})
  void judgesASetCookieByItsFirstPair(String line, boolean passes) {
    assertEquals(passes, STRIP.passesSetCookie(line));
    assertEquals(line.isEmpty() ? false : !passes, KEEP.passesSetCookie(line));
  }

  @Test
  void takesCookiesOutOfRequests() {
    RequestView request =
        SyntheticRequest.of(
            "GET", "http://h/x?y", "Cookie", "a=1; b=2", "Cookie", "_ga=3", "X", "4");
    RequestView stripped = STRIP.requestWithout(request);
    assertEquals("cookie: b=2\nx: 4\n", stripped.fields().toString());
    assertEquals(KnownField.COOKIE.bit(), stripped.knownFields());
    assertEquals("/x", stripped.path());
    assertEquals("y", stripped.query());

    RequestView bare = CookieFilter.keep(Set.of()).requestWithout(request);
    assertEquals(List.of(), bare.fields().all("cookie"));
    assertEquals(0, bare.knownFields());

    assertSame(request, CookieFilter.ALL.requestWithout(request));
    RequestView none = SyntheticRequest.of("GET", "http://h/");
    assertSame(none, STRIP.requestWithout(none));
  }

  @Test
  void hostileLinesTakeLinearTime() {
    String line = "a=1;".repeat(500_000);
    assertTimeoutPreemptively(Duration.ofSeconds(5), () -> assertEquals(null, STRIP.cookies(line)));
  }
}
