package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.Directories;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
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
  void aSoftPurgeIsUndoneOnAllNodesAndOnOneThatWasAway() throws Exception {
    try (ClusterEdges cluster = ClusterEdges.start(directory, origin.url(), 1, 2)) {
      EdgeProcess first = cluster.edge(0);
      EdgeProcess second = cluster.edge(1);
      awaitHit(first, "/a");
      awaitHit(second, "/a");
      say("a", "2");
      String id =
          purgeId(command(first, "purge", "--tag", "a", "--soft", "--wait", "all", "--json"));

      Commands.Finished undone = command(second, "purge", "--undo", id, "--wait", "all");

      assertEquals(0, undone.exit(), undone.toString());
      assertTrue(undone.out().contains("confirmed: edge-0, edge-1"), undone.out());
      awaitUndone(first);
      awaitUndone(second);
      assertEquals("1", first.get("/a").text());
      assertEquals("1", second.get("/a").text());
      assertEquals(1, command(first, "purge", "--undo", id).exit(), "it is undone already");

      String next =
          purgeId(command(first, "purge", "--tag", "a", "--soft", "--wait", "all", "--json"));
      second.kill();
      assertEquals(3, command(first, "purge", "--undo", next, "--wait-most", "1").exit());
      EdgeProcess restarted = second.restart();
      awaitUndone(restarted);
      assertEquals("1", restarted.get("/a").text());

      String hard = purgeId(command(first, "purge", "--tag", "a", "--wait", "all", "--json"));
      Commands.Finished refused = command(first, "purge", "--undo", hard);
      assertEquals(1, refused.exit());
      assertTrue(refused.err().contains("it is a hard one"), refused.err());
      assertEquals("2", restarted.get("/a").text());
    }
  }

  private static String purgeId(Commands.Finished purged) throws Exception {
    assertEquals(0, purged.exit(), purged.toString());
    return JsonMapper.shared()
        .readTree(purged.out())
        .path("purges")
        .path(0)
        .path("id")
        .asString("");
  }

  private static void awaitUndone(EdgeProcess edge) {
    Await.until(
        "memory is looked through for the undo",
        () -> {
          JsonNode latest =
              JsonMapper.shared().readTree(edge.admin("/v1/purges").body()).path("purges").path(0);
          return latest.path("kind").asString("").equals("undo")
              && latest.path("swept").asBoolean(false);
        });
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

  @Test
  void aLogThatLosesItsNameGetsAnotherAndStoresAreEmptied() throws Exception {
    try (ClusterEdges cluster = ClusterEdges.start(directory, origin.url(), 1, 2)) {
      EdgeProcess first = cluster.edge(0);
      EdgeProcess second = cluster.edge(1);
      awaitHit(first, "/b");
      awaitHit(second, "/b");
      double gaps = gaps(first) + gaps(second);
      int asked = origin.count("/b");

      String ignored =
          cluster
              .etcd()
              .post(
                  0,
                  "/v3/kv/deleterange",
                  "{\"key\":\"%s\"}".formatted(base64("/forebay/test/epoch")));

      Await.until("both have noticed", () -> gaps(first) + gaps(second) == gaps + 2);
      ClusterEdges.awaitReady(first);
      ClusterEdges.awaitReady(second);
      assertEquals("1", first.get("/b").text());
      assertEquals(asked + 1, origin.count("/b"), "the store of the node was emptied");
      assertTrue(
          ClusterEdges.purge(second, "b", LONG_MILLIS)
              .path("cluster")
              .path("acknowledged")
              .asBoolean(false));
    }
  }

  private static double gaps(EdgeProcess edge) throws Exception {
    return edge.metrics().sum("forebay_cluster_gaps_total");
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
  void aNodeIsDrainedAlsoOverARestart() throws Exception {
    try (ClusterEdges cluster = ClusterEdges.start(directory, origin.url(), 1, 2)) {
      EdgeProcess first = cluster.edge(0);
      EdgeProcess second = cluster.edge(1);
      awaitHit(second, "/a");
      Await.until(
          "the other one says what it does",
          () -> command(first, "cluster", "status", "--json").out().contains("requestsPerSecond"));

      Commands.Finished drained = command(first, "cluster", "drain", "edge-1", "--wait");

      assertEquals(0, drained.exit(), drained.toString());
      assertTrue(drained.out().contains("edge-1 is drained"), drained.out());
      assertEquals(503, second.admin("/readyz").statusCode());
      assertTrue(second.admin("/readyz").body().contains("cluster-draining"));
      assertEquals(200, first.admin("/readyz").statusCode());
      assertTrue(second.get("/a").isHit(), "what still comes is answered");
      assertEquals(1, second.metrics().sum("forebay_cluster_draining"));
      assertEquals(0, second.terminate());
      EdgeProcess ignored = second.restartUnready();
      Await.until("it is the only reason", () -> codes(second).equals("[\"cluster-draining\"]"));
      assertEquals(
          "[\"edge-0\",\"edge-1\"]",
          ClusterEdges.purge(first, "a", LONG_MILLIS).path("cluster").path("confirmed").toString(),
          "it goes on to apply purges");
      Commands.Finished status = command(first, "cluster", "status");
      assertTrue(status.out().matches("(?s).*edge-1 +default +drains.*"), status.out());
      assertTrue(status.out().contains("not ready: cluster-draining"), status.out());

      assertEquals(0, command(second, "cluster", "undrain", "edge-1").exit());

      ClusterEdges.awaitReady(second);
      assertEquals(1, command(first, "cluster", "drain", "edge-9").exit());
      assertEquals(404, first.adminPost("/v1/cluster/drain", "{\"node\":\"x\"}").statusCode());
      assertEquals(400, first.adminPost("/v1/cluster/drain", "{}").statusCode());
    }
  }

  @Test
  void aMemberWithoutAnAddressIsPendingWithAPlainReason() throws Exception {
    try (ClusterEdges cluster = ClusterEdges.start(directory, origin.url(), 1, 1)) {
      EdgeProcess edge = cluster.edge(0);
      String ignored =
          cluster
              .etcd()
              .post(
                  0,
                  "/v3/kv/put",
                  "{\"key\":\"%s\",\"value\":\"%s\"}"
                      .formatted(
                          base64("/forebay/test/members/edge-x"),
                          base64("{\"v\":1,\"group\":\"default\",\"cutOff\":\"fence\"}")));

      Commands.Finished purged = command(edge, "purge", "--tag", "a", "--wait-most", "2");

      assertEquals(3, purged.exit(), purged.toString());
      String why = "has no address in etcd that can be used";
      assertTrue((purged.out() + purged.err()).contains(why), purged.toString());
      Commands.Finished status = command(edge, "cluster", "status");
      assertTrue(status.out().contains(why), status.out());
      assertFalse(status.out().contains("xception"), status.out());
      assertEquals(0, command(edge, "cluster", "forget", "edge-x").exit());
      assertEquals(0, command(edge, "purge", "--tag", "a").exit());
    }
  }

  @Test
  void topShowsWhatTheNodesDoTogetherAndWhichOnesItLacks() throws Exception {
    try (ClusterEdges cluster = ClusterEdges.start(directory, origin.url(), 1, 2)) {
      EdgeProcess first = cluster.edge(0);
      EdgeProcess second = cluster.edge(1);
      awaitHit(first, "/a");
      awaitHit(second, "/a");
      Process top =
          Jar.quick()
              .start(
                  "cluster", "top", "--json", "--interval", "0.2", "--admin-url", first.adminUrl());
      try (BufferedReader out = top.inputReader()) {
        awaitTop(
            out,
            "both serve hits",
            () -> first.get("/a").text() + second.get("/a").text(),
            report ->
                report.at("/total/ready").asInt() == 2
                    && report.at("/total/missing").isEmpty()
                    && report.at("/nodes/0/hitRatio").asDouble(0) > 0
                    && report.at("/nodes/1/hitRatio").asDouble(0) > 0
                    && report.at("/total/byteHitRatio").asDouble(0) > 0
                    && report.at("/total/bitsPerSecond").asDouble(0) > 0
                    && sum(report, "requestsPerSecond") > 0
                    && sum(report, "requestsPerSecond")
                        == report.at("/total/requestsPerSecond").asDouble()
                    && report.at("/total/behind").asInt() == 0
                    && report.at("/total/pendingPurges").asInt() == 0);

        second.kill();

        awaitTop(
            out,
            "one is missing",
            () -> "",
            report ->
                report.at("/total/missing").toString().equals("[\"edge-1\"]")
                    && report.at("/nodes/1/state").asString().equals("gone")
                    && report.at("/nodes/1/requestsPerSecond").isNull());
        Commands.Finished table = command(first, "cluster", "top", "--once", "--sort", "requests");
        assertEquals(0, table.exit(), table.toString());
        assertTrue(table.out().contains("sums are without edge-1 (gone)"), table.out());
        assertTrue(table.out().matches("(?s).*all +1 of 2 .*"), table.out());
        assertTrue(top.isAlive());
      } finally {
        top.destroy();
        assertTrue(top.waitFor(30, TimeUnit.SECONDS));
      }
    }
  }

  /** Whole numbers of ten-thousandths, so that sums are exact. */
  private static double sum(JsonNode report, String name) {
    double sum = 0;
    for (JsonNode node : report.path("nodes")) {
      sum += node.path(name).asDouble();
    }
    return Math.round(sum * 1e4) / 1e4;
  }

  private static void awaitTop(
      BufferedReader out, String what, Callable<String> before, Predicate<JsonNode> condition)
      throws Exception {
    for (int refresh = 0; refresh < 300; refresh++) {
      String ignored = before.call();
      String line = out.readLine();
      assertNotNull(line, what);
      if (condition.test(JsonMapper.shared().readTree(line))) {
        return;
      }
    }
    throw new AssertionError("not within 300 refreshes: " + what);
  }

  private static String codes(EdgeProcess edge) throws Exception {
    JsonNode answer = JsonMapper.shared().readTree(edge.admin("/readyz").body());
    List<String> codes = new ArrayList<>();
    answer.findValues("code").forEach(code -> codes.add('"' + code.asString("") + '"'));
    return "[" + String.join(",", codes) + "]";
  }

  @Test
  void whileTheLogIsDownAPurgeIsOfThisNodeAndOfAllOnceItIsBack() throws Exception {
    try (ClusterEdges cluster =
        ClusterEdges.start(directory, origin.url(), 1, 2, ", log-down: local, cut-off: serve")) {
      EdgeProcess first = cluster.edge(0);
      EdgeProcess second = cluster.edge(1);
      awaitHit(first, "/a");
      awaitHit(second, "/a");
      say("a", "2");
      cluster.etcd().kill(0);

      Commands.Finished queued = command(first, "purge", "--tag", "a");

      assertEquals(3, queued.exit(), queued.toString());
      assertTrue(queued.out().contains("in force on this node"), queued.out());
      assertTrue(queued.out().contains("pending: edge-1"), queued.out());
      assertEquals("2", first.get("/a").text());
      assertEquals("1", second.get("/a").text());
      assertEquals(1, first.metrics().sum("forebay_cluster_queued_purges"));
      first.kill();
      EdgeProcess ignored = first.restartUnready();
      assertEquals(1, first.metrics().sum("forebay_cluster_queued_purges"));
      JsonNode more = ClusterEdges.purge(first, "b", 1_000);
      assertTrue(more.path("cluster").path("queued").asBoolean(false), more.toString());
      assertTrue(more.path("purges").path(0).path("id").isNull(), more.toString());
      assertEquals(2, first.metrics().sum("forebay_cluster_queued_purges"));

      cluster.etcd().restart(0);

      Await.until("the other node has it", () -> second.get("/a").text().equals("2"));
      Await.until("nothing waits", () -> first.metrics().sum("forebay_cluster_queued_purges") == 0);
      ClusterEdges.awaitReady(first);
      JsonNode receipt = ClusterEdges.purge(first, "a", LONG_MILLIS);
      assertTrue(receipt.path("cluster").path("acknowledged").asBoolean(false), receipt.toString());
    }
  }

  /**
   * The backup is from before a purge that was acknowledged while a node was down. That node comes
   * back when the restored log has come past its position.
   */
  @Test
  void aBackupOfEtcdThatIsRestoredIsAGapForNodesThatWereDown() throws Exception {
    try (ClusterEdges cluster = ClusterEdges.start(directory, origin.url(), 1, 2)) {
      EdgeProcess first = cluster.edge(0);
      EdgeProcess second = cluster.edge(1);
      awaitHit(second, "/a");
      JsonNode before = ClusterEdges.purge(first, "other", LONG_MILLIS);
      assertTrue(before.path("cluster").path("acknowledged").asBoolean(false), before.toString());
      assertEquals(0, second.terminate());
      cluster.etcd().kill(0);
      Path backup = directory.resolve("backup");
      copy(cluster.etcd().data(0), backup);
      cluster.etcd().restart(0);
      ClusterEdges.awaitReady(first);
      say("a", "2");
      assertTrue(
          ClusterEdges.purge(first, "a", LONG_MILLIS)
              .path("cluster")
              .path("acknowledged")
              .asBoolean(false));

      cluster.etcd().kill(0);
      Directories.delete(cluster.etcd().data(0));
      copy(backup, cluster.etcd().data(0));
      cluster.etcd().restart(0);

      Await.until(
          "the running node notices",
          Duration.ofSeconds(40),
          () -> first.metrics().sum("forebay_cluster_gaps_total") == 2);
      ClusterEdges.awaitReady(first);
      for (int i = 0; i < 5; i++) {
        ClusterEdges.purge(first, "other" + i, LONG_MILLIS);
      }
      EdgeProcess ignored = second.restart();
      assertEquals("2", second.get("/a").text());
      assertEquals(1, second.metrics().sum("forebay_cluster_gaps_total"));
    }
  }

  private static void copy(Path from, Path to) throws Exception {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path one : all.toList()) {
        Files.copy(one, to.resolve(from.relativize(one).toString()));
      }
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
