package io.forebay.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LinksTest {

  @Test
  void takesNoMoreUrlsThanAsked() {
    assertEquals(7, Links.playlist(bytes("#EXTM3U\n" + "a.ts\n".repeat(20)), 7).size());
  }

  @Test
  void whatDoesNotBeginAsAPlaylistIsNone() {
    assertEquals(List.of(), Links.playlist(bytes("<html>\na.ts\n"), 10));
    assertEquals(List.of("a.ts"), Links.playlist(bytes("\uFEFF#EXTM3U\na.ts\n"), 10));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
