package io.forebay.server.media;

import io.forebay.server.media.DashManifest.RefusedException;
import io.forebay.server.media.MpdElement.Run;
import io.forebay.server.text.Printable;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import javax.xml.XMLConstants;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.parsers.SAXParserFactory;
import org.jspecify.annotations.Nullable;
import org.xml.sax.Attributes;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.helpers.DefaultHandler;

/**
 * Reads the elements of a manifest that say where segments are. Bounded in bytes, elements and
 * depth.
 */
final class MpdReader extends DefaultHandler {
  static final int MAX_DEPTH = 24;
  static final int MAX_ELEMENTS = 100_000;
  private static final int MAX_TEXT = 8192;

  private static final Set<String> INFORMATION =
      Set.of("BaseURL", "SegmentBase", "SegmentList", "SegmentTemplate");

  /** The children of each element that are kept. */
  private static final Map<String, Set<String>> KEPT =
      Map.of(
          "MPD", union("Period", "BaseURL"),
          "Period", union("AdaptationSet"),
          "AdaptationSet", union("Representation"),
          "Representation", INFORMATION,
          "SegmentBase", Set.of("Initialization"),
          "SegmentList", Set.of("Initialization", "SegmentURL", "SegmentTimeline"),
          "SegmentTemplate", Set.of("Initialization", "SegmentTimeline"));

  private static final Set<String> ATTRIBUTES =
      Set.of(
          "type",
          "minimumUpdatePeriod",
          "mediaPresentationDuration",
          "availabilityStartTime",
          "timeShiftBufferDepth",
          "id",
          "bandwidth",
          "start",
          "duration",
          "timescale",
          "startNumber",
          "endNumber",
          "presentationTimeOffset",
          "availabilityTimeOffset",
          "media",
          "initialization",
          "sourceURL");

  private final Deque<MpdElement> open = new ArrayDeque<>();
  private final StringBuilder text = new StringBuilder();
  private @Nullable MpdElement root;
  private int elements;
  private int depth;

  /** Depth of the outermost open element that is not kept; 0 while all open ones are. */
  private int droppedFrom;

  private MpdReader() {}

  private static Set<String> union(String... others) {
    Set<String> all = new HashSet<>(INFORMATION);
    all.addAll(Set.of(others));
    return Set.copyOf(all);
  }

  static MpdElement read(byte[] document) throws RefusedException {
    if (document.length > DashManifest.MAX_BYTES) {
      throw new RefusedException("the manifest has more than " + DashManifest.MAX_BYTES + " bytes");
    }
    MpdReader reader = new MpdReader();
    InputSource source = new InputSource(new ByteArrayInputStream(document));
    // A declaration of another encoding is ignored: manifests are UTF-8.
    source.setEncoding("UTF-8");
    try {
      SAXParserFactory factory = SAXParserFactory.newDefaultInstance();
      // No DTD, hence no entities of any kind: no file is read and nothing expands.
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      factory.newSAXParser().parse(source, reader);
    } catch (SAXException e) {
      if (e.getException() instanceof RefusedException bound) {
        throw bound;
      }
      throw notOne(e);
    } catch (IOException e) {
      // Bytes that are no UTF-8.
      throw notOne(e);
    } catch (ParserConfigurationException e) {
      throw new IllegalStateException("no secure XML parser in this Java", e);
    }
    MpdElement root = reader.root;
    if (root == null) {
      throw new RefusedException("not a DASH manifest: it is empty");
    }
    return root;
  }

  private static RefusedException notOne(Exception e) {
    return new RefusedException(
        "not a DASH manifest: " + Printable.json(String.valueOf(e.getMessage())));
  }

  @Override
  public void startElement(String uri, String localName, String name, Attributes attributes)
      throws SAXException {
    if (++depth > MAX_DEPTH) {
      throw refused("the manifest has elements nested deeper than " + MAX_DEPTH);
    }
    if (++elements > MAX_ELEMENTS) {
      throw refused("the manifest has more than " + MAX_ELEMENTS + " elements");
    }
    if (droppedFrom > 0) {
      return;
    }
    String plain = name.substring(name.indexOf(':') + 1);
    MpdElement parent = open.peek();
    if (parent == null && !plain.equals("MPD")) {
      throw refused("not a DASH manifest: its root element is not MPD");
    }
    if (parent != null && parent.name.equals("SegmentTimeline") && plain.equals("S")) {
      parent.runs.add(run(attributes));
      droppedFrom = depth;
      return;
    }
    if (parent != null && !KEPT.getOrDefault(parent.name, Set.of()).contains(plain)) {
      droppedFrom = depth;
      return;
    }
    MpdElement element = new MpdElement(plain, kept(attributes));
    if (parent == null) {
      root = element;
    } else {
      parent.children.add(element);
    }
    open.push(element);
    text.setLength(0);
  }

  private static Run run(Attributes attributes) throws SAXException {
    try {
      String repeat = attributes.getValue("r");
      return new Run(
          number(attributes, "t", Run.ABSENT),
          number(attributes, "d", 0),
          repeat != null && repeat.startsWith("-") ? -1 : number(attributes, "r", 0),
          number(attributes, "n", Run.ABSENT));
    } catch (RefusedException e) {
      throw new SAXException(e);
    }
  }

  private static long number(Attributes attributes, String name, long absent)
      throws RefusedException {
    return MpdValues.number(name, attributes.getValue(name), absent);
  }

  private static Map<String, String> kept(Attributes attributes) throws SAXException {
    Map<String, String> kept = null;
    for (int i = 0; i < attributes.getLength(); i++) {
      String name = attributes.getQName(i);
      if (ATTRIBUTES.contains(name)) {
        String value = attributes.getValue(i);
        if (value.length() > MAX_TEXT) {
          throw refused("the attribute " + name + " has more than " + MAX_TEXT + " characters");
        }
        if (kept == null) {
          kept = new HashMap<>(8);
        }
        kept.put(name, value);
      }
    }
    return kept == null ? Map.of() : kept;
  }

  @Override
  public void characters(char[] characters, int start, int length) throws SAXException {
    MpdElement element = open.peek();
    if (droppedFrom > 0 || element == null || !element.name.equals("BaseURL")) {
      return;
    }
    if (text.length() + length > MAX_TEXT) {
      throw refused("a BaseURL has more than " + MAX_TEXT + " characters");
    }
    text.append(characters, start, length);
  }

  @Override
  public void endElement(String uri, String localName, String name) {
    if (droppedFrom == 0) {
      MpdElement element = open.pop();
      if (element.name.equals("BaseURL")) {
        element.text = text.toString().strip();
      }
    } else if (droppedFrom == depth) {
      droppedFrom = 0;
    }
    depth--;
  }

  private static SAXException refused(String message) {
    return new SAXException(new RefusedException(message));
  }
}
