package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.RawClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An error page reveals nothing about the servers behind the edge, but tells the operator where to
 * look.
 */
@Tag("slow")
final class ServerErrorPageTest {

  private static final Pattern PAGE =
      Pattern.compile("[A-Z][A-Za-z0-9 ,']*\\.\nrequest id: ([0-9a-f-]{6,40})\n");

  /** Where each fails, and what the operator's log has of it. */
  private static final Map<String, String> FAILURES =
      Map.of(
          "/closed/a", "127.0.0.1:1",
          "/unresolved/a", "no-such-name.invalid",
          "/notls/a", "127.0.0.1",
          "/hasty/a", "127.0.0.1",
          "/junk", "invalid response",
          "/hangup", "127.0.0.1",
          "/fields", "invalid response",
          "/short", "");

  @TempDir Path directory;

  @Test
  @Tag("full")
  void namesNoOriginAddressOrLibraryTextAndAnIdThatTheLogHas() throws Exception {
    Path log = directory.resolve("access.log");
    Map<String, String> ids = new HashMap<>();
    try (TestOrigin origin = new TestOrigin();
        Edge edge =
            Edge.start(
                directory,
                "32MiB",
                """
                access-log: {output: "LOG"}
                origins:
                  shop: {url: "ORIGIN"}
                  hasty: {url: "ORIGIN", timeouts: {first-byte: 300ms}}
                  closed: {url: "http://127.0.0.1:1"}
                  unresolved: {url: "http://no-such-name.invalid"}
                  notls: {url: "TLS"}
                routes:
                  - {origin: shop}
                  - {name: hasty, match: {path: /hasty/}, origin: hasty}
                  - {name: closed, match: {path: /closed/}, origin: closed}
                  - {name: unresolved, match: {path: /unresolved/}, origin: unresolved}
                  - {name: notls, match: {path: /notls/}, origin: notls}
                """
                    .replace("LOG", log.toString())
                    .replace("ORIGIN", origin.url())
                    .replace("TLS", origin.url().replace("http:", "https:")))) {
      fail(origin);
      for (String path : FAILURES.keySet()) {
        try (RawClient client = edge.connect()) {
          RawClient.Response reply = client.get(path);
          ids.put(idOf(path, reply.status(), reply.text(), reply.field("proxy-status")), path);
        }
        try (HttpClient client = edge.tlsClient(HttpClient.Version.HTTP_2)) {
          HttpResponse<String> reply =
              client.send(
                  HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + edge.tlsPort() + path))
                      .build(),
                  HttpResponse.BodyHandlers.ofString());
          assertEquals(HttpClient.Version.HTTP_2, reply.version());
          String proxyStatus = reply.headers().firstValue("proxy-status").orElseThrow();
          ids.put(idOf(path, reply.statusCode(), reply.body(), proxyStatus), path);
        }
      }
      edge.awaitIdle();
      edge.stop();
    }
    assertEquals(2 * FAILURES.size(), ids.size(), "each page has an id of its own");
    List<JsonNode> lines =
        Files.readAllLines(log).stream().map(JsonMapper.shared()::readTree).toList();
    for (JsonNode line : lines) {
      String path = ids.remove(line.get("request_id").asString());
      assertEquals(path, line.get("target").asString());
      assertTrue(line.get("error").asString().contains(FAILURES.get(path)), line.toString());
    }
    assertTrue(ids.isEmpty(), "in no line: " + ids);
  }

  private static void fail(TestOrigin origin) {
    origin.on("/hasty/a", (request, connection) -> connection.awaitClose());
    origin.on(
        "/junk",
        (request, connection) -> {
          connection.send("SSH-2.0-dropbear\r\n\r\n");
          connection.awaitClose();
        });
    origin.on("/hangup", (request, connection) -> connection.close());
    origin.on(
        "/fields",
        (request, connection) -> {
          connection.send("HTTP/1.1 200 OK\r\nContent-Length x: 1\r\n\r\na");
          connection.awaitClose();
        });
    origin.on(
        "/short",
        (request, connection) -> {
          connection.send("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\na");
          connection.close();
        });
  }

  /** The id that the page names, after a look at all that a client is told. */
  private static String idOf(String path, int status, String page, String proxyStatus) {
    assertTrue(status == 502 || status == 504, path + ": " + status);
    Matcher matcher = PAGE.matcher(page);
    assertTrue(matcher.matches(), path + ": " + page);
    String told = (page + proxyStatus).toLowerCase(Locale.ROOT);
    for (String secret :
        List.of("127.0.0", "no-such-name", "exception", "netty", "java", "ssl", "shop", "hasty")) {
      assertFalse(told.contains(secret), path + " tells " + secret + ": " + told);
    }
    return matcher.group(1);
  }
}
