package io.forebay.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

final class LinksTest {

  @Test
  void refusesAGzipBombWithoutUnpackingIt() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] blanks = new byte[1 << 20];
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      for (int i = 0; i < 51; i++) {
        out.write(blanks);
      }
    }
    IOException e = assertThrows(IOException.class, () -> Links.sitemap(bytes.toByteArray(), 10));
    assertTrue(String.valueOf(e.getMessage()).contains("larger than"), e.toString());
  }

  @Test
  void refusesEntitiesThatMultiply() {
    String laughs =
        "<!DOCTYPE l [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]>"
            + "<urlset><url><loc>&b;</loc></url></urlset>";
    assertThrows(IOException.class, () -> Links.sitemap(bytes(laughs), 10));
  }

  @Test
  void refusesDeepNesting() {
    String deep = "<urlset>" + "<a>".repeat(5000) + "</a>".repeat(5000) + "</urlset>";
    assertThrows(IOException.class, () -> Links.sitemap(bytes(deep), 10));
  }

  @Test
  void takesNoMoreUrlsThanAsked() throws IOException {
    String xml = "<urlset>" + "<url><loc>http://a/</loc></url>".repeat(20) + "</urlset>";
    assertEquals(7, Links.sitemap(bytes(xml), 7).pages().size());
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
