package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Rules of storing and validating that need two or more messages. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
final class ServerRulesTest {

  private final TestOrigin origin = new TestOrigin();

  /** Goes away in the middle of a test. */
  private final TestOrigin leaving = new TestOrigin();

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
              leaving: {url: "LEAVING", keep-alive: 5s}
              hasty: {url: "ORIGIN", keep-alive: 5s, timeouts: {first-byte: 300ms}}
            routes:
              - origin: main
              - name: errors
                origin: main
                match: {path: /errors/}
                negative-ttl: {404: 1h, 5xx: 1h}
                stale-if-error: 1h
              - name: cookies
                origin: main
                match: {path: /cookies/}
                request-cookies: {strip: [_ga]}
                response-cookies: {keep: [session]}
              - name: early
                origin: main
                match: {path: /early/}
                early-refresh: 50%
              - {name: leaving, match: {path: /leaving/}, origin: leaving}
              - {name: hasty, match: {path: /hasty/}, origin: hasty}
            """
                .replace("ORIGIN", origin.url())
                .replace("LEAVING", leaving.url()));
  }

  @AfterAll
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  /** Asks for the path and waits until the answer is stored. */
  private Response store(RawClient client, String path, String... fields) throws IOException {
    long installed = edge.sum(c -> c.fillsInstalled);
    Response reply = client.get(path, fields);
    edge.awaitSum(installed + 1, c -> c.fillsInstalled);
    return reply;
  }

  private static TestOrigin.Answer status(String line, String fields) {
    return (request, connection) ->
        connection.send("HTTP/1.1 " + line + "\r\n" + fields + "content-length: 0\r\n\r\n");
  }

  private static TestOrigin.Answer ok(String fields, String body) {
    return TestOrigin.ok(fields, TestOrigin.ascii(body));
  }

  // --- targeted fields --------------------------------------------------------------------------

  @Test
  void whatIsMeantForThisCacheIsNotSentOn() throws IOException {
    String ours = "forebay-cache-control: max-age=600\r\nsurrogate-control: max-age=5\r\n";
    origin.on(
        "/ours", ok(ours + "cdn-cache-control: max-age=7\r\ncache-control: no-store\r\n", "x"));
    origin.on("/passed", ok("surrogate-control: no-store\r\ncache-control: max-age=60\r\n", "x"));
    try (RawClient client = edge.connect()) {
      store(client, "/ours");
      Response hit = client.get("/ours");
      assertTrue(hit.isHit());
      assertEquals("", hit.field("forebay-cache-control"));
      assertEquals("", hit.field("surrogate-control"));
      assertEquals("max-age=7", hit.field("cdn-cache-control"));
      assertEquals("no-store", hit.field("cache-control"));
      for (int i = 0; i < 2; i++) {
        Response passed = client.get("/passed");
        assertFalse(passed.isHit());
        assertEquals("", passed.field("surrogate-control"));
        assertEquals("max-age=60", passed.field("cache-control"));
      }
    }
  }

  @Test
  void aConfirmationLeavesThePolicyForThisCacheInForce() throws IOException {
    origin.on(
        "/kept",
        (request, connection) -> {
          if (request.number() == 1) {
            TestOrigin.sendOk(
                connection,
                "etag: \"1\"\r\nage: 700\r\nforebay-cache-control: max-age=600\r\n",
                TestOrigin.ascii("one"));
          } else {
            TestOrigin.notModified(connection, "etag: \"1\"\r\n");
          }
        });
    try (RawClient client = edge.connect()) {
      store(client, "/kept");
      // Stale on arrival; what confirms it does not repeat for how long it is fresh.
      assertEquals("one", client.get("/kept").text());
      Response hit = client.get("/kept");
      assertTrue(hit.isHit(), hit.field("cache-status"));
      assertEquals("", hit.field("forebay-cache-control"));
      assertEquals(2, origin.count("/kept"));
      assertEquals("\"1\"", origin.requests("/kept").get(1).field("if-none-match"));
    }
  }

  @Test
  void aNotModifiedRepeatsThePolicies() throws IOException {
    String fields =
        "cache-control: max-age=600\r\ncdn-cache-control: max-age=700\r\netag: \"1\"\r\n"
            + "vary: accept\r\ncontent-location: /x\r\nexpires: 0\r\ncontent-type: a/b\r\n";
    origin.on("/304", ok(fields, "x"));
    try (RawClient client = edge.connect()) {
      store(client, "/304");
      Response reply = client.get("/304", "if-none-match: \"1\"");
      assertEquals(304, reply.status());
      for (String name : List.of("cache-control", "cdn-cache-control", "etag", "vary", "date")) {
        assertFalse(reply.field(name).isEmpty(), name);
      }
      assertEquals("0", reply.field("expires"));
      assertEquals("/x", reply.field("content-location"));
      assertEquals("", reply.field("content-type"));
    }
  }

  // --- errors -----------------------------------------------------------------------------------

  @Test
  void errorsAreKeptForTheTimeOfTheRoute() throws IOException {
    origin.on("/errors/404", status("404 Not Found", ""));
    origin.on("/errors/403", status("403 Forbidden", ""));
    origin.on("/404", status("404 Not Found", ""));
    try (RawClient client = edge.connect()) {
      store(client, "/errors/404");
      Response hit = client.get("/errors/404");
      assertEquals(404, hit.status());
      assertTrue(hit.isHit());
      for (String path : List.of("/errors/403", "/404")) {
        client.get(path);
        assertFalse(client.get(path).isHit(), path);
        assertEquals(2, origin.count(path));
      }
    }
  }

  @Test
  void aFailureThatCouldBeStoredDoesNotTakeThePlaceOfWhatIsStale() throws IOException {
    origin.on(
        "/errors/stale", ok("cache-control: max-age=600\r\nage: 600\r\netag: \"1\"\r\n", "good"));
    try (RawClient client = edge.connect()) {
      store(client, "/errors/stale");
      origin.on("/errors/stale", status("503 Busy", "cache-control: max-age=600\r\n"));
      for (int i = 0; i < 3; i++) {
        Response stale = client.get("/errors/stale");
        assertEquals("good", stale.text());
        assertTrue(stale.field("cache-status").endsWith("detail=stale-if-error"));
      }
      assertEquals(4, origin.count("/errors/stale"));
      // What is no such failure is passed on.
      origin.on("/errors/stale", status("501 No", "cache-control: no-store\r\n"));
      assertEquals(501, client.get("/errors/stale").status());
    }
  }

  @Test
  void staleIsServedWithoutAConnectionAndWithoutAnAnswerInTime() throws IOException {
    String fields = "cache-control: max-age=0, stale-if-error=600\r\netag: \"1\"\r\n";
    leaving.on("/leaving/a", ok(fields, "good"));
    origin.on("/hasty/a", ok(fields, "good"));
    try (RawClient client = edge.connect()) {
      store(client, "/leaving/a");
      store(client, "/hasty/a");
      leaving.close();
      origin.on("/hasty/a", (request, connection) -> connection.awaitClose());
      for (String path : List.of("/leaving/a", "/hasty/a")) {
        Response stale = client.get(path);
        assertEquals("good", stale.text());
        assertTrue(stale.field("cache-status").endsWith("detail=stale-if-error"), path);
      }
    }
  }

  // --- cookies ----------------------------------------------------------------------------------

  @Test
  void cookiesAreTakenOutByName() throws IOException {
    String tracker = "cache-control: max-age=600\r\nset-cookie: tracker=1; Path=/\r\n";
    origin.on("/cookies/a", ok(tracker, "x"));
    origin.on("/cookies/b", ok(tracker + "set-cookie: session=2\r\n", "x"));
    try (RawClient client = edge.connect()) {
      Response first = store(client, "/cookies/a", "cookie: _ga=9; a=1");
      assertEquals("", first.field("set-cookie"));
      assertTrue(client.get("/cookies/a").isHit());
      assertEquals(List.of("a=1"), origin.requests("/cookies/a").getFirst().fields("cookie"));

      for (int i = 0; i < 2; i++) {
        Response own = client.get("/cookies/b", "cookie: _ga=9");
        assertEquals("session=2", own.field("set-cookie"));
        assertFalse(own.isHit());
      }
      assertEquals(List.of(), origin.requests("/cookies/b").getFirst().fields("cookie"));
    }
  }

  // --- early refresh ----------------------------------------------------------------------------

  @Test
  void whatIsAboutToExpireIsFetchedAnewByOneOfItsReaders() throws IOException {
    origin.on(
        "/early/a",
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                // Of 1000 s the first answer has a second left, and the second all.
                "cache-control: max-age=1000\r\netag: \""
                    + request.number()
                    + "\"\r\n"
                    + (request.number() == 1 ? "age: 990\r\n" : ""),
                TestOrigin.ascii("answer " + request.number())));
    long installed = edge.sum(c -> c.fillsInstalled);
    try (RawClient client = edge.connect()) {
      assertEquals("answer 1", store(client, "/early/a").text());
      // One request in seven leaves it alone; a hundred of them do not.
      Response hit = client.get("/early/a");
      for (int i = 0; i < 100 && !hit.field("cache-status").contains("early-refresh"); i++) {
        hit = client.get("/early/a");
      }
      assertTrue(hit.field("cache-status").contains("; hit; ttl="), hit.field("cache-status"));
      assertTrue(hit.field("cache-status").endsWith("detail=early-refresh"));
      assertEquals("answer 1", hit.text());
      edge.awaitSum(installed + 2, c -> c.fillsInstalled);
      assertEquals("answer 2", client.get("/early/a").text());
      for (int i = 0; i < 20; i++) {
        assertTrue(client.get("/early/a").isHit());
      }
    }
    assertEquals(2, origin.count("/early/a"));
  }

  // --- validation -------------------------------------------------------------------------------

  @Test
  void aConfirmationOfSomethingElseFetchesAgain() throws IOException {
    origin.on(
        "/other",
        (request, connection) -> {
          if (request.number() == 2) {
            TestOrigin.notModified(connection, "etag: \"other\"\r\ncache-control: max-age=600\r\n");
          } else {
            TestOrigin.sendOk(
                connection,
                "cache-control: max-age=0\r\netag: \"" + request.number() + "\"\r\n",
                TestOrigin.ascii("answer " + request.number()));
          }
        });
    try (RawClient client = edge.connect()) {
      store(client, "/other");
      assertEquals("answer 3", client.get("/other").text());
      assertEquals("\"1\"", origin.requests("/other").get(1).field("if-none-match"));
      assertEquals("", origin.requests("/other").get(2).field("if-none-match"));
    }
  }

  @Test
  void aClientsOtherConditionGetsTheWholeOfWhatWasConfirmed() throws IOException {
    origin.on(
        "/whole",
        (request, connection) -> {
          if (request.number() == 1) {
            TestOrigin.sendOk(
                connection, "cache-control: max-age=0\r\netag: \"1\"\r\n", TestOrigin.ascii("one"));
          } else {
            TestOrigin.notModified(connection, "etag: \"1\"\r\n");
          }
        });
    try (RawClient client = edge.connect()) {
      store(client, "/whole");
      Response whole = client.get("/whole", "if-none-match: \"0\"");
      assertEquals(200, whole.status());
      assertEquals("one", whole.text());
      assertEquals(304, client.get("/whole", "if-none-match: \"1\"").status());
      for (TestOrigin.Request request : origin.requests("/whole").subList(1, 3)) {
        assertEquals("\"1\"", request.field("if-none-match"));
      }
    }
  }

  @Test
  void aHeadThatAgreesFreshensWhatIsStored() throws IOException {
    origin.on("/head", ok("cache-control: max-age=0\r\netag: \"1\"\r\nx: old\r\n", "body"));
    try (RawClient client = edge.connect()) {
      store(client, "/head");
      origin.on(
          "/head",
          (request, connection) ->
              connection.send(
                  "HTTP/1.1 200 OK\r\ncache-control: max-age=600\r\netag: \"1\"\r\nx: new\r\n"
                      + "content-length: 4\r\n\r\n"));
      assertEquals(200, client.request("HEAD", "/head").head().status());
      Response hit = client.get("/head");
      assertTrue(hit.isHit(), hit.field("cache-status"));
      assertEquals("body", hit.text());
      assertEquals("new", hit.field("x"));
      assertEquals(List.of("GET", "HEAD"), methods("/head"));
    }
  }

  @Test
  void aHeadThatDisagreesEndsWhatIsStored() throws IOException {
    origin.on("/head-other", ok("cache-control: max-age=0\r\netag: \"1\"\r\n", "body"));
    try (RawClient client = edge.connect()) {
      store(client, "/head-other");
      origin.on(
          "/head-other",
          (request, connection) ->
              connection.send(
                  "HTTP/1.1 200 OK\r\ncache-control: max-age=600\r\netag: \"2\"\r\n"
                      + "content-length: 5\r\n\r\n"
                      + (request.method().equals("HEAD") ? "" : "newer")));
      assertEquals(200, client.request("HEAD", "/head-other").head().status());
      assertEquals("newer", client.get("/head-other").text());
      assertEquals("", origin.requests("/head-other").get(2).field("if-none-match"));
    }
  }

  @Test
  void aHeadOfOneUserSaysNothingOfWhatIsStoredForAll() throws IOException {
    origin.on("/head-own", ok("cache-control: max-age=0\r\netag: \"1\"\r\n", "body"));
    try (RawClient client = edge.connect()) {
      store(client, "/head-own");
      origin.on(
          "/head-own",
          (request, connection) -> {
            if (request.method().equals("HEAD")) {
              connection.send("HTTP/1.1 200 OK\r\netag: \"2\"\r\ncontent-length: 5\r\n\r\n");
            } else {
              TestOrigin.notModified(connection, "etag: \"1\"\r\n");
            }
          });
      assertEquals(
          200, client.request("HEAD", "/head-own", "Authorization: Basic eA==").head().status());
      assertEquals("body", client.get("/head-own").text());
      assertEquals("\"1\"", origin.requests("/head-own").get(2).field("if-none-match"));
    }
  }

  private List<String> methods(String path) {
    return origin.requests(path).stream().map(TestOrigin.Request::method).toList();
  }

  // --- groups -----------------------------------------------------------------------------------

  @Test
  void anUnsafeRequestInvalidatesTheGroupsItsAnswerNames() throws IOException {
    origin.on("/g/a", ok("cache-control: max-age=600\r\ncache-groups: \"one\", \"two\"\r\n", "a"));
    origin.on("/g/b", ok("cache-control: max-age=600\r\ncache-groups: \"three\"\r\n", "b"));
    origin.on("/g/post", status("204 No Content", "cache-group-invalidation: \"two\"\r\n"));
    origin.on("/g/failed", status("500 Oops", "cache-group-invalidation: \"three\"\r\n"));
    try (RawClient client = edge.connect()) {
      store(client, "/g/a");
      store(client, "/g/b");
      client.get("/g/post");
      assertTrue(client.get("/g/a").isHit());
      client.request("POST", "/g/failed", "content-length: 0").reply();
      assertTrue(client.get("/g/b").isHit());
      client.request("POST", "/g/post", "content-length: 0").reply();
      assertFalse(client.get("/g/a").isHit());
      assertTrue(client.get("/g/b").isHit());
    }
  }
}
