package io.forebay.server.esi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.core.http.SyntheticRequest;
import io.forebay.server.esi.Variables.Into;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values of variables, and what a client can do with them. */
final class VariablesTest {

  private final Variables variables =
      new Variables(
          SyntheticRequest.of(
              "GET",
              "http://shop.example:8080/a/b?x=1&y=%3Cb%3E&z&q=a'b<c",
              "Cookie",
              "id=7; evil=\"><esi:include src=/admin/>",
              "Cookie",
              "dots=..; path=../x/y; two=a b&c=d",
              "User-Agent",
              "Browser/1 (\u00e4)",
              "Referer",
              "http://a.example/",
              "Accept-Language",
              "de-CH, en;q=0.5",
              "Authorization",
              "Basic secret",
              "X-Any",
              "');alert(1)//</script>\\"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "HTTP_HOST ~ shop.example:8080",
        "REQUEST_PATH ~ /a/b",
        "QUERY_STRING{x} ~ 1",
        "QUERY_STRING{y} ~ %3Cb%3E",
        "QUERY_STRING{z} ~ ``",
        "QUERY_STRING{z}|none ~ none",
        "QUERY_STRING{q} ~ a&#39;b&#60;c",
        "QUERY_STRING{missing} ~ ``",
        "QUERY_STRING{missing}|'a b' ~ a b",
        "HTTP_COOKIE{id} ~ 7",
        "HTTP_COOKIE{evil} ~ &#34;&#62;&#60;esi:include src&#61;/admin/&#62;",
        "HTTP_COOKIE ~ ``",
        "HTTP_USER_AGENT ~ Browser/1 &#40;?&#41;",
        "HTTP_REFERER ~ http://a.example/",
        "HTTP_ACCEPT_LANGUAGE{de-ch} ~ true",
        "HTTP_ACCEPT_LANGUAGE{fr} ~ false",
        "HTTP_HEADER{Authorization} ~ ``",
        "HTTP_HEADER{cookie} ~ ``",
        "HTTP_HEADER{x-any} ~ &#39;&#41;&#59;alert&#40;1&#41;//&#60;/script&#62;&#92;",
        "NO_SUCH_THING ~ ``",
        "NO_SUCH_THING|x ~ x",
      })
  void inTextAValueIsNeverMarkup(String expression, String value) {
    assertEquals(value, variables.value(expression, Into.TEXT));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '~',
      quoteCharacter = '`',
      value = {
        "/f?$(QUERY_STRING) ~ /f?x=1&y=%3Cb%3E&z&q=a'b%3Cc",
        "/f?id=$(HTTP_COOKIE{id}) ~ /f?id=7",
        "/f/$(HTTP_COOKIE{dots})/g ~ /f//g",
        "/f/$(HTTP_COOKIE{path}) ~ /f/..%2Fx%2Fy",
        "/f?a=$(HTTP_COOKIE{two}) ~ /f?a=a%20b%26c%3Dd",
        "/f?a=$(QUERY_STRING{y}) ~ /f?a=%3Cb%3E",
        "http://$(HTTP_HOST)/g ~ http://shop.example:8080/g",
        "/l/$(QUERY_STRING{lang}|'de') ~ /l/de",
        "/no/$(open ~ /no/$(open",
        "/no ~ /no",
      })
  void inAUrlAValueStaysWithinItsPart(String template, String url) {
    assertEquals(url, variables.expanded(template, Into.URL));
  }

  @Test
  void aLongValueIsCut() {
    Variables of =
        new Variables(
            SyntheticRequest.of("GET", "http://a.example/", "X-Long", "x".repeat(10_000)));
    assertEquals(4096, of.value("HTTP_HEADER{x-long}", Into.TEXT).length());
  }
}
