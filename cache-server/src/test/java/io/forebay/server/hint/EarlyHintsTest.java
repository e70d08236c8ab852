package io.forebay.server.hint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.HeaderFields;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EarlyHintsTest {

  @Test
  void linksThatBrowsersFetchEarlyAreTaken() {
    HeaderFields hints =
        EarlyHints.of(
            HeaderFields.of(
                "content-type", "text/html",
                "link", "</a.css>; rel=preload; as=style, </next>; rel=next",
                "link", "</m.js>; rel=modulepreload",
                "link", "<https://cdn.example>; rel=\"preconnect dns-prefetch\"",
                "link", "</b.css>; rel=preload; anchor=\"/other\"",
                "etag", "\"1\""));
    assertEquals(
        "link: </a.css>; rel=preload; as=style\n"
            + "link: </m.js>; rel=modulepreload\n"
            + "link: <https://cdn.example>; rel=\"preconnect dns-prefetch\"\n",
        hints.toString());
  }

  @Test
  void thePoliciesOfTheirFetchesAreBesideThem() {
    HeaderFields stored =
        HeaderFields.of(
            "content-security-policy", "default-src 'self'",
            "link", "</a.css>; rel=preload",
            "referrer-policy", "no-referrer");
    assertEquals(
        List.of("default-src 'self'"), EarlyHints.of(stored).all("content-security-policy"));
    assertEquals(List.of("no-referrer"), EarlyHints.of(stored).all("referrer-policy"));
    assertEquals(0, EarlyHints.of(stored.without(name -> name.equals("link"))).size());
  }

  @Test
  void countAndLengthAreBounded() {
    HeaderFields.Builder many = HeaderFields.builder();
    for (int i = 0; i < 100; i++) {
      many.add("link", "</" + i + ">; rel=preload");
    }
    assertEquals(EarlyHints.MAX_LINKS, EarlyHints.of(many.build()).size());
    String large = "</" + "a".repeat(3000) + ">; rel=preload";
    HeaderFields bounded =
        EarlyHints.of(HeaderFields.of("link", large, "link", large, "link", "</b>; rel=preload"));
    assertEquals(List.of(large, "</b>; rel=preload"), bounded.all("link"));
    assertTrue(bounded.toString().length() < EarlyHints.MAX_BYTES + 100);
  }

  @Test
  void withoutRoomForThePoliciesThereAreNoHints() {
    HeaderFields stored =
        HeaderFields.of(
            "content-security-policy",
            "a".repeat(EarlyHints.MAX_BYTES),
            "link",
            "</b>; rel=preload");
    assertEquals(0, EarlyHints.of(stored).size());
  }
}
