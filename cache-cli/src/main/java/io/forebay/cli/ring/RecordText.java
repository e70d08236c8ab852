package io.forebay.cli.ring;

import io.forebay.cli.console.Output;
import io.forebay.server.ring.RingRecord;
import io.forebay.server.ring.RingText;
import io.forebay.server.text.Printable;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/**
 * A record as a line and as JSON. What clients sent never reaches the terminal as it is: control
 * characters become question marks.
 */
final class RecordText {
  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final int MAX_URL = 1200;

  private RecordText() {}

  static String line(RingRecord record) {
    StringBuilder line = new StringBuilder(200);
    line.append(CLOCK.format(Instant.ofEpochMilli(record.startMillis())))
        .append(String.format(Locale.ROOT, " %3d %-11s", record.status(), record.cacheName()))
        .append(' ')
        .append(time(record.firstByteNanos()))
        .append(' ')
        .append(time(record.durationNanos()))
        .append(String.format(Locale.ROOT, " %10d B  ", record.bytes()))
        .append(shown(record, RingText.METHOD))
        .append(' ')
        .append(Printable.shown(record.url(), MAX_URL));
    append(line, "client", record, RingText.CLIENT);
    append(line, "route", record, RingText.ROUTE);
    append(line, "reason", record, RingText.REASON);
    append(line, "error", record, RingText.ERROR);
    append(line, "abort", record, RingText.ABORT);
    return line.toString();
  }

  private static void append(StringBuilder line, String name, RingRecord record, RingText text) {
    if (record.text(text) != null) {
      line.append("  ").append(name).append('=').append(shown(record, text));
    }
  }

  static String shown(RingRecord record, RingText text) {
    return Printable.shown(record.textOrEmpty(text), MAX_URL);
  }

  /** A time with three digits, seven columns wide. */
  static String time(long nanos) {
    if (nanos < 0) {
      return "      -";
    }
    double micros = nanos / 1e3;
    return micros < 1_000
        ? digits(micros) + "us"
        : micros < 1e6 ? digits(micros / 1e3) + "ms" : digits(micros / 1e6) + "s ";
  }

  private static String digits(double value) {
    return String.format(
        Locale.ROOT, value < 10 ? "%5.2f" : value < 100 ? "%5.1f" : "%5.0f", value);
  }

  /** Fields as the access log names them, and those that only a ring has. */
  static ObjectNode json(RingRecord record) {
    ObjectNode json = Output.mapper().createObjectNode();
    json.put("ts", Instant.ofEpochMilli(record.startMillis()).toString());
    put(json, "request_id", record, RingText.REQUEST_ID);
    put(json, "client", record, RingText.CLIENT);
    put(json, "method", record, RingText.METHOD);
    put(json, "scheme", record, RingText.SCHEME);
    put(json, "host", record, RingText.HOST);
    json.put("target", Printable.jsonWhole(record.target()));
    put(json, "protocol", record, RingText.PROTOCOL);
    json.put("status", record.status());
    json.put("bytes", record.bytes());
    put(json, "coding", record, RingText.CODING);
    json.put("duration_us", Math.max(0, record.durationNanos()) / 1000);
    if (record.firstByteNanos() >= 0) {
      json.put("first_byte_us", record.firstByteNanos() / 1000);
    }
    json.put("cache", record.cacheName());
    put(json, "reason", record, RingText.REASON);
    put(json, "route", record, RingText.ROUTE);
    put(json, "origin", record, RingText.ORIGIN);
    if (record.fetchNanos() >= 0) {
      json.put("fetch_us", record.fetchNanos() / 1000);
    }
    put(json, "referer", record, RingText.REFERER);
    put(json, "user_agent", record, RingText.USER_AGENT);
    put(json, "error", record, RingText.ERROR);
    put(json, "abort", record, RingText.ABORT);
    if (record.isCut()) {
      json.put("truncated", true);
    }
    if (record.fill() != 0) {
      json.put("fill", record.fill());
    }
    json.put("loop", record.loop());
    return json;
  }

  private static void put(ObjectNode json, String name, RingRecord record, RingText text) {
    String value = record.text(text);
    if (value != null) {
      json.put(name, Printable.jsonWhole(value));
    }
  }
}
