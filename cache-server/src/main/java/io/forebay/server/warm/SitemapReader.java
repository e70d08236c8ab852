package io.forebay.server.warm;

import io.forebay.server.text.Printable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PushbackInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.zip.GZIPInputStream;
import javax.xml.XMLConstants;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.parsers.SAXParserFactory;
import org.xml.sax.Attributes;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.helpers.DefaultHandler;

/**
 * Reads a sitemap or sitemap index as a stream, gzipped or not: neither the body nor the document
 * is ever held whole. Every input of an attacker has a bound, and the error names the bound. The
 * work is bound to the CPU, so it runs on a platform thread: on a virtual thread it would hold the
 * carrier that all requests of the admin API share.
 */
final class SitemapReader {

  /** Elements within elements; the protocol needs three. */
  static final int MAX_ELEMENT_DEPTH = 16;

  private static final int MAX_LOCATION = 8192;
  private static final int BUFFER_BYTES = 16 << 10;

  /**
   * What one sitemap may cost.
   *
   * @param wireBytes as received, compressed or not
   * @param xmlBytes after decompression
   * @param entries {@code url} and {@code sitemap} elements
   * @param nanos from the first byte of the body to the last
   */
  public record Bounds(long wireBytes, long xmlBytes, int entries, long nanos) {

    /** What the sitemap protocol allows, and twice its entries. */
    public static final Bounds DEFAULT =
        new Bounds(50L << 20, 50L << 20, 100_000, TimeUnit.SECONDS.toNanos(60));

    public Bounds withXmlBytes(long most) {
      return new Bounds(wireBytes, Math.min(xmlBytes, most), entries, nanos);
    }
  }

  /** Takes what the sitemap names, in its order, while it is read. */
  public interface Found {
    void on(String location, boolean isSitemap);
  }

  private final Bounds bounds;
  private final LongSupplier clockNanos;
  private long xmlBytes;

  public SitemapReader(Bounds bounds, LongSupplier clockNanos) {
    this.bounds = bounds;
    this.clockNanos = clockNanos;
  }

  /** Decompressed bytes read so far. */
  public long xmlBytes() {
    return xmlBytes;
  }

  /**
   * Reads to the end, or to the first bound.
   *
   * @param coding value of Content-Encoding, empty where there is none
   * @throws RefusedException when it is no sitemap or passes a bound
   * @throws IOException when the body cannot be read
   */
  public void read(InputStream body, String coding, Found found) throws IOException {
    String lower = coding.strip().toLowerCase(Locale.ROOT);
    if (!lower.isEmpty()
        && !lower.equals("identity")
        && !lower.equals("gzip")
        && !lower.equals("x-gzip")) {
      throw new RefusedException(
          "the content coding " + Printable.json(lower) + " is not supported");
    }
    long deadline = clockNanos.getAsLong() + bounds.nanos();
    InputStream wire = new Bounded(body, bounds.wireBytes(), "bytes received", deadline);
    // Files that end in .gz mostly come without Content-Encoding: the first two bytes decide.
    PushbackInputStream start = new PushbackInputStream(wire, 2);
    byte[] magic = start.readNBytes(2);
    start.unread(magic);
    boolean isGzip = magic.length == 2 && magic[0] == 0x1F && magic[1] == (byte) 0x8B;
    Bounded xml =
        new Bounded(
            isGzip ? new GZIPInputStream(start, BUFFER_BYTES) : start,
            bounds.xmlBytes(),
            "bytes uncompressed",
            deadline);
    InputSource source = new InputSource(xml);
    // The protocol's only encoding; a declaration of another one is ignored.
    source.setEncoding("UTF-8");
    try {
      SAXParserFactory factory = SAXParserFactory.newDefaultInstance();
      // No DTD, hence no entities of any kind: no file is read and nothing expands.
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      factory.newSAXParser().parse(source, new Handler(bounds.entries(), found));
    } catch (SAXException e) {
      if (e.getException() instanceof RefusedException bound) {
        throw bound;
      }
      throw new RefusedException(
          "not a sitemap: " + Printable.json(String.valueOf(e.getMessage())));
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException("no secure XML parser in this Java", e);
    } finally {
      xmlBytes = xml.count;
    }
  }

  /** It is no sitemap, or passes a bound, which the message names. */
  public static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    public RefusedException(String message) {
      super(message);
    }
  }

  /** Counts bytes and looks at the clock with each read. */
  private final class Bounded extends FilterInputStream {
    private final long most;
    private final String what;
    private final long deadlineNanos;
    private long count;

    Bounded(InputStream in, long most, String what, long deadlineNanos) {
      super(in);
      this.most = most;
      this.what = what;
      this.deadlineNanos = deadlineNanos;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
      if (clockNanos.getAsLong() - deadlineNanos >= 0) {
        throw new RefusedException(
            "the sitemap takes longer than "
                + TimeUnit.NANOSECONDS.toSeconds(bounds.nanos())
                + " seconds");
      }
      int read = in.read(to, offset, length);
      if (read > 0) {
        count += read;
        if (count > most) {
          throw new RefusedException("the sitemap has more than " + most + " " + what);
        }
      }
      return read;
    }

    @Override
    public long skip(long bytes) throws IOException {
      byte[] into = new byte[(int) Math.min(bytes, BUFFER_BYTES)];
      return Math.max(0, read(into, 0, into.length));
    }

    @Override
    public boolean markSupported() {
      return false;
    }
  }

  private static final class Handler extends DefaultHandler {
    private final int maxEntries;
    private final Found found;
    private final StringBuilder text = new StringBuilder();
    private final List<String> path = new ArrayList<>();
    private int entries;

    Handler(int maxEntries, Found found) {
      this.maxEntries = maxEntries;
      this.found = found;
    }

    @Override
    public void startElement(String uri, String localName, String name, Attributes attributes)
        throws SAXException {
      if (path.size() >= MAX_ELEMENT_DEPTH) {
        throw new SAXException(
            new RefusedException(
                "the sitemap has elements nested deeper than " + MAX_ELEMENT_DEPTH));
      }
      String plain = name.substring(name.indexOf(':') + 1);
      if (path.isEmpty() && !plain.equals("urlset") && !plain.equals("sitemapindex")) {
        throw new SAXException("the root element is neither urlset nor sitemapindex");
      }
      if (path.size() == 1
          && (plain.equals("url") || plain.equals("sitemap"))
          && ++entries > maxEntries) {
        throw new SAXException(
            new RefusedException("the sitemap has more than " + maxEntries + " entries"));
      }
      path.add(plain);
      text.setLength(0);
    }

    @Override
    public void characters(char[] characters, int start, int length) {
      if (text.length() + length <= MAX_LOCATION) {
        text.append(characters, start, length);
      }
    }

    @Override
    public void endElement(String uri, String localName, String name) {
      if (path.size() == 3 && path.get(2).equals("loc")) {
        boolean isSitemap = path.get(1).equals("sitemap");
        if (isSitemap || path.get(1).equals("url")) {
          found.on(text.toString().strip(), isSitemap);
        }
      }
      path.removeLast();
    }
  }
}
