package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.Metrics;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Signals, the access log, and messages for operators. */
final class OperationsIT {
  @TempDir Path directory;

  @Test
  void aReloadTakesEffectAndABadFileChangesNothing() throws Exception {
    try (PathOrigin origin = PathOrigin.start();
        PathOrigin second = PathOrigin.start()) {
      origin.cacheable("/a", "first");
      second.cacheable("/b", "from the second");
      String good = "origins:\n  default: %s\n";
      EdgeProcess.Settings settings = EdgeProcess.in(directory.resolve("edge"));
      settings.config(good.formatted(origin.url()));
      try (EdgeProcess edge = settings.start()) {
        edge.get("/a");
        assertTrue(edge.get("/a").isFromCache());

        settings.config("origins:\n  default: [\n");
        edge.signal("HUP");
        Await.until("it reports the bad file", () -> edge.errText().contains("forebay.yaml:"));
        assertTrue(edge.get("/a").isFromCache(), "nothing changed");
        assertEquals(404, edge.get("/b").status(), "still the first origin");

        settings.config("origins:\n  default: http://127.0.0.1:99999\n");
        edge.signal("HUP");
        Await.until("it reports the bad value", () -> edge.errText().contains("99999"));
        assertTrue(edge.get("/a").isFromCache(), "nothing changed");

        settings.config(
            good.formatted(second.url())
                + "routes:\n  - cache: false\n    match: {path: /a}\n  - origin: default\n");
        edge.signal("HUP");
        Await.until(
            "requests go to the new origin", () -> edge.get("/b").text().equals("from the second"));
        // Servers of origins change before routes do, all in one reload.
        Await.until("the new route passes", () -> !edge.get("/a").isFromCache());
        assertEquals(1, origin.count("/a"));
        JsonNode config = Admin.json(edge.admin("/v1/config").body());
        assertTrue(config.toString().contains(second.url()), config::toString);
      }
    }
  }

