package io.forebay.server.accesslog;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.LogConfig;
import io.forebay.server.config.LogField;
import io.forebay.server.config.LogSampling;
import io.forebay.server.config.RouteLog;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Lines as a configuration wants them: of text, of chosen fields, with less of clients. */
final class TextFormatTest {
  private final FakeEvent event = new FakeEvent();

  private static LogConfig.Lines lines(String format) {
    return new LogConfig.Lines(format, List.of(), LogConfig.Lines.DEFAULT.mask(), 32, 128);
  }

  private String line(LogConfig.Lines lines) {
    return line(lines, LogSampling.ALL);
  }

  private String line(LogConfig.Lines lines, int share) {
    AccessRecord record = new AccessRecord();
    record.fill(event, share);
    byte[] out = new byte[AccessFormat.MAX_LINE_LENGTH];
    int length = AccessFormat.of(lines).append(out, 0, record);
    String line = new String(out, 0, length, StandardCharsets.UTF_8);
    assertEquals(line.length() - 1, line.indexOf('\n'), line);
    return line.substring(0, line.length() - 1);
  }

  @Test
  void combinedIsWhatOtherServersWrite() {
    assertEquals(
        "192.0.2.7 - - [04/Mar/2026:05:06:07 +0000] \"GET /p?q=1 HTTP/2\" 200 12345678901"
            + " \"http://r/\" \"ua\"",
        line(lines("combined")));
    event.referer = null;
    event.userAgent = null;
    event.query = null;
    event.status = 0;
    assertEquals(
        "192.0.2.7 - - [04/Mar/2026:05:06:07 +0000] \"GET /p HTTP/2\" 499 12345678901 \"-\" \"-\"",
        line(lines("combined")));
  }

  @Test
  void hostileBytesForgeNeitherALineNorAColumn() {
    StringBuilder all = new StringBuilder();
    for (char c = 0; c < 256; c++) {
      all.append(c);
    }
    event.userAgent = "\" 200 1 \"-\" \"forged\"\n10.0.0.1 - - [now] \\x22";
    event.referer = all;
    String line = line(lines("combined"));
    assertTrue(line.chars().allMatch(c -> c >= 0x20 && c < 0x7F), line);
    // The quotes of the template and no others.
    assertEquals(6, line.chars().filter(c -> c == '"').count(), line);
    assertTrue(
        line.endsWith(
            "\"\\x22 200 1 \\x22-\\x22 \\x22forged\\x22\\x0A10.0.0.1 - - [now]" + " \\x5Cx22\""),
        line);
    assertTrue(line.contains("\\x00\\x01") && line.contains("~\\x7F\\x80"), line);
  }

  @Test
  void outsideOfQuotesAColumnIsOneWord() {
    event.userAgent = "a b|c;d,e";
    assertEquals("a\\x20b|c;d,e 200", line(lines("{user_agent} {status}")));
    assertEquals("a b|c;d,e\" 200", line(lines("\"{user_agent}\" {status}")).substring(1));
    assertEquals("a\\x20b\\x7Cc;d,e|200", line(lines("{user_agent}|{status}")));
    assertEquals("{a\\x20b|c;d\\x2Ce},200", line(lines("{{{user_agent}}},{status}")));
    event.userAgent = "\t";
    assertEquals("\\x09\t200", line(lines("{user_agent}\t{status}")));
  }

  @Test
  void everyFieldCanStandInText() {
    for (LogField field : LogField.values()) {
      String name = field.label();
      if (field == LogField.REQUEST_HEADERS || field == LogField.RESPONSE_HEADERS) {
        name += ".x-country";
      }
      assertFalse(line(lines("<{" + name + "}>")).equals("<>"), name);
    }
    assertEquals("100", line(lines("{sampled}")));
    assertEquals("0.05", line(lines("{sampled}"), 5));
    assertEquals("1.5", line(lines("{sampled}"), 150));
  }

