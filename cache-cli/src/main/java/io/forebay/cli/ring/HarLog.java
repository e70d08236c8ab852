package io.forebay.cli.ring;

import io.forebay.cli.console.Output;
import io.forebay.cli.console.VersionInfo;
import io.forebay.server.ring.RingRecord;
import io.forebay.server.ring.RingText;
import io.forebay.server.text.Printable;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Records as an HTTP archive (HAR 1.2), written one by one. Rings hold no header fields but two, so
 * the lists of these are short; what HAR has no name for begins with an underscore.
 */
final class HarLog {
  private final Output output;
  private boolean isBegun;

  HarLog(Output output) {
    this.output = output;
  }

  void begin() {
    ObjectNode creator = Output.mapper().createObjectNode();
    creator.put("name", "forebay");
    creator.put("version", VersionInfo.forebayVersion());
    output.raw("{\"log\":{\"version\":\"1.2\",\"creator\":" + creator + ",\"entries\":[");
  }

  void add(RingRecord record) {
    output.raw((isBegun ? "," : "") + entry(record));
    isBegun = true;
  }

  void end() {
    output.raw("]}}");
  }

  static ObjectNode entry(RingRecord record) {
    double total = Math.max(0, record.durationNanos()) / 1e6;
    double first = record.firstByteNanos() < 0 ? total : record.firstByteNanos() / 1e6;
    ObjectNode entry = Output.mapper().createObjectNode();
    entry.put("startedDateTime", Instant.ofEpochMilli(record.startMillis()).toString());
    entry.put("time", total);
    request(entry.putObject("request"), record);
    response(entry.putObject("response"), record);
    entry.putObject("cache");
    ObjectNode timings = entry.putObject("timings");
    timings.put("send", 0);
    timings.put("wait", Math.min(first, total));
    timings.put("receive", Math.max(0, total - first));
    entry.put("_cache", record.cacheName());
    put(entry, "_reason", record, RingText.REASON);
    put(entry, "_route", record, RingText.ROUTE);
    put(entry, "_origin", record, RingText.ORIGIN);
    put(entry, "_client", record, RingText.CLIENT);
    put(entry, "_requestId", record, RingText.REQUEST_ID);
    put(entry, "_error", record, RingText.ERROR);
    put(entry, "_abort", record, RingText.ABORT);
    return entry;
  }

  private static void put(ObjectNode node, String name, RingRecord record, RingText text) {
    if (record.text(text) != null) {
      node.put(name, Printable.jsonWhole(record.textOrEmpty(text)));
    }
  }

  private static void request(ObjectNode request, RingRecord record) {
    request.put("method", Printable.jsonWhole(record.textOrEmpty(RingText.METHOD)));
    request.put("url", Printable.jsonWhole(record.url()));
    request.put("httpVersion", record.textOrEmpty(RingText.PROTOCOL));
    request.putArray("cookies");
    ArrayNode headers = request.putArray("headers");
    header(headers, "user-agent", record, RingText.USER_AGENT);
    header(headers, "referer", record, RingText.REFERER);
    query(request.putArray("queryString"), record.textOrEmpty(RingText.QUERY));
    request.put("headersSize", -1);
    request.put("bodySize", -1);
  }

  private static void header(ArrayNode headers, String name, RingRecord record, RingText text) {
    if (record.text(text) != null) {
      ObjectNode header = headers.addObject();
      header.put("name", name);
      header.put("value", Printable.jsonWhole(record.textOrEmpty(text)));
    }
  }

  private static void query(ArrayNode pairs, String query) {
    for (String pair : query.isEmpty() ? new String[0] : query.split("&", -1)) {
      int equals = pair.indexOf('=');
      ObjectNode node = pairs.addObject();
      node.put("name", decoded(equals < 0 ? pair : pair.substring(0, equals)));
      node.put("value", equals < 0 ? "" : decoded(pair.substring(equals + 1)));
    }
  }

  private static String decoded(String text) {
    try {
      return Printable.jsonWhole(URLDecoder.decode(text, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException asItIs) {
      return Printable.jsonWhole(text);
    }
  }

  private static void response(ObjectNode response, RingRecord record) {
    response.put("status", record.status());
    response.put("statusText", "");
    response.put("httpVersion", record.textOrEmpty(RingText.PROTOCOL));
    response.putArray("cookies");
    response.putArray("headers");
    ObjectNode content = response.putObject("content");
    content.put("size", record.bytes());
    content.put("mimeType", "");
    response.put("redirectURL", "");
    response.put("headersSize", -1);
    response.put("bodySize", record.bytes());
  }
}
