package io.forebay.core.route;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.SyntheticRequest;
import io.forebay.core.key.NamePatterns;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CookieSettingsTest {

  private static final CookieSettings PASSING =
      RouteSettings.builder()
          .passCookies(new NamePatterns(List.of("session*", "in")))
          .build()
          .cookies();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          session=1            | true
          a=1; session_id=2    | true
          a=1;in=              | true
          a=1; in              | true
          in =1                | true
          Session=1            | false
          my_session=1         | false
          inner=1              | false
          a=session; b="in=1"  | false
          ;; =in;              | false
          """)
  void aRequestPassesByTheNamesOfItsCookies(String line, boolean passes) {
    assertEquals(passes, PASSING.pass(SyntheticRequest.of("GET", "http://h/", "Cookie", line)));
    assertEquals(
        passes,
        PASSING.pass(SyntheticRequest.of("GET", "http://h/", "Cookie", "x=y", "cookie", line)));
  }

  @Test
  void withoutCookiesOrNamesNothingPasses() {
    assertFalse(PASSING.pass(SyntheticRequest.of("GET", "http://h/")));
    assertFalse(PASSING.ignoreRequests());
    SyntheticRequest request = SyntheticRequest.of("GET", "http://h/", "Cookie", "session=1");
    assertFalse(CookieSettings.DEFAULT.pass(request));
    assertTrue(CookieSettings.DEFAULT.ignoreRequests());
  }
}
