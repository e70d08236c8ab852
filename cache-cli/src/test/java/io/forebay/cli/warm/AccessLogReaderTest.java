package io.forebay.cli.warm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.CommandException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class AccessLogReaderTest {
  private final FrequentUrls urls = new FrequentUrls();

  private void read(@Nullable String base, @Nullable String since, String... lines)
      throws IOException {
    new AccessLogReader(urls, base, since == null ? null : Instant.parse(since))
        .read(bytes(String.join("\n", lines) + "\n"), "log");
  }

  private static ByteArrayInputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String json(String target, String more) {
    return "{\"v\":1,\"ts\":\"2026-01-02T00:00:00.000Z\",\"method\":\"GET\",\"scheme\":\"https\","
        + "\"host\":\"a.example\",\"status\":200,\"target\":\""
        + target
        + "\""
        + more
        + "}";
  }

  @Test
  void readsTheLogOfANodeByPopularity() throws IOException {
    read(
        null,
        null,
        json("/one", ",\"cache\":\"hit\""),
        json("/two?q=1", ""),
        json("/two?q=1", ""),
        json("/passed", ",\"cache\":\"pass\""),
        json("/cut", ",\"truncated\":true"),
        json("/masked?token=***", ""),
        json("/masked?key=**&q=1", ""),
        json("/sampled", ",\"sampled\":1"),
        json("/post", "").replace("GET", "POST"),
        json("/missing", "").replace("200", "404"),
        "",
        "{broken",
        json("*", ""));
    assertEquals(
        List.of("https://a.example/sampled", "https://a.example/two?q=1", "https://a.example/one"),
        urls.top(10));
  }

  @Test
  void readsTheCommonAndTheCombinedFormat() throws IOException {
    String common = "192.0.2.1 - - [02/Jan/2026:00:00:00 +0000] \"GET /a HTTP/1.1\" 200 5";
    read(
        "https://b.example",
        null,
        common,
        common.replace("/a ", "/b?x ") + " \"http://ref/ [x] \" \"curl/8 (\\\"x\\\")\"",
        common.replace("192.0.2.1 - -", "::1 - user").replace("/a ", "/b?x "),
        common.replace("GET", "HEAD"),
        common.replace(" 200 ", " 500 "),
        common.replace("GET /a HTTP/1.1", "\\x16\\x03"),
        common.replace("GET /a HTTP/1.1", "GET /a b HTTP/1.1"));
    assertEquals(List.of("https://b.example/b?x", "https://b.example/a"), urls.top(10));
  }

  @Test
  void readsGzip() throws IOException {
    ByteArrayOutputStream zipped = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(zipped)) {
      out.write(json("/a", "").getBytes(StandardCharsets.UTF_8));
    }
    new AccessLogReader(urls, null, null)
        .read(new ByteArrayInputStream(zipped.toByteArray()), "log.gz");
    assertEquals(List.of("https://a.example/a"), urls.top(10));
  }

  @Test
  void countsFromATimeOn() throws IOException {
    String old = json("/old", "").replace("2026-01-02", "2026-01-01");
    read(null, "2026-01-01T12:00:00Z", old, old, json("/new", ""));
    assertEquals(List.of("https://a.example/new"), urls.top(10));
    Instant now = Instant.parse("2026-01-02T00:00:00Z");
    assertEquals(Instant.parse("2026-01-01T18:00:00Z"), WarmSources.instant("6h", now));
    assertEquals(Instant.parse("2025-12-31T00:00:00Z"), WarmSources.instant("2d", now));
    assertThrows(CommandException.class, () -> WarmSources.instant("yesterday", now));
  }

  @Test
  void linesThatAreTooLongAreSkipped() throws IOException {
    read(null, null, json("/a", ""), json("/" + "x".repeat(100_000), ""), json("/b", ""));
    assertEquals(List.of("https://a.example/a", "https://a.example/b"), urls.top(10));
  }

  @Test
  void saysWhatIsMissing() {
    CommandException none =
        assertThrows(CommandException.class, () -> read(null, null, "hello", "world"));
    assertTrue(CommandException.reason(none).contains("is no access log"), none.getMessage());
    CommandException host =
        assertThrows(
            CommandException.class,
            () ->
                read(
                    null,
                    null,
                    "192.0.2.1 - - [02/Jan/2026:00:00:00 +0000] \"GET /a HTTP/1.1\" 200 5"));
    assertTrue(CommandException.reason(host).contains("--log-base"), host.getMessage());
  }
}
