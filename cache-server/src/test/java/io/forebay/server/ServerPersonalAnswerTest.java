package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One client's answer, or one client's words, never reach another client through the store. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
final class ServerPersonalAnswerTest {

  private static final String EPOCH = "Thu, 01 Jan 1970 00:00:00 GMT";

  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    edge =
        Edge.start(
            directory,
            "32MiB",
            """
            origins:
              main: {url: "ORIGIN", keep-alive: 5s}
            routes:
              - origin: main
              - name: windows
                origin: main
                match: {path: /windows/}
                stale-while-revalidate: 1h
                stale-if-error: 1h
              - name: honouring
                origin: main
                match: {path: /honouring/}
                client-directives: honour
              - name: negative
                origin: main
                match: {path: /negative/}
                negative-ttl: {4xx: 1h, 5xx: 1h}
              - name: guessing
                origin: main
                match: {path: /guessing/}
                heuristic-with-cookies: true
              - name: firm
                origin: main
                match: {path: /firm/}
                client-invalidation: false
            """
                .replace("ORIGIN", origin.url()));
  }

  @AfterAll
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  /** Asks for the path and waits until the answer is stored. */
  private void store(RawClient client, String path, String... fields) throws IOException {
    long installed = edge.sum(c -> c.fillsInstalled);
    assertEquals(200, client.get(path, fields).status());
    edge.awaitSum(installed + 1, c -> c.fillsInstalled);
  }

  /** An origin that answers each user with the user's own page. */
  private void personal(String path, String fields) {
    origin.on(
        path,
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                fields + "etag: \"" + request.field("cookie") + "\"\r\n",
                TestOrigin.ascii("page of " + request.field("cookie"))));
  }

  // --- stale windows of a route -----------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(
      strings = {
        "expires: 0",
        "expires: " + EPOCH,
        "cache-control: max-age=0",
        "cache-control: max-age=soon",
        "cache-control: max-age=-1, public"
      })
  void anAnswerWithoutALifetimeIsNotServedStaleToAnotherUser(String field) throws IOException {
    String path = "/windows/" + Integer.toHexString(field.hashCode());
    personal(path, field + "\r\n");
    try (RawClient client = edge.connect()) {
      assertEquals("page of anna", client.get(path, "cookie: anna").text());
      Response other = client.get(path, "cookie: bert");
      assertEquals("page of bert", other.text(), other.field("cache-status"));
      origin.on(
          path,
          (request, connection) ->
              connection.send("HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n"));
      Response failed = client.get(path, "cookie: carl");
      assertEquals(503, failed.status(), failed.field("cache-status"));
    }
  }

  @ParameterizedTest
  @CsvSource({"max-stale", "stale-if-error=600"})
  void aClientCannotAskForTheStaleAnswerOfAnotherUser(String directive) throws IOException {
    String path = "/honouring/" + directive.substring(0, 3);
    personal(path, "expires: 0\r\n");
    try (RawClient client = edge.connect()) {
      assertEquals("page of anna", client.get(path, "cookie: anna").text());
      origin.on(
          path,
          (request, connection) ->
              connection.send("HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n"));
      Response other = client.get(path, "cookie: bert", "cache-control: " + directive);
      assertEquals(503, other.status(), other.field("cache-status"));
    }
  }

  // --- errors by class --------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(ints = {401, 402, 403, 405, 406, 407, 414, 451})
  void anErrorThatDependsOnTheClientIsNotKeptByItsClass(int status) throws IOException {
    String path = "/negative/" + status;
    origin.on(
        path,
        (request, connection) -> {
          if (request.field("cookie").equals("admin")) {
            TestOrigin.sendOk(connection, "cache-control: no-store\r\n", TestOrigin.ascii("in"));
          } else {
            connection.send("HTTP/1.1 " + status + " No\r\ncontent-length: 0\r\n\r\n");
          }
        });
    try (RawClient client = edge.connect()) {
      assertEquals(status, client.get(path).status());
      Response admin = client.get(path, "cookie: admin");
      assertEquals(200, admin.status(), admin.field("cache-status"));
    }
  }

  // --- request fields that are not in the key ---------------------------------------------------

  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-Original-URL",
        "X-Rewrite-URL",
        "X-HTTP-Method-Override",
        "X-HTTP-Method",
        "X-Method-Override",
        "X-Original-Host",
        "X-Host",
        "X-Forwarded-Scheme",
        "X-Forwarded-Port",
        "X-Forwarded-Prefix",
        "X-Forwarded-Server",
        "X-Forwarded-Path",
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "Forwarded",
        "X_Forwarded_Host",
        "X_Original_URL",
        "Client_Cert",
        "Client-Cert",
        "Client.Cert"
      })
  void aFieldThatIsNotInTheKeyPoisonsNothing(String name) throws IOException {
    String path = "/poison/" + name;
    origin.on(
        path,
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                "cache-control: max-age=600\r\n",
                TestOrigin.ascii(
                    "said: " + request.field(name.toLowerCase(java.util.Locale.ROOT)))));
    try (RawClient client = edge.connect()) {
      client.get(path, name + ": evil");
      Response other = client.get(path);
      assertFalse(other.text().contains("evil"), name + ": " + other.text());
      client.request("POST", path, name + ": evil", "content-length: 0").reply();
      List<TestOrigin.Request> seen = origin.requests(path);
      String passed = seen.getLast().head();
      if (!name.contains("Method")) {
        assertFalse(passed.contains("evil"), passed);
      }
    }
  }

  // --- heuristic freshness ----------------------------------------------------------------------

  @Test
  void nothingIsGuessedForARequestWithACookie() throws IOException {
    personal("/guess", "last-modified: " + EPOCH + "\r\n");
    try (RawClient client = edge.connect()) {
      assertEquals("page of anna", client.get("/guess", "cookie: anna").text());
      Response other = client.get("/guess", "cookie: bert");
      assertEquals("page of bert", other.text(), other.field("cache-status"));
    }
  }

  @Test
  void aRouteMayGuessForRequestsWithCookies() throws IOException {
    personal("/guessing/a", "last-modified: " + EPOCH + "\r\n");
    try (RawClient client = edge.connect()) {
      store(client, "/guessing/a", "cookie: anna");
      assertTrue(client.get("/guessing/a", "cookie: bert").isHit());
    }
  }

  @Test
  void aRequestWithACookieDoesNotKeepOthersFromWhatIsGuessed() throws IOException {
    String path = "/guess-others";
    origin.on(
        path,
        (request, connection) -> {
          String fields = "etag: \"1\"\r\nlast-modified: " + EPOCH + "\r\n";
          if (request.field("if-none-match").isEmpty()) {
            TestOrigin.sendOk(connection, fields, TestOrigin.ascii("for all"));
          } else {
            TestOrigin.notModified(connection, fields);
          }
        });
    try (RawClient client = edge.connect()) {
      for (int i = 0; i < 2; i++) {
        assertFalse(client.get(path, "cookie: anna").isHit());
      }
      store(client, path);
      assertTrue(client.get(path).isHit());
      assertTrue(client.get(path, "cookie: anna").isHit());
    }
    assertEquals(3, origin.count(path));
  }

  // --- invalidation by clients ------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({
    "POST, 200, true",
    "PUT, 204, true",
    "FROB, 303, true",
    "POST, 400, false",
    "DELETE, 403, false",
    "FROB, 404, false",
    "POST, 405, false",
    "PATCH, 500, false",
    "PUT, 503, false",
    "OPTIONS, 200, false",
  })
  void onlyAnAnswerThatIsNoErrorInvalidates(String method, int status, boolean isInvalidated)
      throws IOException {
    for (String prefix : List.of("", "/firm")) {
      String path = prefix + "/changed/" + method + status;
      origin.on(
          path,
          (request, connection) -> {
            if (request.method().equals("GET")) {
              TestOrigin.sendOk(
                  connection, "cache-control: max-age=600\r\n", TestOrigin.ascii("body"));
            } else {
              connection.send(
                  "HTTP/1.1 "
                      + status
                      + " X\r\nlocation: "
                      + path
                      + "/other\r\n"
                      + (status == 204 ? "\r\n" : "content-length: 0\r\n\r\n"));
            }
          });
      origin.on(
          path + "/other",
          TestOrigin.ok("cache-control: max-age=600\r\n", TestOrigin.ascii("other")));
      try (RawClient client = edge.connect()) {
        store(client, path);
        store(client, path + "/other");
        assertEquals(
            status, client.request(method, path, "content-length: 0").reply().status(), path);
        boolean isGone = isInvalidated && prefix.isEmpty();
        assertEquals(!isGone, client.get(path).isHit(), path);
        assertEquals(!isGone, client.get(path + "/other").isHit(), path);
      }
    }
  }

  @Test
  void anOriginThatFailsInvalidatesNothing() throws IOException {
    origin.on(
        "/failing",
        (request, connection) -> {
          if (request.method().equals("GET")) {
            TestOrigin.sendOk(
                connection, "cache-control: max-age=600\r\n", TestOrigin.ascii("body"));
          } else {
            connection.close();
          }
        });
    try (RawClient client = edge.connect()) {
      store(client, "/failing");
      assertEquals(502, client.request("POST", "/failing", "content-length: 0").reply().status());
    }
    try (RawClient client = edge.connect()) {
      assertTrue(client.get("/failing").isHit());
    }
  }

  // --- malformed Cache-Control ------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(
      strings = {
        "max-age=600, x=\"y, private",
        "x=\"y, no-store, max-age=600",
        "max-age=600, x= \"y, private\"",
        "max-age=600, \"private\""
      })
  void aQuoteThatDoesNotEndHidesNoRestriction(String control) throws IOException {
    String path = "/quoted/" + Integer.toHexString(control.hashCode());
    personal(path, "cache-control: " + control + "\r\n");
    try (RawClient client = edge.connect()) {
      assertEquals("page of anna", client.get(path, "cookie: anna").text());
      Response other = client.get(path, "cookie: bert");
      assertEquals("page of bert", other.text(), other.field("cache-status"));
    }
  }

  // --- interim responses ------------------------------------------------------------------------

  @Test
  void aHintBringsNoCookieToWhoWaitsForTheSameAnswer() throws Exception {
    CountDownLatch joined = new CountDownLatch(1);
    origin.on(
        "/hint",
        (request, connection) -> {
          connection.send(
              "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\nset-cookie: session=anna\r\n\r\n");
          TestOrigin.await(joined);
          TestOrigin.sendOk(connection, "cache-control: max-age=600\r\n", TestOrigin.ascii("body"));
        });
    try (RawClient first = edge.connect();
        RawClient second = edge.connect()) {
      first.request("GET", "/hint");
      assertEquals(103, first.head().status());
      second.request("GET", "/hint");
      RawClient.Response hint = second.head();
      assertEquals(103, hint.status());
      assertEquals("</a>", hint.field("link"));
      assertEquals("", hint.field("set-cookie"));
      joined.countDown();
    } finally {
      joined.countDown();
    }
    assertTrue(origin.count("/hint") == 1);
  }
}
