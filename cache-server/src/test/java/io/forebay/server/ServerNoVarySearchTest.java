package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** No-Vary-Search: a response says which parameters of a query matter. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("slow")
final class ServerNoVarySearchTest {

  private static final String FRESH = "cache-control: max-age=1000\r\n";

  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    edge =
        Edge.before(
            origin,
            directory,
            "32MiB",
            "routes: [{match: {path: /}, key: {no-vary-search: yes}}, {match: {path: /off}}]\n");
  }

  @AfterAll
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private void saying(String path, String field) {
    origin.on(
        path,
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                FRESH + field,
                TestOrigin.ascii(request.number() + " " + request.target())));
  }

  private static Response hit(RawClient client, String path, String... fields) {
    Response[] last = new Response[1];
    Await.until(
        "a hit for " + path,
        () -> {
          try {
            last[0] = client.get(path, fields);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          return last[0].isHit();
        });
    return last[0];
  }

  @Test
  void aLaterRequestFindsTheObjectByWhatMatters() throws IOException {
    saying("/a", "no-vary-search: key-order, params=(\"utm\" \"ref\")\r\n");
    try (RawClient client = edge.connect()) {
      assertEquals("1 /a?utm=1&x=1&y=2", client.get("/a?utm=1&x=1&y=2").text(), "as it was asked");
      assertEquals("1 /a?utm=1&x=1&y=2", hit(client, "/a?y=2&x=1").text());
      assertEquals("1 /a?utm=1&x=1&y=2", hit(client, "/a?ref=z&y=2&utm=9&%78=1").text());
      assertEquals("2 /a?x=2&y=2", client.get("/a?x=2&y=2").text());
      assertEquals("2 /a?x=2&y=2", hit(client, "/a?y=2&x=2&utm").text());
      assertEquals("1 /a?utm=1&x=1&y=2", hit(client, "/a?x=1&y=2").text());
    }
    assertEquals(2, origin.count("/a"));
  }

  @Test
  void aPurgeOfEitherUrlKillsTheObject() throws IOException {
    saying("/p", "no-vary-search: params=(\"utm\")\r\n");
    try (RawClient client = edge.connect()) {
      int number = 0;
      for (String purged : new String[] {"/p?utm=1&x=1", "/p?x=1", "/p?x=1&utm=7"}) {
        number++;
        assertEquals(number + " /p?utm=1&x=1", client.get("/p?utm=1&x=1").text());
        assertEquals(number + " /p?utm=1&x=1", hit(client, "/p?x=1").text());
        edge.purgeUrl(purged);
      }
      assertFalse(client.get("/p?x=1").isHit());
      assertEquals("4 /p?x=1", hit(client, "/p?x=1&utm=3").text());
      // RFC 9111 §4.4.
      client.request("DELETE", "/p?x=1&utm=4").reply();
      assertFalse(client.get("/p?x=1").isHit());
    }
  }

  @Test
  void responsesWithoutTheFieldAndWithAnotherRuleStandBeside() throws IOException {
    origin.on(
        "/mixed",
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                FRESH
                    + (request.target().contains("plain")
                        ? ""
                        : "no-vary-search: params=(\"utm\")\r\n"),
                TestOrigin.ascii(request.number() + " " + request.target())));
    try (RawClient client = edge.connect()) {
      assertEquals("1 /mixed?utm=1", client.get("/mixed?utm=1").text());
      assertEquals("2 /mixed?plain&utm=1", client.get("/mixed?plain&utm=1").text());
      assertEquals("2 /mixed?plain&utm=1", hit(client, "/mixed?plain&utm=1").text());
      assertEquals("3 /mixed?plain&utm=2", client.get("/mixed?plain&utm=2").text());
      assertEquals("1 /mixed?utm=1", hit(client, "/mixed").text());
    }
  }

  @Test
  void variantsOfOneReducedKeyAreToldApart() throws IOException {
    origin.on(
        "/vary",
        (request, connection) ->
            TestOrigin.sendOk(
                connection,
                FRESH + "vary: x-color\r\nno-vary-search: params\r\n",
                TestOrigin.ascii(request.field("x-color"))));
    try (RawClient client = edge.connect()) {
      assertEquals("red", client.get("/vary?1", "X-Color: red").text());
      assertEquals("blue", client.get("/vary?2", "X-Color: blue").text());
      assertEquals("red", hit(client, "/vary?3", "X-Color: red").text());
      assertEquals("blue", hit(client, "/vary", "X-Color: blue").text());
    }
  }

  @Test
  void aFollowerWhoseQueryMattersLeavesAndGetsItsOwn() throws Exception {
    saying("/join", "no-vary-search: params=(\"utm\")\r\n");
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    try (RawClient first = edge.connect();
        RawClient alike = edge.connect();
        RawClient other = edge.connect()) {
      assertEquals("1 /join?warm", first.get("/join?warm").text());
      origin.on(
          "/join",
          (request, connection) -> {
            asked.countDown();
            TestOrigin.await(gate);
            TestOrigin.sendOk(connection, FRESH, TestOrigin.ascii(request.target()));
          });
      first.request("GET", "/join?x&utm=1");
      assertTrue(asked.await(30, TimeUnit.SECONDS));
      long joined = edge.sum(c -> c.joined);
      // By the rule so far they are the same; the answer will say nothing of the kind.
      alike.request("GET", "/join?x&utm=1");
      other.request("GET", "/join?x&utm=2");
      Await.until("both have joined", () -> edge.sum(c -> c.joined) == joined + 2);
      gate.countDown();
      assertEquals("/join?x&utm=1", first.reply().text());
      assertEquals("/join?x&utm=1", alike.reply().text());
      assertEquals("/join?x&utm=2", other.reply().text());
    }
  }

  /** RFC 9111 §4.3.4: a 304 updates the stored header, and so what it says of queries. */
  @Test
  void a304WithAnotherRuleFreshensNothingForOthers() throws IOException {
    origin.on(
        "/changes",
        (request, connection) -> {
          if (request.field("if-none-match").equals("\"1\"")) {
            TestOrigin.notModified(connection, FRESH + "no-vary-search: params=(\"b\")\r\n");
          } else {
            boolean isFirst = request.number() == 1;
            TestOrigin.sendOk(
                connection,
                isFirst
                    ? "cache-control: max-age=0\r\netag: \"1\"\r\nno-vary-search: params\r\n"
                    : FRESH + "no-vary-search: params=(\"b\")\r\n",
                TestOrigin.ascii(request.target()));
          }
        });
    try (RawClient client = edge.connect()) {
      assertEquals("/changes?a=1", client.get("/changes?a=1").text());
      edge.awaitIdle();
      assertEquals("/changes?a=2", client.get("/changes?a=2").text());
      assertEquals("/changes?a=2", hit(client, "/changes?b&a=2").text());
      assertEquals("/changes?a=3", client.get("/changes?a=3").text());
    }
  }

  @Test
  void whereTheRouteDoesNotSayTheFieldMeansNothing() throws IOException {
    saying("/off", "no-vary-search: params\r\n");
    try (RawClient client = edge.connect()) {
      assertEquals("1 /off?a", client.get("/off?a").text());
      assertEquals("2 /off?b", client.get("/off?b").text());
      assertEquals("1 /off?a", hit(client, "/off?a").text());
    }
  }
}
