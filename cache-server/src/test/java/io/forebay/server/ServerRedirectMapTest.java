package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.ProtocolClient.Answer;
import io.forebay.server.node.NodeControl.Reload;
import io.forebay.server.node.NodeControl.ReloadOrder;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Redirect maps over real connections, and files that a reload reads again. */
@Timeout(120)
@Tag("slow")
final class ServerRedirectMapTest {
  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private Path map;
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    origin.on(
        "/page", TestOrigin.ok("cache-control: max-age=60\r\n", TestOrigin.ascii("0123456789")));
    map = directory.resolve("redirects.txt");
    Files.writeString(
        map, "/old /new\n/shop/* https://shop.test/:splat 308\n/a.example/x /never\n");
    edge = Edge.start(directory, "32MiB", config("redirect: {map: MAP, status: 301}"));
  }

  private String config(String rule) {
    return "http3: {listeners: [secure]}\n"
        + Edge.origins(origin.url())
        + "routes:\n"
        + "  - name: mapped\n"
        + "    rules:\n"
        + "      - when: {not: {query: {stay: \"*\"}}}\n"
        + "        "
        + rule.replace("MAP", map.toString())
        + "\n"
        + "        response-headers: {set: {x-moved: \"1\"}}\n"
        + "      - when: {path: /new}\n"
        + "        respond: {text: next}\n";
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "TLS", "HTTP/2", "HTTP/3"})
  void entriesRedirectAndAllElseGoesOn(String protocol) throws Exception {
    try (ProtocolClient client = ProtocolClient.connect(edge, protocol)) {
      Answer moved = client.ask("GET", "/old?q=1");
      assertEquals(301, moved.status());
      assertEquals(List.of("/new?q=1"), moved.all("location"));
      assertEquals(List.of("1"), moved.all("x-moved"));
      assertTrue(moved.all("cache-status").toString().contains("detail=rule-redirect"));
      assertEquals(301, client.ask("HEAD", "/old").status());
      Answer below = client.ask("POST", "/shop/cart/1?id=7");
      assertEquals(308, below.status());
      assertEquals(List.of("https://shop.test/cart/1?id=7"), below.all("location"));

      Answer fetched = client.ask("GET", "/page");
      assertEquals(200, fetched.status());
      assertEquals(List.of(), fetched.all("x-moved"), "the rule does not hold without an entry");
      edge.awaitIdle();
      assertTrue(client.ask("GET", "/page").isHit());
      long fast = edge.sum(c -> c.fastHits);
      Answer hit = client.ask("GET", "/page");
      assertTrue(hit.isHit(), hit::toString);
      if (protocol.equals("plain") || protocol.equals("TLS")) {
        assertEquals(fast + 1, edge.sum(c -> c.fastHits), "a miss of the map stays fast");
      }
      assertEquals(200, client.ask("GET", "/new").status(), "the next rule is asked");
      assertEquals(404, client.ask("GET", "/old?stay").status(), "the condition counts, too");
    }
    assertEquals(0, origin.count("/shop/cart/1"));
  }

  /** The fast lane asks the map for hits, too. */
  @Test
  void aStoredResponseIsRedirectedOnceTheMapHasIt() throws Exception {
    try (RawClient client = edge.connect()) {
      client.get("/page", "Host: a.example");
      edge.awaitIdle();
      assertTrue(client.get("/page", "Host: a.example").isHit());
      Files.writeString(map, "/page /new 302\n");
      Reload tried = edge.server().reload(new ReloadOrder("ann", true, 0));
      assertEquals(List.of("routes.mapped.rules.0.redirect.map"), tried.changed());
      assertTrue(client.get("/page", "Host: a.example").isHit(), "it was only tried");
      Reload reload = edge.server().reload();
      assertEquals(List.of("routes.mapped.rules.0.redirect.map"), reload.changed());
      assertEquals(List.of(), reload.changesKeys());
      Response moved = client.get("/page", "Host: a.example");
      assertEquals(302, moved.status());
      assertEquals("/new", moved.field("location"));
      assertEquals(List.of(), edge.server().reload().changed(), "nothing changed since");

      Files.writeString(map, "/page /new 302\n/page /other\n");
      Reload refused = edge.server().reload();
      assertEquals(
          List.of(
              map
                  + ":2:1: routes.0.rules.0.redirect.map: /page is already in line 1;"
                  + " keep one of them"),
          refused.errors());
      assertEquals(302, client.get("/page", "Host: a.example").status(), "as before");
      Files.writeString(map, "");
      assertEquals(List.of(), edge.server().reload().errors());
      assertTrue(client.get("/page", "Host: a.example").isHit());
    }
    assertEquals(1, origin.count("/page"));
  }

  @Test
  void hostsAndQueriesAreComparedWhereTheRuleSaysSo() throws Exception {
    Files.writeString(map, "a.example/old /new\n");
    edge.configure(config("redirect: {map: MAP, by: host-path}"));
    assertEquals(List.of(), edge.server().reload().errors());
    try (RawClient client = edge.connect()) {
      assertEquals(302, client.get("/old", "Host: A.example:80").status());
      assertEquals(404, client.get("/old", "Host: b.example").status());
      Files.writeString(map, "/old?id=1 /new/1\n/old?id=2 /new/2\n");
      edge.configure(config("redirect: {map: MAP, by: uri}"));
      assertEquals(List.of(), edge.server().reload().errors());
      assertEquals("/new/2", client.get("/old?id=2", "Host: a.example").field("location"));
      assertEquals(404, client.get("/old?id=3", "Host: a.example").status());
    }
  }

  @Test
  void aTextOfAResponseWithOtherContentIsAChange() throws Exception {
    Files.writeString(map, "first");
    edge.configure(config("respond: {file: MAP}"));
    assertEquals(List.of(), edge.server().reload().errors());
    Files.writeString(map, "second");
    assertEquals(List.of("routes.mapped.rules.0.respond.file"), edge.server().reload().changed());
    try (RawClient client = edge.connect()) {
      assertEquals("second", client.get("/page", "Host: a.example").text());
    }
  }

  @Test
  void explainNamesTheEntry() throws Exception {
    String answer = edge.explain(200, "{\"url\": \"http://a/shop/cart\"}").toString();
    assertTrue(answer.contains("entry /shop/* of " + map + ", to https://shop.test/cart"), answer);
    assertTrue(answer.contains("redirects by " + map + ", 3 entries"), answer);
  }
}
