package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Nodes that share purges through Debian's etcd: receipts, start, gaps and names. */
@Tag("full")
final class ClusterIT {
  private static final int LONG_MILLIS = 9_000;

  @TempDir Path directory;
  private PathOrigin origin;

  @BeforeEach
  void start() throws Exception {
    origin = PathOrigin.start();
    say("a", "1");
    say("b", "1");
  }

  @AfterEach
  void stop() throws Exception {
    origin.close();
  }

  /** What the origin has at a path, which is also a tag. */
  private void say(String name, String version) {
    origin.on(
        "/" + name,
        exchange ->
            exchange.respond(
                200, "Cache-Control: max-age=3600\r\nCache-Tag: " + name + "\r\n", version));
  }

  private static void awaitHit(EdgeProcess edge, String path) {
    Await.until("a hit for " + path, () -> edge.get(path).isHit());
  }

  private static Commands.Finished command(EdgeProcess edge, String... words) throws Exception {
    List<String> all = new ArrayList<>(List.of(words));
    all.addAll(List.of("--admin-url", edge.adminUrl()));
    return Jar.quick().run(all.toArray(new String[0]));
  }

  @Test
  void aPurgeOfOneNodeIsOfAllAndItsReceiptNamesThem() throws Exception {
    try (ClusterEdges cluster = ClusterEdges.start(directory, origin.url(), 1, 2)) {
      EdgeProcess first = cluster.edge(0);
      EdgeProcess second = cluster.edge(1);
      awaitHit(second, "/a");
      awaitHit(second, "/b");
      say("a", "2");

      Commands.Finished purged = command(first, "purge", "--tag", "a", "--wait", "all");

      assertEquals(0, purged.exit(), purged.toString());
      assertTrue(purged.out().contains("confirmed: edge-0, edge-1"), purged.out());
      assertEquals("2", second.get("/a").text());
      assertTrue(second.get("/b").isHit(), "another object stays");
      JsonNode receipt = ClusterEdges.purge(second, "a", LONG_MILLIS);
      String id = receipt.path("purges").path(0).path("id").asString("");
      JsonNode again = JsonMapper.shared().readTree(first.admin("/v1/purges/" + id).body());
      assertTrue(again.path("cluster").path("acknowledged").asBoolean(false), again.toString());
      assertEquals(404, first.admin("/v1/purges/c-999999").statusCode());

      second.kill();
      Commands.Finished hasty = command(first, "purge", "--tag", "a", "--wait-most", "1", "--json");
      assertEquals(3, hasty.exit(), hasty.toString());
      assertEquals(
          "edge-1",
          JsonMapper.shared()
              .readTree(hasty.out())
              .path("cluster")
              .path(0)
              .path("pending")
              .path(0)
              .path("node")
              .asString(""),
          hasty.out());
      Commands.Finished early = command(first, "cluster", "forget", "edge-0");
      assertEquals(1, early.exit(), early.toString());
      assertTrue(early.err().contains("is alive"), early.err());
      Commands.Finished patient = command(first, "purge", "--tag", "a");
      assertEquals(0, patient.exit(), patient.toString());
      assertTrue(patient.out().contains("fenced: edge-1"), patient.out());
      Commands.Finished status = command(first, "cluster", "status");
      assertTrue(status.out().matches("(?s).*edge-0 +default +alive.*"), status.out());
      assertTrue(status.out().matches("(?s).*edge-1 +default +gone.*"), status.out());
      Commands.Finished forgotten = command(first, "cluster", "forget", "edge-1");
      assertEquals(0, forgotten.exit(), forgotten.toString());
      assertEquals(
          "[\"edge-0\"]",
          ClusterEdges.purge(first, "a", LONG_MILLIS).path("cluster").path("confirmed").toString());
      Await.until(
          "the node has seen that", () -> first.metrics().sum("forebay_cluster_members") == 1);
    }
  }

