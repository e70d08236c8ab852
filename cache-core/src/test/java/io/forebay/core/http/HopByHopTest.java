package io.forebay.core.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HopByHopTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Connection",
        "keep-alive",
        "Proxy-Connection",
        "TE",
        "Trailer",
        "Transfer-Encoding",
        "upgrade",
        "Proxy-Authorization",
        "Proxy-Authenticate",
        "HTTP2-Settings"
      })
  void wellKnownFieldsEndHere(String name) {
    assertTrue(HopByHop.STANDARD.has(name));
  }

  @Test
  void othersGoOn() {
    assertFalse(HopByHop.STANDARD.has("Content-Type"));
    assertFalse(HopByHop.STANDARD.has("x-custom"));
  }

  @Test
  void listedFieldsEndHereToo() {
    HopByHop listed = HopByHop.ofRequest(List.of("close, X-Custom ,,", "foo"));
    assertNotNull(listed);
    assertTrue(listed.has("x-custom"));
    assertTrue(listed.has("FOO"));
    assertFalse(listed.has("bar"));
    assertSame(HopByHop.STANDARD, HopByHop.ofRequest(List.of("Keep-Alive")));
  }

  /** S28. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host",
        "content-length",
        "close, Authorization",
        "cache-control",
        "transfer-encoding",
        "cookie",
        "x-forwarded-for",
        "range",
        "a b",
        "\"x\"",
        "x;y",
        "\u00e4"
      })
  void aRequestMayNotListWhatOthersDecideBy(String value) {
    assertNull(HopByHop.ofRequest(List.of(value)));
    assertFalse(HopByHop.ofResponse(List.of(value)).has("cache-control"));
  }

  @Test
  void listsAreBoundedAndLinear() {
    StringBuilder many = new StringBuilder();
    for (int i = 0; i < 65; i++) {
      many.append("x").append(i).append(',');
    }
    assertNull(HopByHop.ofRequest(List.of(many.toString())));
    String commas = ",".repeat(2_000_000);
    assertTimeoutPreemptively(
        Duration.ofSeconds(5),
        () -> assertEquals(false, HopByHop.ofResponse(List.of(commas)).has("x")));
  }
}
