package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.server.node.NodeControl.Reload;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of two versions of a site: no client gets the bytes of the other group. */
@Timeout(120)
@Tag("slow")
final class ServerSplitTest {
  /** Of the last group, and of the first tenth. */
  private static final String CURRENT = "alice";

  private static final String BETA = "bob";

  @TempDir Path directory;
  private final TestOrigin main = new TestOrigin();
  private final TestOrigin beta = new TestOrigin();
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    for (String path : List.of("/page", "/other")) {
      main.on(path, TestOrigin.ok("cache-control: max-age=60\r\n", TestOrigin.ascii("current")));
      beta.on(path, TestOrigin.ok("cache-control: max-age=60\r\n", TestOrigin.ascii("beta")));
    }
    edge = Edge.start(directory, "32MiB", config("cookie visitor", "10%", "90%"));
  }

  private String config(String by, String share, String rest) {
    return "http3: {listeners: [secure]}\n"
        + "origins:\n"
        + "  main: {url: \""
        + main.url()
        + "\", keep-alive: 5s}\n"
        + "  beta: {url: \""
        + beta.url()
        + "\", keep-alive: 5s}\n"
        + "splits: {checkout: {by: "
        + by
        + ", groups: {beta: "
        + share
        + ", current: "
        + rest
        + "}}}\n"
        + "routes:\n"
        + "  - name: site\n"
        + "    origin: main\n"
        + "    rules:\n"
        + "      - when: {split: {checkout: beta}}\n"
        + "        origin: beta\n"
        + "        response-headers: {set: {x-group: beta}}\n";
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    main.close();
    beta.close();
  }

  private static List<String> group(Answer answer) {
    return answer.all("x-group");
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void eachGroupHasItsOwnStoredResponses(String protocol) throws Exception {
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      for (int i = 0; i < 3; i++) {
        for (String visitor : List.of(CURRENT, BETA)) {
          Answer answer = client.ask("GET", "/page", "cookie", "a=b; visitor=" + visitor);
          assertEquals(200, answer.status());
          assertEquals(i > 0, answer.isHit(), () -> visitor + " " + answer);
          assertEquals(visitor.equals(BETA) ? List.of("beta") : List.of(), group(answer));
          edge.awaitIdle();
        }
        Answer stranger = client.ask("GET", "/page");
        assertTrue(stranger.isHit(), "without the cookie a client is in the last group");
        assertEquals(List.of(), group(stranger));
      }
    }
    assertEquals(1, main.count("/page"));
    assertEquals(1, beta.count("/page"));
  }

  private static String text(RawClient client, String visitor) throws IOException {
    return client.get("/page", "Host: a.example", "Cookie: visitor=" + visitor).text();
  }

  @Test
  void aPurgeOfTheUrlIsForAllGroups() throws Exception {
    String host = "Host: 127.0.0.1:" + edge.port();
    try (RawClient client = edge.connect()) {
      for (int i = 0; i < 2; i++) {
        for (String visitor : List.of(CURRENT, BETA)) {
          Response first = client.get("/page", host, "Cookie: visitor=" + visitor);
          assertFalse(first.isHit(), first::toString);
          edge.awaitIdle();
          assertTrue(client.get("/page", host, "Cookie: visitor=" + visitor).isHit());
        }
        edge.purgeUrl("/page");
      }
    }
    assertEquals(2, main.count("/page"));
    assertEquals(2, beta.count("/page"));
  }

  /** A group that grows takes clients along, and each gets what its group has. */
  @Test
  void aReloadMovesClientsAndNeverBytes() throws Exception {
    List<String> visitors = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      visitors.add("visitor-" + i);
    }
    try (RawClient client = edge.connect()) {
      List<String> before = new ArrayList<>();
      for (String visitor : visitors) {
        before.add(text(client, visitor));
        edge.awaitIdle();
      }
      edge.configure(config("cookie visitor", "60%", "40%"));
      Reload reload = edge.server().reload();
      assertEquals(List.of("splits.checkout.groups"), reload.changed());
      assertEquals(List.of("splits.checkout.groups"), reload.changesKeys());
      int moved = 0;
      for (int i = 0; i < visitors.size(); i++) {
        String now = text(client, visitors.get(i));
        assertTrue(before.get(i).equals("current") || now.equals("beta"), visitors.get(i));
        moved += now.equals(before.get(i)) ? 0 : 1;
      }
      assertTrue(moved > 5, moved + " moved");
      edge.configure(config("cookie visitor", "0%", "100%"));
      assertEquals(List.of(), edge.server().reload().errors());
      for (String visitor : visitors) {
        assertEquals("current", text(client, visitor));
      }
    }
    assertEquals(1, main.count("/page"));
  }

  /** The fast lane builds the keys of groups, too. */
  @Test
  void hitsOfGroupsStayInTheFastLane() throws Exception {
    edge.configure(config("header User-Agent", "10%", "90%"));
    assertEquals(List.of(), edge.server().reload().errors());
    try (RawClient client = edge.connect()) {
      for (String visitor : List.of(CURRENT, BETA)) {
        client.get("/page", "Host: a.example", "User-Agent: " + visitor);
        edge.awaitIdle();
        assertTrue(client.get("/page", "Host: a.example", "User-Agent: " + visitor).isHit());
      }
      long fast = edge.sum(c -> c.fastHits);
      for (int i = 0; i < 5; i++) {
        for (String visitor : List.of(CURRENT, BETA)) {
          Response hit = client.get("/page", "Host: a.example", "User-Agent: " + visitor);
          assertTrue(hit.isHit(), hit::toString);
          assertEquals(visitor.equals(BETA) ? "beta" : "current", hit.text());
        }
      }
      assertEquals(fast + 10, edge.sum(c -> c.fastHits));
    }
  }

  @Test
  void explainTellsTheGroupByTheKey() throws Exception {
    String ofBeta =
        edge.explain(
                200,
                "{\"url\": \"http://a.example/page\", \"fields\": [[\"Cookie\", \"visitor=bob\"]]}")
            .toString();
    assertTrue(ofBeta.contains("#g=checkout.beta"), ofBeta);
    assertTrue(ofBeta.contains("asks origin beta"), ofBeta);
    String ofCurrent = edge.explain(200, "{\"url\": \"http://a.example/page\"}").toString();
    assertFalse(ofCurrent.contains("g=checkout"), ofCurrent);
  }
}
