package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.http.LinkField.Link;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LinkFieldTest {

  @Test
  void membersKeepTheirTextAndTheirRelations() {
    assertEquals(
        List.of(
            new Link("</a,b.css>; rel=preload; as=style", List.of("preload"), false),
            new Link(
                "<https://cdn.example>;rel=\"Preconnect  dns-prefetch\"",
                List.of("preconnect", "dns-prefetch"),
                false)),
        LinkField.membersOf(
            " </a,b.css>; rel=preload; as=style , ,"
                + "<https://cdn.example>;rel=\"Preconnect  dns-prefetch\" ,"));
  }

  @Test
  void aCommaOrAQuoteWithinQuotesEndsNothing() {
    assertEquals(
        List.of(
            new Link(
                "</a>; title=\"x, \\\"<y>; rel=next\"; rel=preload", List.of("preload"), false)),
        LinkField.membersOf("</a>; title=\"x, \\\"<y>; rel=next\"; rel=preload"));
  }

  @Test
  void theFirstRelationCounts() {
    assertEquals(
        List.of(List.of("next")),
        LinkField.membersOf("</a>; rel=next; rel=preload").stream().map(Link::relations).toList());
  }

  @Test
  void anAnchorIsSeen() {
    assertTrue(LinkField.membersOf("</a>; rel=preload; anchor=\"/b\"").getFirst().hasAnchor());
  }

  @Test
  void parametersMayHaveNoValueOrNoQuotes() {
    assertEquals(
        List.of(
            new Link(
                "</f.woff2>; rel=preload; as=font; type=font/woff2; crossorigin;",
                List.of("preload"),
                false)),
        LinkField.membersOf("</f.woff2>; rel=preload; as=font; type=font/woff2; crossorigin;"));
    assertEquals(List.of(new Link("</a>", List.of(), false)), LinkField.membersOf("</a>"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/a; rel=preload",
        "</a; rel=preload",
        "</a b>; rel=preload",
        "</a>; rel=preload </b>; rel=preload",
        "</a>; rel=\"preload",
        "</a>; rel=\"preload\\",
        "</a>; rel=",
        "</a>; rel=<x>",
        "</a>; rel=preload, x",
        "</a\u00e9>; rel=preload"
      })
  void aMalformedLineHasNoMembers(String line) {
    assertEquals(List.of(), LinkField.membersOf(line));
  }
}
