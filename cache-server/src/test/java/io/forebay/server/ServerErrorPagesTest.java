package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import io.forebay.testing.ScriptedOrigin.Connection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Error pages over real connections: of the node and of the origin, stored or not. */
@Timeout(120)
@Tag("slow")
final class ServerErrorPagesTest {
  private static final byte[] BODY = TestOrigin.ascii("the origin's own words");

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private final AtomicLong clock = new AtomicLong(System.currentTimeMillis());
  private volatile boolean isDown;
  private Edge edge;

  private static TestOrigin.Answer error(int status, String fields) {
    return (request, connection) -> sendError(connection, request.method(), status, fields, BODY);
  }

  private static void sendError(
      Connection connection, String method, int status, String fields, byte[] body)
      throws IOException {
    connection.send(
        "HTTP/1.1 "
            + status
            + " Oh\r\nx-own: 1\r\n"
            + fields
            + "content-length: "
            + body.length
            + "\r\n\r\n");
    if (!method.equals("HEAD")) {
      connection.send(body);
    }
  }

  @BeforeEach
  void start() throws IOException {
    origin.on("/p/stored", error(404, "cache-control: max-age=60\r\netag: \"1\"\r\n"));
    origin.on("/p/passed", error(404, "cache-control: no-store\r\nset-cookie: a=b\r\n"));
    origin.on("/p/private", error(401, "www-authenticate: Basic realm=\"a\"\r\n"));
    origin.on("/p/busy", error(503, "retry-after: 7\r\n"));
    origin.on("/p/kept", error(410, "cache-control: max-age=60\r\n"));
    origin.on("/p/broken", (request, connection) -> connection.close());
    origin.on(
        "/p/stale",
        (request, connection) -> {
          if (isDown) {
            sendError(connection, request.method(), 503, "", BODY);
          } else {
            TestOrigin.sendOk(
                connection, "cache-control: max-age=10, stale-if-error=600\r\n", BODY);
          }
        });
    origin.on(
        "/p/checked",
        (request, connection) -> {
          if (request.field("if-none-match").isEmpty()) {
            sendError(
                connection,
                request.method(),
                404,
                "cache-control: max-age=0\r\netag: \"1\"\r\n",
                BODY);
          } else {
            TestOrigin.notModified(connection, "etag: \"1\"\r\n");
          }
        });
    Files.writeString(
        directory.resolve("down.html"), "<h1>$status $reason</h1><p>$host$uri <i>$request_id</i>");
    edge = Edge.start(directory, "32MiB", config(), clock::get);
  }

