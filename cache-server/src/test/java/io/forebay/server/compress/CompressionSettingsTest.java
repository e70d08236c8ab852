package io.forebay.server.compress;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.core.http.HeaderFields;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which responses are compressed. */
final class CompressionSettingsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "text/html | true",
        "Text/HTML; charset=utf-8 | true",
        "text/event-stream | false",
        "text/event-stream; charset=utf-8 | false",
        "application/json | true",
        "application/problem+json;a=b | true",
        "image/svg+xml | true",
        "image/png | false",
        "application/octet-stream | false",
        "application/wasm | true",
        "video/mp4 | false",
        "font/woff2 | false",
        "application/vnd.apple.mpegurl | true",
        "application/gzip | false",
        "text | false",
        "'' | false",
      })
  void textIsAndMediaAreNot(String type, boolean isCompressed) {
    assertEquals(
        isCompressed,
        CompressionSettings.DEFAULT.suits(HeaderFields.of("content-type", type), 1000));
  }

  @Test
  void whatIsSmallCodedPartialOrNotToBeTransformedIsLeftAlone() {
    CompressionSettings settings = CompressionSettings.DEFAULT;
    HeaderFields text = HeaderFields.of("content-type", "text/plain");
    assertEquals(true, settings.suits(text, 256));
    assertEquals(true, settings.suits(text, -1));
    assertEquals(false, settings.suits(text, 255));
    assertEquals(false, settings.suits(HeaderFields.EMPTY, 1000));
    assertEquals(
        false, settings.suits(text.and(HeaderFields.of("content-encoding", "identity")), 1000));
    assertEquals(
        false, settings.suits(text.and(HeaderFields.of("content-range", "bytes 0-9/99")), 1000));
    assertEquals(
        false,
        settings.suits(
            text.and(HeaderFields.of("cache-control", "max-age=1, No-Transform")), 1000));
    assertEquals(false, CompressionSettings.OFF.suits(text, 1000));
  }
}
