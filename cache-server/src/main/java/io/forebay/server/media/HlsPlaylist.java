package io.forebay.server.media;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an HLS playlist says (RFC 8216 and its second edition, draft-pantos-hls-rfc8216bis).
 *
 * @param isMaster whether it names variants instead of segments
 * @param targetDuration of its segments; zero if it does not say
 * @param partTarget target duration of its parts; zero if it has none
 * @param mediaSequence the number of its first segment, skipped ones included
 * @param isDelta whether it leaves out segments that an earlier version has ({@code EXT-X-SKIP})
 * @param lastMsn the number of its last whole segment; -1 if it has none
 * @param lastPart the index of the last part of the segment after that; -1 if it has none
 * @param hasEnded whether no segments follow ({@code EXT-X-ENDLIST})
 * @param serverControl what its origin can do
 * @param references the URIs in it, in their order
 */
public record HlsPlaylist(
    boolean isMaster,
    Duration targetDuration,
    Duration partTarget,
    long mediaSequence,
    boolean isDelta,
    long lastMsn,
    int lastPart,
    boolean hasEnded,
    ServerControl serverControl,
    List<Reference> references) {

  /** No longer text is parsed: about a day of segments of two seconds. */
  public static final int MAX_CHARS = 8 << 20;

  static final int MAX_LINES = 400_000;
  static final int MAX_LINE_CHARS = 16 << 10;
  static final int MAX_REFERENCES = 100_000;
  private static final int MAX_URI_CHARS = 8192;
  private static final int MAX_ATTRIBUTES = 64;

  /** Longer than any duration of a segment: a day. */
  private static final int MAX_SECONDS = 86_400;

  private static final long MAX_SEQUENCE = Long.MAX_VALUE / 4;
  private static final Pattern DECIMAL = Pattern.compile("\\d{1,12}(\\.\\d{0,12})?");
  private static final Pattern INTEGER = Pattern.compile("\\d{1,19}");

  public HlsPlaylist {
    references = List.copyOf(references);
  }

  /** What a URI of a playlist names. */
  public enum Kind {
    SEGMENT,
    PART,
    /** An initialization section ({@code EXT-X-MAP}). */
    MAP,
    VARIANT,
    RENDITION,
    /** A part that may not exist yet ({@code EXT-X-PRELOAD-HINT}). */
    PART_HINT,
    /** An initialization section that may not be needed yet. */
    MAP_HINT
  }

  /**
   * A URI of a playlist, as written there.
   *
   * @param duration of a segment or a part; zero if not said
   * @param offset where the bytes begin, of a reference to a range; else -1
   * @param length how many bytes, of a reference to a range; -1 for all, and up to the end for a
   *     hint
   */
  public record Reference(Kind kind, String uri, Duration duration, long offset, long length) {}

  /**
   * {@code EXT-X-SERVER-CONTROL}; durations are zero if not said.
   *
   * @param canBlockReload whether the origin holds requests with {@code _HLS_msn}
   * @param holdBack least distance of players from the end of the playlist
   * @param partHoldBack the same, in low-latency mode
   * @param canSkipUntil how far from the end segments can be left out; zero: no deltas
   */
  public record ServerControl(
      boolean canBlockReload, Duration holdBack, Duration partHoldBack, Duration canSkipUntil) {
    static final ServerControl NONE =
        new ServerControl(false, Duration.ZERO, Duration.ZERO, Duration.ZERO);
  }

  /** The playlist, or nothing if the text is none, exceeds a bound, or has a malformed tag. */
  public static Optional<HlsPlaylist> parse(String text) {
    if (text.length() > MAX_CHARS) {
      return Optional.empty();
    }
    try {
      return Optional.ofNullable(new Parser().parse(text));
    } catch (MalformedException e) {
      return Optional.empty();
    }
  }

  /**
   * How often a player of this playlist expects news: the part target, else the target duration.
   */
  public Duration updateInterval() {
    return partTarget.isZero() ? targetDuration : partTarget;
  }

  private static final class MalformedException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedException(String message) {
      super(message, null, false, false);
    }
  }

  private static final class Parser {
    private final List<Reference> references = new ArrayList<>();
    private Duration targetDuration = Duration.ZERO;
    private Duration partTarget = Duration.ZERO;
    private ServerControl serverControl = ServerControl.NONE;
    private long mediaSequence;
    private long skipped;
    private boolean isDelta;
    private boolean hasEnded;
    private boolean isMaster;
    private boolean isMedia;

    private long segments;
    private int parts;
    private boolean isVariantNext;
    private Duration nextDuration = Duration.ZERO;
    private long nextOffset = -1;
    private long nextLength = -1;
    private long rangeEnd;
    private String rangeUri = "";

    @Nullable HlsPlaylist parse(String text) throws MalformedException {
      int from = text.startsWith("\uFEFF") ? 1 : 0;
      boolean isFirst = true;
      int lines = 0;
      while (from < text.length()) {
        int end = text.indexOf('\n', from);
        end = end < 0 ? text.length() : end;
        if (end - from > MAX_LINE_CHARS || ++lines > MAX_LINES) {
          throw new MalformedException("too long");
        }
        String line = text.substring(from, end).strip();
        from = end + 1;
        if (line.isEmpty()) {
          continue;
        }
        if (isFirst) {
          if (!line.startsWith("#EXTM3U")) {
            return null;
          }
          isFirst = false;
        } else if (line.charAt(0) != '#') {
          onUri(line);
        } else if (line.startsWith("#EXT")) {
          onTag(line);
        }
      }
      return isFirst ? null : playlist();
    }

    private HlsPlaylist playlist() throws MalformedException {
      if (isMaster && isMedia) {
        throw new MalformedException("variants beside segments");
      }
      long last = mediaSequence + skipped + segments - 1;
      return new HlsPlaylist(
          isMaster,
          targetDuration,
          partTarget,
          mediaSequence,
          isDelta,
          skipped + segments == 0 ? -1 : last,
          parts - 1,
          hasEnded,
          serverControl,
          references);
    }

    private void onUri(String uri) throws MalformedException {
      if (isVariantNext) {
        add(Kind.VARIANT, uri, Duration.ZERO, -1, -1);
        isVariantNext = false;
        return;
      }
      long offset = nextOffset;
      if (nextLength >= 0) {
        offset = offset >= 0 ? offset : uri.equals(rangeUri) ? rangeEnd : 0;
        rangeUri = uri;
        rangeEnd = end(offset, nextLength);
      }
      add(Kind.SEGMENT, uri, nextDuration, offset, nextLength);
      segments++;
      parts = 0;
      nextDuration = Duration.ZERO;
      nextOffset = -1;
      nextLength = -1;
    }

    private void onTag(String line) throws MalformedException {
      int colon = line.indexOf(':');
      String name = colon < 0 ? line : line.substring(0, colon);
      String value = colon < 0 ? "" : line.substring(colon + 1).strip();
      switch (name) {
        case "#EXTINF" -> {
          isMedia = true;
          int comma = value.indexOf(',');
          String seconds = comma < 0 ? value : value.substring(0, comma).strip();
          // Players bear other texts here, so this parser does too.
          nextDuration = DECIMAL.matcher(seconds).matches() ? seconds(seconds) : Duration.ZERO;
        }
        case "#EXT-X-TARGETDURATION" -> {
          isMedia = true;
          targetDuration = seconds(value);
        }
        case "#EXT-X-MEDIA-SEQUENCE" -> {
          isMedia = true;
          mediaSequence = number(value);
        }
        case "#EXT-X-ENDLIST" -> hasEnded = true;
        case "#EXT-X-BYTERANGE" -> {
          int at = value.indexOf('@');
          nextLength = number(at < 0 ? value : value.substring(0, at));
          nextOffset = at < 0 ? -1 : number(value.substring(at + 1));
        }
        case "#EXT-X-PART-INF" -> partTarget = seconds(required(attributes(value), "PART-TARGET"));
        case "#EXT-X-SERVER-CONTROL" -> serverControl = serverControl(attributes(value));
        case "#EXT-X-SKIP" -> {
          isDelta = true;
          skipped = number(required(attributes(value), "SKIPPED-SEGMENTS"));
        }
        case "#EXT-X-PART" -> onPart(attributes(value));
        case "#EXT-X-PRELOAD-HINT" -> onHint(attributes(value));
        case "#EXT-X-MAP" -> onMap(attributes(value));
        case "#EXT-X-STREAM-INF" -> {
          isMaster = true;
          isVariantNext = true;
        }
        case "#EXT-X-I-FRAME-STREAM-INF" -> {
          isMaster = true;
          addOf(Kind.VARIANT, attributes(value));
        }
        case "#EXT-X-MEDIA" -> addOf(Kind.RENDITION, attributes(value));
        // Keys are nobody's to store, and the others have no URI of the presentation.
        default -> {}
      }
    }

    private void onPart(Map<String, String> attributes) throws MalformedException {
      isMedia = true;
      String uri = required(attributes, "URI");
      Duration duration = seconds(required(attributes, "DURATION"));
      String range = attributes.get("BYTERANGE");
      if (range == null) {
        add(Kind.PART, uri, duration, -1, -1);
      } else {
        int at = range.indexOf('@');
        long length = number(at < 0 ? range : range.substring(0, at));
        long offset =
            at >= 0 ? number(range.substring(at + 1)) : uri.equals(rangeUri) ? rangeEnd : 0;
        rangeUri = uri;
        rangeEnd = end(offset, length);
        add(Kind.PART, uri, duration, offset, length);
      }
      parts++;
    }

    private void onHint(Map<String, String> attributes) throws MalformedException {
      @Nullable Kind kind =
          switch (attributes.getOrDefault("TYPE", "")) {
            case "PART" -> Kind.PART_HINT;
            case "MAP" -> Kind.MAP_HINT;
            default -> null;
          };
      if (kind == null) {
        return;
      }
      String start = attributes.get("BYTERANGE-START");
      String length = attributes.get("BYTERANGE-LENGTH");
      boolean isRange = start != null || length != null;
      add(
          kind,
          required(attributes, "URI"),
          Duration.ZERO,
          isRange ? (start == null ? 0 : number(start)) : -1,
          length == null ? -1 : number(length));
    }

    private void onMap(Map<String, String> attributes) throws MalformedException {
      String range = attributes.get("BYTERANGE");
      int at = range == null ? -1 : range.indexOf('@');
      add(
          Kind.MAP,
          required(attributes, "URI"),
          Duration.ZERO,
          range == null ? -1 : at < 0 ? 0 : number(range.substring(at + 1)),
          range == null ? -1 : number(at < 0 ? range : range.substring(0, at)));
    }

    private void addOf(Kind kind, Map<String, String> attributes) throws MalformedException {
      String uri = attributes.get("URI");
      // A rendition without a URI is in the stream of its variants.
      if (uri != null) {
        add(kind, uri, Duration.ZERO, -1, -1);
      }
    }

    private void add(Kind kind, String uri, Duration duration, long offset, long length)
        throws MalformedException {
      if (uri.isEmpty() || uri.length() > MAX_URI_CHARS || references.size() >= MAX_REFERENCES) {
        throw new MalformedException("a URI of " + uri.length() + " characters, or too many");
      }
      // A variable of EXT-X-DEFINE: what it stands for is not known here.
      if (!uri.contains("{$")) {
        references.add(new Reference(kind, uri, duration, offset, length));
      }
    }

    private static ServerControl serverControl(Map<String, String> attributes)
        throws MalformedException {
      return new ServerControl(
          "YES".equals(attributes.get("CAN-BLOCK-RELOAD")),
          seconds(attributes.getOrDefault("HOLD-BACK", "0")),
          seconds(attributes.getOrDefault("PART-HOLD-BACK", "0")),
          seconds(attributes.getOrDefault("CAN-SKIP-UNTIL", "0")));
    }

    private static String required(Map<String, String> attributes, String name)
        throws MalformedException {
      String value = attributes.get(name);
      if (value == null) {
        throw new MalformedException("no " + name);
      }
      return value;
    }

    private static Duration seconds(String text) throws MalformedException {
      if (!DECIMAL.matcher(text).matches()) {
        throw new MalformedException("not a duration");
      }
      BigDecimal seconds = new BigDecimal(text);
      if (seconds.compareTo(BigDecimal.valueOf(MAX_SECONDS)) > 0) {
        throw new MalformedException("longer than a day");
      }
      return Duration.ofNanos(seconds.movePointRight(9).longValue());
    }

    private static long end(long offset, long length) throws MalformedException {
      if (offset > MAX_SEQUENCE) {
        throw new MalformedException("ranges without end");
      }
      return offset + length;
    }

    private static long number(String text) throws MalformedException {
      try {
        if (INTEGER.matcher(text).matches()) {
          long number = Long.parseLong(text);
          if (number <= MAX_SEQUENCE) {
            return number;
          }
        }
      } catch (NumberFormatException e) {
        // Falls through: larger than a long.
      }
      throw new MalformedException("not a number within bounds");
    }

    /** Attribute lists: names, and values without their quotes. */
    private static Map<String, String> attributes(String text) throws MalformedException {
      Map<String, String> attributes = new HashMap<>();
      int at = 0;
      while (at < text.length()) {
        int equals = text.indexOf('=', at);
        if (equals < 0 || attributes.size() >= MAX_ATTRIBUTES) {
          throw new MalformedException("not a list of attributes");
        }
        String name = text.substring(at, equals).strip();
        int end;
        String value;
        if (equals + 1 < text.length() && text.charAt(equals + 1) == '"') {
          int quote = text.indexOf('"', equals + 2);
          if (quote < 0) {
            throw new MalformedException("a quote is not closed");
          }
          value = text.substring(equals + 2, quote);
          end = text.indexOf(',', quote);
        } else {
          end = text.indexOf(',', equals);
          value = text.substring(equals + 1, end < 0 ? text.length() : end).strip();
        }
        attributes.putIfAbsent(name, value);
        at = end < 0 ? text.length() : end + 1;
      }
      return attributes;
    }
  }
}