  private String config() {
    return """
    http3: {listeners: [secure]}
    error-pages:
      404: {text: "no route to $host"}
      451: {text: "not for everybody"}
    ORIGINS
    routes:
      - name: plain
        match: {path: /plain}
      - name: pages
        match: {path: /p/}
        stale-while-revalidate: 0s
        error-pages:
          4xx: {text: "page $status", json: '{"status": $status}', from: [edge, origin]}
          410: {text: unused, from: [edge]}
          451: {text: "page $status"}
          502-504: {file: DIRECTORY/down.html, from: [edge, origin]}
        rules:
          - response-headers: {set: {x-rule: r}}
          - when: {path: /p/denied}
            deny: 451
          - when: {path: /p/said}
            respond: {status: 404, text: "a rule's own words"}
    """
        .replace("ORIGINS", Edge.origins(origin.url()).strip())
        .replace("DIRECTORY", directory.toString());
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private static void expect(int status, String length, Answer answer, String what) {
    String text = what + " " + answer;
    assertEquals(status, answer.status(), text);
    assertEquals(List.of(length), answer.all("content-length"), text);
    assertEquals(List.of("text/plain; charset=utf-8"), answer.all("content-type"), text);
    assertEquals(List.of("no-store"), answer.all("cache-control"), text);
    assertEquals(List.of("r"), answer.all("x-rule"), text);
    assertEquals(List.of(), answer.all("x-own"), text);
    assertEquals(List.of(), answer.all("set-cookie"), text);
    assertEquals(List.of(), answer.all("etag"), text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void aPageStandsForTheErrorHoweverItComesAbout(String protocol) throws Exception {
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      Answer fetched = client.ask("GET", "/p/stored");
      expect(404, "8", fetched, "fetched");
      assertEquals(List.of("edge; fwd=uri-miss; fwd-status=404; stored"), cacheStatus(fetched));
      edge.awaitIdle();
      for (int i = 0; i < 3; i++) {
        Answer hit = client.ask("GET", "/p/stored");
        expect(404, "8", hit, "hit");
        assertTrue(hit.isHit(), hit::toString);
      }
      assertEquals(1, origin.count("/p/stored"), "stored as the origin sent it");
      expect(404, "8", client.ask("HEAD", "/p/stored"), "HEAD");
      expect(404, "8", client.ask("GET", "/p/stored", "if-none-match", "\"1\""), "a condition");
      expect(404, "8", client.ask("GET", "/p/stored", "range", "bytes=0-1"), "a range");
      Answer json = client.ask("GET", "/p/stored", "accept", "application/json");
      assertEquals(List.of("application/json"), json.all("content-type"));
      assertEquals(List.of("15"), json.all("content-length"));

      expect(404, "8", client.ask("GET", "/p/passed"), "unstorable");
      expect(404, "8", client.ask("GET", "/p/passed"), "known to be unstorable");
      expect(404, "8", client.ask("HEAD", "/p/passed"), "HEAD, passed");
      expect(404, "8", client.ask("POST", "/p/passed"), "POST");
      expect(404, "8", client.ask("GET", "/p/unknown"), "without a body");
      Answer asked = client.ask("GET", "/p/private");
      expect(401, "8", asked, "credentials wanted");
      assertEquals(List.of("Basic realm=\"a\""), asked.all("www-authenticate"));

      expect(404, "8", client.ask("GET", "/p/checked"), "fetched to be checked");
      edge.awaitIdle();
      Answer checked = client.ask("GET", "/p/checked");
      expect(404, "8", checked, "revalidated");
      assertTrue(cacheStatus(checked).toString().contains("fwd-status=304"), checked::toString);

      expect(451, "8", client.ask("GET", "/p/denied"), "denied by a rule");
      Answer own = client.ask("GET", "/p/kept");
      assertEquals(410, own.status());
      assertEquals(List.of("1"), own.all("x-own"), "this page is for the node alone");
      Answer said = client.ask("GET", "/p/said");
      assertEquals(404, said.status());
      assertEquals(List.of("18"), said.all("content-length"), "a rule responds");

      Answer busy = client.ask("GET", "/p/busy");
      assertEquals(503, busy.status());
      assertEquals(List.of("text/html; charset=utf-8"), busy.all("content-type"));
      assertEquals(List.of("7"), busy.all("retry-after"));
      Answer broken = client.ask("GET", "/p/broken");
      assertEquals(502, broken.status());
      assertEquals(List.of("text/html; charset=utf-8"), broken.all("content-type"));
      assertFalse(broken.all("proxy-status").isEmpty(), broken::toString);

      assertEquals(200, client.ask("GET", "/p/stale").status());
      edge.awaitIdle();
      isDown = true;
      clock.addAndGet(60_000);
      Answer stale = client.ask("GET", "/p/stale");
      assertEquals(200, stale.status(), "what is stale comes before a page");
      assertTrue(cacheStatus(stale).toString().contains("stale-if-error"), stale::toString);
    }
  }

  private static List<String> cacheStatus(Answer answer) {
    return answer.all("cache-status");
  }

  @Test
  void whatAClientSentIsEscaped() throws Exception {
    try (RawClient client = edge.connect()) {
      Response broken = client.get("/p/broken?a=<script>\"&b", "Host: a.example");
      assertTrue(
          broken
              .text()
              .startsWith(
                  "<h1>502 Bad Gateway</h1><p>a.example/p/broken?a=&#60;script&#62;&#34;&#38;b <i>"),
          broken::toString);
      assertFalse(broken.text().contains("$"), broken::toString);
    }
  }

  @Test
  void pagesOfAllRoutesAreForWhatHasNoOther() throws Exception {
    try (RawClient client = edge.connect()) {
      Response noRoute = client.get("/nowhere", "Host: a.example");
      assertEquals(404, noRoute.status());
      assertEquals("no route to a.example", noRoute.text());
      Response ofOrigin = client.get("/plain", "Host: a.example");
      assertEquals(404, ofOrigin.status());
      assertEquals("", ofOrigin.text(), "the origin's own");
      assertEquals("page 451", client.get("/p/denied", "Host: a.example").text());
    }
  }

  /** The page of a file is that of the last reload. */
  @Test
  void aReloadReadsTheFilesAgain() throws Exception {
    try (RawClient client = edge.connect()) {
      assertTrue(client.get("/p/broken", "Host: a").text().startsWith("<h1>502"));
      Files.writeString(directory.resolve("down.html"), "<h1>again $status");
      assertTrue(client.get("/p/broken", "Host: a").text().startsWith("<h1>502"));
      edge.server().reload();
      assertEquals("<h1>again 502", client.get("/p/broken", "Host: a").text());
    }
  }

  /** One error for all who wait, and a page for each of them. */
  @Test
  void whoWaitsForAnErrorGetsThePageToo() throws Exception {
    origin.on(
        "/p/slow",
        (request, connection) -> {
          edge.awaitSum(2, counters -> counters.joined);
          sendError(connection, "GET", 404, "cache-control: max-age=60\r\n", BODY);
        });
    try (RawClient one = edge.connect();
        RawClient two = edge.connect();
        RawClient three = edge.connect()) {
      List<RawClient> all = List.of(one, two, three);
      for (RawClient client : all) {
        client.request("GET", "/p/slow", "Host: a");
      }
      for (RawClient client : all) {
        assertEquals("page 404", client.reply().text());
      }
    }
    assertEquals(1, origin.count("/p/slow"));
  }

  /** Nobody waits for the end of a large error, whether it is stored or not. */
  @Test
  void aLargeErrorIsNotWaitedFor() throws Exception {
    byte[] large = Edge.bytes(1, 4 << 20);
    for (String storing : List.of("max-age=60", "no-store")) {
      String path = "/p/large/" + storing.length();
      origin.on(
          path,
          (request, connection) -> {
            connection.send(
                "HTTP/1.1 404 Not Found\r\ncache-control: "
                    + storing
                    + "\r\ncontent-length: "
                    + 2 * large.length
                    + "\r\n\r\n");
            // The second half never comes.
            connection.send(large);
            connection.head();
          });
      try (RawClient client = edge.connect()) {
        assertEquals("page 404", client.get(path, "Host: a").text());
      }
    }
    edge.awaitIdle();
  }

  @Test
  void maintenanceIsARule() throws Exception {
    String maintenance =
        """
        - name: maintenance
          when: {not: {client: NETWORK}}
          respond:
            status: 503
            type: text/html
            file: DIRECTORY/closed.html
            headers: {Retry-After: "3600", Cache-Control: no-store}
        """
            .replace("DIRECTORY", directory.toString());
    Files.writeString(directory.resolve("closed.html"), "<h1>Closed</h1>");
    origin.on("/plain", TestOrigin.ok("cache-control: max-age=60\r\n", BODY));
    try (RawClient client = edge.connect()) {
      assertEquals(200, client.get("/plain", "Host: a").status());
      edge.awaitIdle();
      assertTrue(client.get("/plain", "Host: a").isHit());
      for (String network : List.of("192.0.2.0/24", "127.0.0.0/8")) {
        edge.configure(
            Edge.origins(origin.url())
                + "routes:\n  - rules:\n"
                + maintenance.replace("NETWORK", network).indent(6));
        edge.server().reload();
        Response answer = client.get("/plain", "Host: a");
        if (network.startsWith("192")) {
          assertEquals(503, answer.status());
          assertEquals("<h1>Closed</h1>", answer.text());
          assertEquals("3600", answer.field("retry-after"));
          assertEquals("no-store", answer.field("cache-control"));
          assertEquals(503, client.get("/other", "Host: a").status());
        } else {
          assertTrue(answer.isHit(), "what is stored stays stored");
        }
      }
    }
  }
}