  @Test
  void aNodeCatchesUpWithWhatItMissedBeforeItIsReady() throws Exception {
    try (ClusterEdges cluster = ClusterEdges.start(directory, origin.url(), 1, 2)) {
      EdgeProcess first = cluster.edge(0);
      EdgeProcess second = cluster.edge(1);
      awaitHit(second, "/a");
      awaitHit(second, "/b");
      assertEquals(0, second.terminate());
      say("a", "2");
      for (int i = 0; i < 20; i++) {
        ClusterEdges.purge(first, i == 7 ? "a" : "other" + i, LONG_MILLIS);
      }
      long newest = (long) first.metrics().sum("forebay_cluster_position");
      cluster.etcd().compact(newest);

      EdgeProcess ignored = second.restart();

      assertTrue(second.get("/b").isHit(), "what was not purged is still there");
      assertEquals("2", second.get("/a").text());
      assertEquals(20, second.metrics().sum("forebay_cluster_applied_purges_total"));
      assertEquals(0, second.metrics().sum("forebay_cluster_gaps_total"));
    }
  }

  @Test
  void aNodeThatTheLogHasForgottenIsEmptied() throws Exception {
    try (ClusterEdges cluster = ClusterEdges.start(directory, origin.url(), 1, 1)) {
      EdgeProcess edge = cluster.edge(0);
      awaitHit(edge, "/b");
      assertEquals(0, edge.terminate());
      String floor = "/forebay/test/floor";
      String ignored =
          cluster
              .etcd()
              .post(
                  0,
                  "/v3/kv/put",
                  "{\"key\":\"%s\",\"value\":\"%s\"}".formatted(base64(floor), base64("1000000")));

      EdgeProcess restarted = edge.restart();

      assertEquals(1, restarted.metrics().sum("forebay_cluster_gaps_total"));
      assertFalse(restarted.get("/b").isHit());
      assertTrue(restarted.errText().contains("purges may have been missed"));
    }
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aNodeThatLosesEtcdValidatesUntilItIsBack() throws Exception {
    try (ClusterEdges cluster = ClusterEdges.start(directory, origin.url(), 1, 1)) {
      EdgeProcess edge = cluster.edge(0);
      awaitHit(edge, "/a");
      cluster.etcd().kill(0);
      Await.until("the node is not ready", () -> edge.admin("/readyz").body().contains("cut-off"));
      int asked = origin.count("/a");
      assertEquals("1", edge.get("/a").text());
      assertEquals(asked + 1, origin.count("/a"));
      assertEquals(1, edge.metrics().sum("forebay_cluster_fenced"));
      assertEquals(
          503,
          edge.adminPost("/v1/purge", "{\"tags\":[\"a\"]}").statusCode(),
          "no purge is accepted");
      cluster.etcd().restart(0);
      ClusterEdges.awaitReady(edge);
      awaitHit(edge, "/a");
    }
  }

  @Test
  void aSecondNodeOfTheSameNameDoesNotStart() throws Exception {
    try (ClusterEdges cluster = ClusterEdges.start(directory, origin.url(), 1, 1)) {
      EdgeProcess.Settings second = cluster.settings("edge-0", "another");
      AssertionError failed = assertThrows(AssertionError.class, second::start);
      assertTrue(failed.toString().contains("alive under the name edge-0"), failed.toString());
    }
  }

  @Test
  void aNodeAloneInitialisesNothingOfIt() throws Exception {
    Path log = directory.resolve("classes.log");
    try (EdgeProcess edge =
        EdgeProcess.in(directory.resolve("alone"), origin.url())
            .memory("32MiB")
            .jvm("-Xlog:class+init=info:file=" + log)
            .start()) {
      awaitHit(edge, "/a");
      assertEquals(200, edge.adminPost("/v1/purge", "{\"tags\":[\"a\"]}").statusCode());
      assertEquals(200, edge.admin("/metrics").statusCode());
      assertEquals(404, edge.admin("/v1/cluster").statusCode());
    }
    List<String> initialised =
        Files.readAllLines(log).stream()
            .filter(line -> line.contains("Initializing") || line.contains("initialize"))
            .toList();
    assertTrue(
        initialised.stream()
            .anyMatch(line ->
                line.contains("io.forebay.server.Server")
                    || line.contains("io/forebay/server/Server")),
        "the log names classes that are initialised");
    assertEquals(
        List.of(),
        initialised.stream().filter(line -> line.matches(".*forebay.server.cluster.*")).toList());
  }
}