  @Test
  void headerFieldsThatARouteLogsStandInText() {
    event.rules = new RouteLog(true, 100, List.of("x-a", "x-b"), List.of(), Set.of());
    event.headers = List.of("1 2", "https://h/?token=abc");
    assertEquals(
        "1\\x202 https://h/?token=*** -",
        line(lines("{request_headers.x-a} {request_headers.x-b} {response_headers.x-a}")));
  }

  @Test
  void jsonHasTheChosenFieldsInTheirOrderAndWhatIsNeededToUnderstandThem() {
    LogConfig.Lines chosen =
        new LogConfig.Lines(
            "json", List.of(LogField.STATUS, LogField.CLIENT, LogField.JA4), List.of(), 32, 128);
    assertEquals("{\"v\":1,\"status\":200,\"client\":\"192.0.2.7\"}", line(chosen));
    event.path = "/" + "a".repeat(5000);
    assertEquals(
        "{\"v\":1,\"status\":200,\"client\":\"192.0.2.7\",\"sampled\":0.5,\"truncated\":true}",
        line(chosen, 50));
  }

  @Test
  void secretsOfUrlsAreMasked() {
    event.path = "/p;jsessionid=abc";
    event.query = "token=abc&q=1&SIGNATURE=def";
    event.referer = "http://r/?key=abc";
    JsonNode line = JsonMapper.shared().readTree(line(LogConfig.Lines.DEFAULT));
    assertEquals("/p;jsessionid=***?token=***&q=1&SIGNATURE=***", line.path("target").asString());
    assertEquals("http://r/?key=***", line.path("referer").asString());
  }

  @Test
  void addressesLoseTheirLastBits() {
    LogConfig.Lines truncated = new LogConfig.Lines("{client}", List.of(), List.of(), 24, 48);
    event.client = "192.0.2.77";
    assertEquals("192.0.2.0", line(truncated));
    event.client = "2001:db8:1:2:3:4:5:6";
    assertEquals("2001:db8:1::", line(truncated));
    event.client = "::ffff:192.0.2.77";
    assertEquals("192.0.2.0", line(truncated));
    event.client = "unix";
    assertEquals("-", line(truncated));
    LogConfig.Lines none = new LogConfig.Lines("{client}", List.of(), List.of(), 0, 0);
    event.client = "192.0.2.77";
    assertEquals("0.0.0.0", line(none));
    event.client = "2001:db8::1";
    assertEquals("::", line(none));
  }

  @Test
  void noLineIsLongerThanItsBound() {
    String huge = "\u0001".repeat(100_000);
    event.requestId = huge;
    event.traceparent = huge;
    event.host = huge;
    event.path = huge;
    event.query = huge;
    event.referer = huge;
    event.userAgent = huge;
    event.client = huge;
    event.method = huge;
    StringBuilder format = new StringBuilder();
    for (LogField field : LogField.values()) {
      if (field != LogField.REQUEST_HEADERS && field != LogField.RESPONSE_HEADERS) {
        format.append('{').append(field.label()).append('}');
      }
    }
    assertTrue(line(lines(format.toString())).length() < AccessFormat.MAX_LINE_LENGTH);
  }

  @Test
  void anyBytesGiveOneLineOfAsManyColumns() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 2_000; i++) {
      event.path = "/" + noise(random);
      event.query = noise(random);
      event.userAgent = noise(random);
      event.host = noise(random);
      String line = line(lines("{host} {target} \"{user_agent}\" {status}"));
      List<String> outside = new ArrayList<>();
      for (String part : (line + " ").split("\"", -1)) {
        outside.add(part);
      }
      assertEquals(3, outside.size(), () -> "seed " + seed + ": " + line);
      assertEquals(
          2, outside.getFirst().strip().split(" ", -1).length, () -> "seed " + seed + ": " + line);
      assertEquals(" 200 ", outside.getLast(), () -> "seed " + seed + ": " + line);
    }
  }

  private static String noise(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    for (int n = 1 + random.nextInt(40); n > 0; n--) {
      text.append((char) random.nextInt(256));
    }
    return text.toString();
  }
}
