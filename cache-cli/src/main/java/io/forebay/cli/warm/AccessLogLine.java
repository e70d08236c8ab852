package io.forebay.cli.warm;

import io.forebay.cli.console.Output;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * A request of an access log that a warm-up can repeat: a GET that was answered with a response
 * which a cache may have.
 *
 * @param base scheme and host, or null where the log does not tell them
 * @param target path and query
 * @param requests that the line stands for
 */
record AccessLogLine(
    @Nullable String base, String target, @Nullable Instant time, double requests) {
  /** Longer lines are skipped. */
  static final int MAX_LENGTH = 64 * 1024;

  private static final Set<Integer> STATUSES = Set.of(200, 203, 206, 301, 304, 308);

  /** A value that the log hides: what was requested is not known. */
  private static final Pattern MASKED = Pattern.compile("=\\*{1,3}(?:[?&;#]|$)");

  private static final Set<String> UNCACHED = Set.of("pass", "synthetic", "refused");
  private static final DateTimeFormatter COMMON =
      DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH);

  /** Whether a line can be read at all. */
  enum Kind {
    REQUEST,
    OTHER,
    UNREADABLE
  }

  /** What a line is; {@code line} is there for requests only. */
  record Parsed(Kind kind, @Nullable AccessLogLine line) {
    static final Parsed OTHER = new Parsed(Kind.OTHER, null);
    static final Parsed UNREADABLE = new Parsed(Kind.UNREADABLE, null);
  }

  /** A line of this node's log, or of the common or combined format. */
  static Parsed parse(String text) {
    return text.startsWith("{") ? json(text) : common(text);
  }

  private static Parsed json(String text) {
    JsonNode node;
    try {
      node = Output.mapper().readTree(text);
    } catch (JacksonException e) {
      return Parsed.UNREADABLE;
    }
    String host = node.path("host").asString("");
    String target = node.path("target").asString("");
    if (!node.path("v").isNumber()) {
      return Parsed.UNREADABLE;
    }
    if (!node.path("method").asString("").equals("GET")
        || !STATUSES.contains(node.path("status").asInt(0))
        || UNCACHED.contains(node.path("cache").asString(""))
        || node.path("truncated").asBoolean(false)
        || !isTarget(target)) {
      return Parsed.OTHER;
    }
    double sampled = node.path("sampled").asDouble(100);
    String base = host.isEmpty() ? null : node.path("scheme").asString("http") + "://" + host;
    return request(
        new AccessLogLine(
            base,
            target,
            instant(node.path("ts").asString("")),
            sampled > 0 && sampled <= 100 ? 100 / sampled : 1));
  }

  private static Parsed request(AccessLogLine line) {
    return new Parsed(Kind.REQUEST, line);
  }

  private static @Nullable Instant instant(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeException e) {
      return null;
    }
  }

  /** {@code 192.0.2.1 - - [01/Jan/2026:00:00:00 +0000] "GET /a HTTP/1.1" 200 5 …}. */
  private static Parsed common(String text) {
    int timeStart = text.indexOf(" [");
    int timeEnd = text.indexOf("] \"", timeStart + 1);
    int requestEnd = timeStart < 0 || timeEnd < 0 ? -1 : text.indexOf("\" ", timeEnd + 3);
    if (requestEnd < 0) {
      return Parsed.UNREADABLE;
    }
    Instant time;
    try {
      time = OffsetDateTime.parse(text.substring(timeStart + 2, timeEnd), COMMON).toInstant();
    } catch (DateTimeException e) {
      return Parsed.UNREADABLE;
    }
    String[] request = text.substring(timeEnd + 3, requestEnd).split(" ", -1);
    String status = text.substring(requestEnd + 2, Math.min(text.length(), requestEnd + 5));
    if (!status.matches("\\d{3}")) {
      return Parsed.UNREADABLE;
    }
    if (request.length != 3
        || !request[0].equals("GET")
        || !STATUSES.contains(Integer.parseInt(status))
        || !isTarget(request[1])) {
      return Parsed.OTHER;
    }
    return request(new AccessLogLine(null, request[1], time, 1));
  }

  private static boolean isTarget(String text) {
    return text.startsWith("/")
        && text.length() <= 8192
        && text.chars().allMatch(c -> c > 0x20)
        && !MASKED.matcher(text).find();
  }
}