  @Test
  void everyRequestIsALineOfJsonWithItsReason() throws Exception {
    Path log = directory.resolve("access.log");
    try (PathOrigin origin = PathOrigin.start();
        EdgeProcess edge =
            EdgeProcess.in(directory.resolve("edge"), origin.url())
                .with("--access-log", log.toString())
                .start()) {
      origin.cacheable("/hit", "twelve bytes");
      origin.on("/pass", exchange -> exchange.respond(200, "Cache-Control: private\r\n", "p"));
      edge.get("/hit?q=%22quoted%22");
      Admin.awaitStored(edge, "/hit?q=%22quoted%22");
      edge.get(
          "/hit?q=%22quoted%22",
          "User-Agent: tricky \"agent\" \\ \u00e9",
          "Referer: http://r.test/",
          "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
      edge.get("/pass");
      edge.get("/absent");
      RawClient.request(edge.port(), "POST", "/pass", "body");
      Await.until("all lines are written", () -> lines(log).size() >= 5);
      List<JsonNode> lines = lines(log);
      assertEquals(5, lines.size(), lines::toString);
      for (JsonNode line : lines) {
        assertEquals(1, line.path("v").asInt(0), line::toString);
        for (String name : List.of("ts", "client", "status", "bytes", "duration_us", "cache")) {
          assertTrue(line.has(name), () -> name + " in " + line);
        }
      }
      JsonNode miss = line(lines, "miss");
      assertEquals(12, miss.path("bytes").asInt(0));
      assertFalse(miss.path("reason").asString("").isEmpty(), miss::toString);
      assertTrue(miss.path("fetch_us").asLong(-1) >= 0, miss::toString);
      JsonNode hit = line(lines, "hit");
      assertFalse(hit.path("reason").asString("").isEmpty(), hit::toString);
      assertEquals("tricky \"agent\" \\ \u00e9", hit.path("user_agent").asString(""));
      assertEquals("http://r.test/", hit.path("referer").asString(""));
      assertTrue(hit.path("traceparent").asString("").contains("4bf92f3577b34da6"), hit::toString);
      assertTrue(lines.stream().anyMatch(line -> line.path("method").asString("").equals("POST")));

      Path rotated = directory.resolve("access.log.1");
      Files.move(log, rotated);
      edge.signal("USR1");
      Await.until("the log is opened again", () -> Files.exists(log));
      edge.get("/hit?after");
      Await.until("and written to", () -> lines(log).size() == 1);
      assertEquals(5, lines(rotated).size());
    }
  }

  /** The line of /hit with that result; lines of two loops come in either order. */
  private static JsonNode line(List<JsonNode> lines, String cache) {
    return lines.stream()
        .filter(line -> line.path("target").asString("").equals("/hit?q=%22quoted%22"))
        .filter(line -> line.path("cache").asString("").equals(cache))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no line with cache=" + cache + ": " + lines));
  }

  private static List<JsonNode> lines(Path log) throws Exception {
    String text = Files.readString(log, StandardCharsets.UTF_8);
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().map(Admin::json).toList();
  }

  @Test
  void theTraceGoesOnToTheOrigin() throws Exception {
    String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    try (PathOrigin origin = PathOrigin.start();
        EdgeProcess edge = EdgeProcess.in(directory.resolve("edge"), origin.url()).start()) {
      edge.get("/x", "traceparent: " + trace);
      assertTrue(
          origin.requests("/x").getFirst().field("traceparent").contains("4bf92f3577b34da6"),
          () -> origin.requests("/x").toString());
    }
  }

  /** S27: a request that has been here before goes no further. */
  @Test
  void aLoopIsNoticed() throws Exception {
    try (PathOrigin origin = PathOrigin.start();
        EdgeProcess edge =
            EdgeProcess.in(directory.resolve("edge"), origin.url())
                .config("forwarding:\n  node-id: edge-7\n")
                .start()) {
      origin.cacheable("/looped", "body");
      assertEquals(508, edge.get("/looped", "CDN-Loop: edge-7").status());
      assertEquals(508, edge.get("/looped", "CDN-Loop: other, edge-7; hops=2").status());
      assertEquals(0, origin.count("/looped"));
      assertEquals(200, edge.get("/looped", "CDN-Loop: edge-77, shield").status());
      PathOrigin.Request sent = origin.requests("/looped").getFirst();
      assertTrue(sent.field("cdn-loop").contains("edge-77"), sent::toString);
      assertTrue(sent.field("cdn-loop").matches(".*\\bedge-7\\b(?!7).*"), sent::toString);
      assertTrue(sent.field("via").contains("edge-7"), sent::toString);
    }
  }

  @Tag("full")
  @Test
  void anEdgeThatIsItsOwnOriginAnswersOnce() throws Exception {
    EdgeProcess.Settings settings = EdgeProcess.in(directory.resolve("edge"));
    settings.with("--origin", "http://127.0.0.1:" + settings.port());
    try (EdgeProcess edge = settings.startUnready()) {
      Response response = edge.get("/round");
      assertTrue(response.status() == 508 || response.status() == 502, response::toString);
      Await.until("nothing goes round", () -> edge.metrics().sum("forebay_connections") <= 2);
    }
  }

  @Tag("full")
  @Test
  void statsOnTheCommandLineSaysWhatTheApiSays() throws Exception {
    try (PathOrigin origin = PathOrigin.start();
        EdgeProcess edge = EdgeProcess.in(directory.resolve("edge"), origin.url()).start()) {
      origin.cacheable("/x", "x");
      edge.get("/x");
      Admin.awaitStored(edge, "/x");
      edge.get("/x");
      Commands.Finished json =
          Jar.quick().run("stats", "--json", "--admin-url", edge.adminUrl()).orFail();
      assertEquals(
          Admin.stats(edge).propertyNames().stream().sorted().toList(),
          Admin.json(json.out()).propertyNames().stream().sorted().toList());
      Jar.quick().run("stats", "--admin-url", edge.adminUrl()).orFail();
      Metrics metrics = edge.metrics();
      assertEquals(1.0, metrics.sum("forebay_requests_total", "cache=\"hit\""));
      assertEquals(1.0, metrics.sum("forebay_requests_total", "cache=\"miss\""));
      Commands.Finished nobody =
          Jar.quick().run("stats", "--admin-url", "http://127.0.0.1:" + Ports.free());
      assertEquals(1, nobody.exit(), nobody::toString);
      assertEquals(1, nobody.messages().size(), nobody::toString);
    }
  }

  @Tag("full")
  @Test
  void warmingFetchesOnceWhatIsListed() throws Exception {
    try (NginxOrigin origin = NginxOrigin.start(directory.resolve("nginx"));
        EdgeProcess edge = EdgeProcess.in(directory.resolve("edge"), origin.url()).start()) {
      Tree tree = origin.tree(12);
      StringBuilder list = new StringBuilder();
      for (int i = 0; i < 20; i++) {
        tree.write("/warm/" + i, 10_000);
        list.append(edge.url("/warm/" + i)).append('\n');
      }
      Path urls = Files.writeString(directory.resolve("urls.txt"), list);
      Jar.quick().run("warm", "--admin-url", edge.adminUrl(), "--file", urls.toString()).orFail();
      for (int i = 0; i < 20; i++) {
        assertTrue(edge.get("/warm/" + i).isFromCache());
        origin.assertRequests(1, "/warm/" + i);
      }
      Files.writeString(urls, list + edge.url("/warm/absent") + "\n");
      Commands.Finished partly =
          Jar.quick().run("warm", "--admin-url", edge.adminUrl(), "--file", urls.toString());
      assertEquals(3, partly.exit(), partly::toString);
    }
  }
}
