package io.forebay.server.admin;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import javax.xml.XMLConstants;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.parsers.SAXParserFactory;
import org.xml.sax.Attributes;
import org.xml.sax.SAXException;
import org.xml.sax.helpers.DefaultHandler;

/** Finds what sitemaps and HLS playlists lead to. Both come from outside, so all is bounded. */
final class Links {
  /** What the sitemap protocol allows a sitemap to be, uncompressed. */
  static final int MAX_SITEMAP_BYTES = 50 << 20;

  static final int MAX_PLAYLIST_BYTES = 8 << 20;

  private static final Pattern URI_ATTRIBUTE = Pattern.compile("[:,]\\s*URI=\"([^\"]{1,8192})\"");

  private Links() {}

  /**
   * What a sitemap names.
   *
   * @param pages URLs of a url set
   * @param sitemaps URLs of a sitemap index
   */
  record Sitemap(List<String> pages, List<String> sitemaps) {}

  /**
   * Reads a sitemap or sitemap index, gzipped or not.
   *
   * @throws IOException with the reason when it is none
   */
  static Sitemap sitemap(byte[] body, int maxUrls) throws IOException {
    byte[] xml = isGzip(body) ? gunzip(body) : body;
    SitemapHandler handler = new SitemapHandler(maxUrls);
    try {
      SAXParserFactory factory = SAXParserFactory.newDefaultInstance();
      // No DTD, hence no entities of any kind: neither files read nor laughs multiplied.
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      factory.newSAXParser().parse(new ByteArrayInputStream(xml), handler);
    } catch (SAXException e) {
      throw new IOException("not a sitemap: " + Json.shown(String.valueOf(e.getMessage())), e);
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException("no secure XML parser in this Java", e);
    }
    return new Sitemap(handler.pages, handler.sitemaps);
  }

  /** References in an HLS playlist: variants, renditions, initialisation parts and segments. */
  static List<String> playlist(byte[] body, int maxUrls) {
    List<String> references = new ArrayList<>();
    String text = new String(body, StandardCharsets.UTF_8);
    if (text.startsWith("\uFEFF")) {
      text = text.substring(1);
    }
    if (!text.stripLeading().startsWith("#EXTM3U")) {
      return references;
    }
    for (String raw : (Iterable<String>) text.lines()::iterator) {
      String line = raw.strip();
      if (references.size() >= maxUrls) {
        break;
      }
      if (line.isEmpty()) {
        continue;
      }
      if (!line.startsWith("#")) {
        references.add(line);
      } else if (line.startsWith("#EXT-X-MEDIA:")
          || line.startsWith("#EXT-X-MAP:")
          || line.startsWith("#EXT-X-PART:")
          || line.startsWith("#EXT-X-I-FRAME-STREAM-INF:")) {
        // Not keys, which are nobody's to store, nor preload hints, whose answer is yet to come.
        Matcher matcher = URI_ATTRIBUTE.matcher(line);
        if (matcher.find()) {
          references.add(matcher.group(1));
        }
      }
    }
    return references;
  }

  private static boolean isGzip(byte[] body) {
    return body.length > 2 && body[0] == 0x1F && body[1] == (byte) 0x8B;
  }

  private static byte[] gunzip(byte[] body) throws IOException {
    try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] buffer = new byte[64 << 10];
      int count;
      while ((count = in.read(buffer)) >= 0) {
        if (out.size() + count > MAX_SITEMAP_BYTES) {
          throw new IOException("larger than " + MAX_SITEMAP_BYTES + " bytes uncompressed");
        }
        out.write(buffer, 0, count);
      }
      return out.toByteArray();
    }
  }

  private static final class SitemapHandler extends DefaultHandler {
    private final int maxUrls;
    private final List<String> pages = new ArrayList<>();
    private final List<String> sitemaps = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();
    private final List<String> path = new ArrayList<>();

    SitemapHandler(int maxUrls) {
      this.maxUrls = maxUrls;
    }

    @Override
    public void startElement(String uri, String localName, String name, Attributes attributes)
        throws SAXException {
      if (path.size() > 16) {
        throw new SAXException("nested too deeply");
      }
      String plain = plain(name);
      if (path.isEmpty() && !plain.equals("urlset") && !plain.equals("sitemapindex")) {
        throw new SAXException("the root element is neither urlset nor sitemapindex");
      }
      path.add(plain);
      text.setLength(0);
    }

    @Override
    public void characters(char[] characters, int start, int length) {
      if (text.length() + length <= 8192) {
        text.append(characters, start, length);
      }
    }

    @Override
    public void endElement(String uri, String localName, String name) {
      int depth = path.size();
      if (depth == 3 && path.get(2).equals("loc") && pages.size() + sitemaps.size() < maxUrls) {
        String location = text.toString().strip();
        if (path.get(1).equals("url")) {
          pages.add(location);
        } else if (path.get(1).equals("sitemap")) {
          sitemaps.add(location);
        }
      }
      path.removeLast();
    }

    private static String plain(String name) {
      return name.substring(name.indexOf(':') + 1);
    }
  }
}
