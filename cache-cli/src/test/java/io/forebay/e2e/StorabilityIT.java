package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * I7 and the security rows about keys and sharing: what is stored, for which clients, and under
 * which key.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class StorabilityIT {
  private static final String HOUR = "Cache-Control: max-age=3600\r\n";

  @TempDir static Path directory;

  private PathOrigin origin;
  private EdgeProcess edge;

  @BeforeAll
  void start() throws Exception {
    origin = PathOrigin.start();
    edge = EdgeProcess.in(directory.resolve("edge"), origin.url()).start();
  }

  @AfterAll
  void stop() throws Exception {
    Tools.close(edge, origin);
  }

  static Stream<Arguments> responses() {
    String old = Tree.httpDate(Instant.now().minus(Duration.ofDays(100)));
    String soon = Tree.httpDate(Instant.now().plus(Duration.ofHours(1)));
    String now = Tree.httpDate(Instant.now());
    return Stream.of(
        // S21: nothing says that it may be kept, whatever its name ends in
        Arguments.of("bare", "/s/account.css", 200, "", "", false),
        Arguments.of(
            "bare-image", "/s/account/x.jpg", 200, "Content-Type: image/jpeg\r\n", "", false),
        Arguments.of("max-age", "/s/1", 200, HOUR, "", true),
        Arguments.of("s-maxage", "/s/2", 200, "Cache-Control: s-maxage=60\r\n", "", true),
        Arguments.of(
            "s-maxage-wins", "/s/3", 200, "Cache-Control: max-age=0, s-maxage=60\r\n", "", true),
        Arguments.of(
            "expires", "/s/4", 200, "Date: " + now + "\r\nExpires: " + soon + "\r\n", "", true),
        Arguments.of(
            "expired", "/s/5", 200, "Date: " + now + "\r\nExpires: " + old + "\r\n", "", false),
        Arguments.of("expires-zero", "/s/6", 200, "Expires: 0\r\n", "", false),
        Arguments.of("heuristic", "/s/7", 200, "Last-Modified: " + old + "\r\n", "", true),
        Arguments.of("max-age-0", "/s/8", 200, "Cache-Control: max-age=0\r\n", "", false),
        Arguments.of("no-store", "/s/9", 200, "Cache-Control: no-store, max-age=60\r\n", "", false),
        Arguments.of("private", "/s/10", 200, "Cache-Control: private, max-age=60\r\n", "", false),
        Arguments.of("private-upper", "/s/11", 200, "Cache-Control: PRIVATE\r\n" + HOUR, "", false),
        Arguments.of(
            "no-cache", "/s/12", 200, "Cache-Control: no-cache\r\nETag: \"v\"\r\n", "", false),
        Arguments.of("set-cookie", "/s/13", 200, HOUR + "Set-Cookie: id=1\r\n", "", false),
        Arguments.of("vary-star", "/s/14", 200, HOUR + "Vary: *\r\n", "", false),
        Arguments.of("vary-star-in-list", "/s/15", 200, HOUR + "Vary: Accept, *\r\n", "", false),
        Arguments.of("authorization", "/s/16", 200, HOUR, "Authorization: Basic eA==", false),
        Arguments.of(
            "authorization-public",
            "/s/17",
            200,
            "Cache-Control: public, max-age=60\r\n",
            "Authorization: Basic eA==",
            true),
        Arguments.of(
            "authorization-s-maxage",
            "/s/18",
            200,
            "Cache-Control: s-maxage=60\r\n",
            "Authorization: Basic eA==",
            true),
        Arguments.of(
            "authorization-must-revalidate",
            "/s/19",
            200,
            "Cache-Control: must-revalidate, max-age=60\r\n",
            "Authorization: Basic eA==",
            true),
        Arguments.of(
            "client-no-cache-ignored", "/s/20", 200, HOUR, "Cache-Control: no-cache", true),
        Arguments.of("cookie-in-request", "/s/21", 200, HOUR, "Cookie: a=b", true),
        Arguments.of("not-found", "/s/22", 404, HOUR, "", true),
        Arguments.of("not-found-bare", "/s/23", 404, "", "", false),
        Arguments.of("moved", "/s/24", 301, HOUR + "Location: /else\r\n", "", true),
        Arguments.of("found-bare", "/s/25", 302, "Location: /else\r\n", "", false),
        Arguments.of("error-bare", "/s/26", 503, "", "", false),
        Arguments.of(
            "partial-unasked", "/s/27", 206, HOUR + "Content-Range: bytes 0-3/10\r\n", "", false),
        Arguments.of(
            "age-used-up", "/s/28", 200, "Cache-Control: max-age=60\r\nAge: 61\r\n", "", false),
        Arguments.of(
            "twice-max-age", "/s/29", 200, "Cache-Control: no-store\r\n" + HOUR, "", false),
        Arguments.of(
            "quoted-trick",
            "/s/30",
            200,
            "Cache-Control: x=\"max-age=60, public\", private\r\n",
            "",
            false));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("responses")
  void isKeptOnlyWhereTheRulesAllow(
      String name, String path, int status, String fields, String requestField, boolean isKept)
      throws Exception {
    origin.on(path, exchange -> exchange.respond(status, fields, "body"));
    String[] request = requestField.isEmpty() ? new String[0] : new String[] {requestField};
    for (int i = 1; i <= 3; i++) {
      Response response = edge.get(path, request);
      // What goes against the protocol may be turned into an error, but not into a hit.
      assertTrue(
          response.status() == status || (status == 206 && response.status() == 502),
          () -> name + ": " + response);
      assertEquals(i > 1 && isKept, response.isFromCache(), () -> name + ": " + response);
    }
    assertEquals(isKept ? 1 : 3, origin.count(path), name);
  }

  @Test
  void encodingsAreTwoVariantsAndJunkStillHits() throws Exception {
    origin.on(
        "/vary",
        exchange -> {
          boolean isGzip = exchange.request().field("accept-encoding").contains("gzip");
          exchange.respond(
              200,
              HOUR + "Vary: Accept-Encoding\r\n" + (isGzip ? "Content-Encoding: gzip\r\n" : ""),
              isGzip ? "(packed)" : "plain");
        });
    assertEquals("(packed)", edge.get("/vary", "Accept-Encoding: gzip").text());
    assertEquals("plain", edge.get("/vary").text());
    assertEquals(2, origin.count("/vary"));
    for (String junk :
        List.of(
            "gzip",
            "GZIP",
            "gzip;q=0.5, x-unknown",
            "gzip, ,,",
            "x-y\t,gzip,".repeat(20),
            "x-gzip")) {
      Response hit = edge.get("/vary", "Accept-Encoding: " + junk);
      assertTrue(hit.isFromCache(), () -> junk + ": " + hit);
      assertEquals("(packed)", hit.text(), junk);
    }
    for (String junk : List.of("identity", "x-unknown", "gzip;q=0", "\"", ";;;")) {
      Response hit = edge.get("/vary", "Accept-Encoding: " + junk);
      assertTrue(hit.isFromCache(), () -> junk + ": " + hit);
      assertEquals("plain", hit.text(), junk);
    }
    assertEquals(2, origin.count("/vary"));
    Admin.purgeUrl(edge, "/vary");
    assertEquals("plain", edge.get("/vary").text());
    assertEquals("(packed)", edge.get("/vary", "Accept-Encoding: gzip").text());
    assertEquals(4, origin.count("/vary"), "an exact purge takes all variants");
  }

  @Test
  void everyVariantIsServedToItsOwnClients() throws Exception {
    origin.on(
        "/language",
        exchange ->
            exchange.respond(
                200,
                HOUR + "Vary: X-Language\r\n",
                "in " + exchange.request().field("x-language")));
    for (int round = 0; round < 2; round++) {
      for (String language : List.of("de", "en", "fr")) {
        assertEquals("in " + language, edge.get("/language", "X-Language: " + language).text());
      }
      assertEquals("in ", edge.get("/language").text());
    }
    assertEquals(4, origin.count("/language"));
  }

  /** Known not to be cacheable, or found out: nobody waits for somebody else's answer. */
  @Test
  void slowResponsesThatMayNotBeKeptAreNotSerialised() throws Exception {
    int clients = 8;
    AtomicInteger atOnce = new AtomicInteger();
    CountDownLatch all = new CountDownLatch(clients);
    origin.on(
        "/slow-private",
        exchange -> {
          if (origin.count("/slow-private") > 1) {
            // Answered only once all of them are here: in line they would never be.
            atOnce.incrementAndGet();
            all.countDown();
            if (!all.await(10, TimeUnit.SECONDS)) {
              exchange.respond(500, "Cache-Control: no-store\r\n", "alone");
              return;
            }
          }
          exchange.respond(200, "Cache-Control: private\r\n", "own");
        });
    assertEquals("own", edge.get("/slow-private").text(), "now it is known");
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Response>> responses = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        responses.add(threads.submit(() -> edge.get("/slow-private")));
      }
      for (Future<Response> response : responses) {
        assertEquals(200, response.get(20, TimeUnit.SECONDS).status());
      }
    }
    assertEquals(clients, atOnce.get());
  }

  /** S23: all wait for one head; it turns out to be for one of them alone. */
  @Test
  void clientsThatWaitedForAPrivateAnswerGetTheirOwn() throws Exception {
    int clients = 6;
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger number = new AtomicInteger();
    origin.on(
        "/session",
        exchange -> {
          int own = number.incrementAndGet();
          if (own == 1 && !go.await(20, TimeUnit.SECONDS)) {
            exchange.reset();
            return;
          }
          exchange.respond(200, HOUR + "Set-Cookie: session=" + own + "\r\n", "for " + own);
        });
    Set<String> cookies = new HashSet<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      double waiting = waiting();
      List<Future<Response>> responses = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        responses.add(threads.submit(() -> edge.get("/session")));
      }
      Await.until("all of them are connected", () -> waiting() >= waiting + clients);
      Await.until("one of them asked", () -> number.get() >= 1);
      go.countDown();
      for (Future<Response> response : responses) {
        Response got = response.get(20, TimeUnit.SECONDS);
        assertEquals(200, got.status(), got::toString);
        assertEquals("for " + got.field("set-cookie").split("=", 2)[1], got.text());
        cookies.add(got.field("set-cookie"));
      }
    }
    assertEquals(clients, cookies.size(), () -> "a cookie each: " + cookies);
  }

  private double waiting() throws Exception {
    return edge.metrics().sum("forebay_connections");
  }

  @Test
  void clientsOfAnotherVariantThatWaitedGetTheirs() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    origin.on(
        "/late-vary",
        exchange -> {
          String language = exchange.request().field("x-language");
          if (language.equals("de") && !go.await(20, TimeUnit.SECONDS)) {
            exchange.reset();
            return;
          }
          exchange.respond(200, HOUR + "Vary: X-Language\r\n", "in " + language);
        });
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      double waiting = waiting();
      Future<Response> german = threads.submit(() -> edge.get("/late-vary", "X-Language: de"));
      Await.until(
          "the first is asked for",
          () -> !origin.heads().isEmpty() && origin.count("/late-vary") == 1);
      Future<Response> english = threads.submit(() -> edge.get("/late-vary", "X-Language: en"));
      Await.until("the second is connected", () -> waiting() >= waiting + 2);
      go.countDown();
      assertEquals("in de", german.get(20, TimeUnit.SECONDS).text());
      assertEquals("in en", english.get(20, TimeUnit.SECONDS).text());
    }
    assertEquals(2, origin.count("/late-vary"));
  }

  @Test
  void hostsPortsAndSpellingsAreKeyedAsTheyShould() throws Exception {
    origin.on(
        "/keyed",
        exchange -> exchange.respond(200, HOUR, "for " + exchange.request().field("host")));
    assertEquals("for a.test", edge.get("/keyed", "Host: a.test").text());
    assertEquals("for b.test", edge.get("/keyed", "Host: b.test").text());
    assertEquals("for a.test:81", edge.get("/keyed", "Host: a.test:81").text());
    for (String same : List.of("A.TEST", "a.test:80", "a.test.")) {
      Response hit = edge.get("/keyed", "Host: " + same);
      assertTrue(hit.isFromCache(), () -> same + ": " + hit);
      assertEquals("for a.test", hit.text(), same);
    }
    assertEquals(3, origin.count("/keyed"));
  }

  /** S20: what is not part of the key must not shape what is kept. */
  @Test
  void unkeyedFieldsDoNotPoison() throws Exception {
    origin.on(
        "/echo",
        exchange -> {
          PathOrigin.Request request = exchange.request();
          exchange.respond(
              200,
              HOUR,
              "host="
                  + request.field("x-forwarded-host")
                  + " scheme="
                  + request.field("x-forwarded-proto")
                  + " for="
                  + request.field("x-forwarded-for")
                  + " forwarded="
                  + request.field("forwarded"));
        });
    Response poisoned =
        edge.get(
            "/echo",
            "X-Forwarded-Host: evil.test",
            "X-Forwarded-Proto: evil",
            "X-Forwarded-For: 6.6.6.6",
            "Forwarded: for=6.6.6.6;host=evil.test");
    assertFalse(poisoned.text().contains("evil"), poisoned.text());
    assertFalse(poisoned.text().contains("6.6.6.6"), poisoned.text());
    assertTrue(poisoned.text().contains("for=127.0.0.1"), poisoned.text());

    for (String trick :
        List.of(
            "X-HTTP-Method-Override: DELETE",
            "X-Method-Override: POST",
            "X-Original-URL: /admin",
            "X-Rewrite-URL: /admin")) {
      String path =
          "/trick/" + trick.substring(0, trick.indexOf(':')).toLowerCase(java.util.Locale.ROOT);
      String name = trick.substring(0, trick.indexOf(':'));
      origin.on(
          path,
          exchange ->
              exchange.respond(
                  exchange.request().field(name).isEmpty() ? 200 : 404,
                  exchange.request().field(name).isEmpty() ? HOUR : "",
                  exchange.request().field(name).isEmpty() ? "right" : "tricked"));
      edge.get(path, trick);
      assertEquals("right", edge.get(path).text(), trick);
    }
  }

  @Test
  void aHeaderTooLargeIsRefusedAndPoisonsNothing() throws Exception {
    origin.cacheable("/oversized", "right");
    Response refused = edge.get("/oversized", "X-Big: " + "b".repeat(40_000));
    assertEquals(431, refused.status(), refused::toString);
    assertEquals(0, origin.count("/oversized"));
    Response many =
        edge.get(
            "/oversized", Stream.generate(() -> "X-Many: m").limit(500).toArray(String[]::new));
    assertEquals(431, many.status(), many::toString);
    assertEquals("right", edge.get("/oversized").text());
  }

  @Test
  void aGetWithABodyIsNeverKeptNorAnsweredAsAPlainOne() throws Exception {
    origin.on(
        "/fat",
        exchange ->
            exchange.respond(
                200, HOUR, exchange.request().body().length == 0 ? "plain" : "poisoned"));
    Response fat = RawClient.request(edge.port(), "GET", "/fat", "body=1");
    assertFalse(fat.isFromCache(), fat::toString);
    assertEquals("plain", edge.get("/fat").text());
    assertTrue(edge.get("/fat").isFromCache());
    Response again = RawClient.request(edge.port(), "GET", "/fat", "body=1");
    assertFalse(again.isFromCache(), again::toString);
    assertEquals("plain", edge.get("/fat").text());
  }

  @Test
  void unsafeMethodsPassAndInvalidate() throws Exception {
    AtomicInteger version = new AtomicInteger();
    origin.on(
        "/resource",
        exchange -> {
          if (!exchange.request().method().equals("GET")) {
            version.incrementAndGet();
            exchange.respond(200, "Cache-Control: max-age=3600\r\n", "changed");
            return;
          }
          exchange.respond(200, HOUR, "version " + version.get());
        });
    for (String method : List.of("POST", "PUT", "DELETE", "PATCH")) {
      String before = edge.get("/resource").text();
      assertEquals("changed", RawClient.request(edge.port(), method, "/resource", "x").text());
      assertNotEquals(before, edge.get("/resource").text(), method);
    }
  }

  /** A path that looks like a file does not make what is behind it public (S21). */
  @Test
  void pathsThatPretendToBeFilesChangeNothing() throws Exception {
    for (String path :
        List.of(
            "/account/x.css",
            "/account;x.js",
            "/account%2Fx.css",
            "/static/..%2Faccount",
            "/account%3Fx.css")) {
      origin.on(path, exchange -> exchange.respond(200, "Cache-Control: private\r\n", "secret"));
      edge.get(path);
      assertFalse(edge.get(path).isFromCache(), path);
      assertEquals(2, origin.count(path), path);
    }
  }
}
