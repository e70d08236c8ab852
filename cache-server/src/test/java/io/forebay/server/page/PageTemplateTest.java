package io.forebay.server.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a page makes of what a client sent, and which page a client gets. */
final class PageTemplateTest {

  private static String rendered(String type, String text, String uri) {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    PageFacts facts = new PageFacts(404, "r-1", "a.example", uri);
    return new String(PageTemplate.of(type, body).render(facts), StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // Type | page | $uri | what is sent
        "text/plain       | $status $reason $request_id $host | /a     | 404 Not Found r-1 a.example",
        "text/plain       | at $uri.                          | /a?b=c | at /a?b=c.",
        "text/plain       | at $uri.                          | /<b>&  | at /<b>&.",
        "text/html        | <p>$uri</p>                       | /<b>&\"' | <p>/&#60;b&#62;&#38;&#34;&#39;</p>",
        "TEXT/HTML        | $uri                              | /<     | /&#60;",
        "image/svg+xml    | <text>$uri</text>                 | /<     | <text>/&#60;</text>",
        "text/css         | $uri                              | /<     | /&#60;",
        "application/json | {\"u\": \"$uri\", \"s\": $status} | /\"\\</ | {\"u\": \"/\\u0022\\u005c\\u003c/\", \"s\": 404}",
        // Only where a name is whole; everything else stands as it is.
        "text/html        | $statuses $uri_ $5 $(a) $ ${x} $$status | /a | $statuses $uri_ $5 $(a) $ ${x} $404",
        "text/html        | $uri$uri                          | /a     | /a/a",
        "text/html        | ä $uri                            | /ä     | ä /?",
        // The target of a link stays on its host.
        "text/html        | <a href=\"$uri\">                 | //evil.example/ | <a href=\"/evil.example/\">",
      })
  void valuesAreEscapedForTheTypeOfThePage(String type, String text, String uri, String expected) {
    assertEquals(expected, rendered(type, text, uri));
  }

  @Test
  void lineEndsAndControlsNeverComeThrough() {
    assertEquals("/a??b?", rendered("text/plain", "$uri", "/a\r\nb\u0000"));
  }

  @Test
  void aPageHasSoManyVariablesAndNoMore() {
    byte[] most = "$uri ".repeat(PageTemplate.MAX_VARIABLES).getBytes(StandardCharsets.UTF_8);
    assertEquals(
        PageTemplate.MAX_VARIABLES * 3,
        PageTemplate.of("text/plain", most).render(new PageFacts(404, "", "", "/a")).length);
    byte[] tooMany =
        "$uri ".repeat(PageTemplate.MAX_VARIABLES + 1).getBytes(StandardCharsets.UTF_8);
    assertThrows(IllegalArgumentException.class, () -> PageTemplate.of("text/plain", tooMany));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "                                                | false",
        "*/*                                             | false",
        "text/html,application/xhtml+xml,*/*;q=0.8       | false",
        "application/json                                | true",
        "APPLICATION/JSON                                | true",
        "application/problem+json                        | true",
        "application/json, text/plain, */*               | true",
        "application/json, text/html                     | false",
        "application/json, text/html;q=0.9               | true",
        "text/html, application/json;q=0.9               | false",
        "application/json;q=0                            | false",
        "application/json;q=x                            | false",
        "application/json;charset=utf-8;q=0.5            | true",
        "application/json;q=0.001                        | true",
        "text/json                                       | false",
      })
  void jsonIsForThoseWhoNameIt(String accept, boolean isJson) {
    assertEquals(isJson, StatusPage.prefersJson(accept == null ? List.of() : List.of(accept)));
  }

  @Test
  void thePageForFewerStatusesIsThatOfItsStatus() {
    StatusPage wide = page("wide");
    StatusPage narrow = page("narrow");
    ErrorPages.Builder own = new ErrorPages.Builder();
    own.put(500, 599, wide);
    own.put(502, 504, narrow);
    ErrorPages pages = own.build("own");
    ErrorPages.Builder others = new ErrorPages.Builder();
    others.put(400, 599, page("other"));
    ErrorPages both = pages.over(others.build("others"));
    assertEquals(wide, both.ofEdge(501));
    assertEquals(narrow, both.ofEdge(503));
    assertEquals(page("other"), both.ofEdge(404));
    for (int status : new int[] {0, 200, 304, 399, 404, 600}) {
      assertEquals(null, pages.ofEdge(status));
    }
    assertEquals(null, both.ofOrigin(503));
  }

  private static StatusPage page(String text) {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    return new StatusPage(PageTemplate.of("text/plain", body), null, true, false);
  }
}
