package io.forebay.server.warm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LinkExtractorTest {

  @Test
  void takesNoMoreUrlsThanAsked() {
    assertEquals(7, LinkExtractor.playlist(bytes("#EXTM3U\n" + "a.ts\n".repeat(20)), 7).size());
  }

  @Test
  void whatDoesNotBeginAsAPlaylistIsNone() {
    assertEquals(List.of(), LinkExtractor.playlist(bytes("<html>\na.ts\n"), 10));
    assertEquals(List.of("a.ts"), LinkExtractor.playlist(bytes("\uFEFF#EXTM3U\na.ts\n"), 10));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
