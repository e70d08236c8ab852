package io.forebay.server.warm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.warm.SitemapReader.Bounds;
import io.forebay.server.warm.SitemapReader.RefusedException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

final class SitemapReaderTest {
  private static final Bounds BOUNDS =
      new Bounds(1 << 20, 4 << 20, 1000, TimeUnit.SECONDS.toNanos(60));

  private final AtomicLong clock = new AtomicLong();
  private final List<String> found = new ArrayList<>();

  private void read(InputStream body, String coding) throws IOException {
    new SitemapReader(BOUNDS, clock::get)
        .read(
            body, coding, (location, isSitemap) -> found.add((isSitemap ? "map " : "") + location));
  }

  private String refusal(InputStream body, String coding) {
    RefusedException e = assertThrows(RefusedException.class, () -> read(body, coding));
    return String.valueOf(e.getMessage());
  }

  @Test
  void readsPagesAndSitemapsWithAndWithoutGzip() throws IOException {
    String xml =
        "<sitemapindex><sitemap><loc> http://a/1 </loc></sitemap>"
            + "<url><loc>http://a/?x&amp;y</loc></url></sitemapindex>";
    read(stream(xml), "");
    read(new ByteArrayInputStream(gzip(xml)), "gzip");
    read(new ByteArrayInputStream(gzip(xml)), "");
    List<String> once = List.of("map http://a/1", "http://a/?x&y");
    assertEquals(List.of(once, once, once).stream().flatMap(List::stream).toList(), found);
  }

  /** A thousand to one: the bound on what it becomes ends it, long before it is all there. */
  @Test
  void aBombEndsAtTheBoundOfItsUncompressedBytes() throws IOException {
    byte[] bomb = gzip("<urlset>" + " ".repeat(64 << 20) + "</urlset>");
    assertTrue(bomb.length < 70_000, "" + bomb.length);
    SitemapReader reader = new SitemapReader(BOUNDS, clock::get);
    RefusedException e =
        assertThrows(
            RefusedException.class,
            () -> reader.read(new ByteArrayInputStream(bomb), "gzip", (location, isSitemap) -> {}));
    assertEquals("the sitemap has more than 4194304 bytes uncompressed", e.getMessage());
    assertTrue(reader.xmlBytes() < (4 << 20) + (1 << 16), "read " + reader.xmlBytes());
  }

  @Test
  void namesTheBoundThatEndsIt() {
    assertEquals(
        "the sitemap has more than 1048576 bytes received",
        refusal(stream("<urlset>" + " ".repeat(2 << 20)), ""));
    assertEquals(
        "the sitemap has more than 1000 entries",
        refusal(stream("<urlset>" + "<url/>".repeat(1001) + "</urlset>"), ""));
    assertEquals(
        "the sitemap has elements nested deeper than 16",
        refusal(stream("<urlset>" + "<a>".repeat(5000)), ""));
    assertEquals("the content coding br is not supported", refusal(stream("<urlset/>"), "br"));
  }

  @Test
  void whatComesTooSlowlyEnds() {
    InputStream slow =
        new InputStream() {
          @Override
          public int read() {
            clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
            return ' ';
          }

          @Override
          public int read(byte[] to, int offset, int length) {
            to[offset] = (byte) read();
            return 1;
          }
        };
    assertEquals("the sitemap takes longer than 60 seconds", refusal(slow, ""));
  }

  @Test
  void whatWasNamedBeforeABoundIsFound() {
    String xml = "<urlset>" + "<url><loc>http://a/</loc></url>".repeat(1001) + "</urlset>";
    refusal(stream(xml), "");
    assertEquals(1000, found.size());
  }

  @Test
  void readsNeitherTypesNorEntitiesNorOtherEncodings() {
    String laughs =
        "<!DOCTYPE l [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]>"
            + "<urlset><url><loc>&b;</loc></url></urlset>";
    assertTrue(refusal(stream(laughs), "").startsWith("not a sitemap: "));
    byte[] wide =
        "<urlset><url><loc>http://a/</loc></url></urlset>".getBytes(StandardCharsets.UTF_16);
    assertThrows(IOException.class, () -> read(new ByteArrayInputStream(wide), ""));
    assertEquals(List.of(), found);
  }

  private static InputStream stream(String xml) {
    return new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] gzip(String xml) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      out.write(xml.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.toByteArray();
  }
}
