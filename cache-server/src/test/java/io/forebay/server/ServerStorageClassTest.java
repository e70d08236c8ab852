package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.placement.StorageClassStats;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.testing.Await;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.forebay.testing.RawClient.Response;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Routes choose storage classes, over real sockets. */
@Tag("slow")
final class ServerStorageClassTest {
  private static final String FRESH = "cache-control: max-age=1000\r\netag: \"1\"\r\n";
  private static final String HOST = "Host: www.example";
  private static final int LENGTH = 100_000;

  private static final String NODE =
      """
      origins: {main: {url: "ORIGIN", keep-alive: 5s, timeouts: {first-byte: 10m, idle: 10m}}}
      stores:
        one: {path: "DIR/one", size: 64MiB, slow: 10m}
      storage-classes:
        guarded: {tier: memory, pinned: 30%}
        greedy: {quota: 20%, tier: memory}
        bulk: {disk-quota: 20%, disk-floor: 5%}
      routes:
        - {name: all, origin: main}
        - {name: secret, origin: main, match: {path: /secret/}, storage-class: memory}
        - {name: guarded, origin: main, match: {path: /guarded/}, storage-class: guarded}
        - {name: greedy, origin: main, match: {path: /greedy/}, storage-class: greedy}
        - {name: bulk, origin: main, match: {path: /bulk/}, storage-class: bulk}
      """;

  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();

  @SuppressWarnings("NullAway.Init")
  private Edge edge;

  @BeforeEach
  void start() throws IOException {
    edge = Edge.start(directory, "16MiB", yaml(NODE));
    Await.until("disks", () -> edge.server().notReady().isEmpty());
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private String yaml(String text) {
    return text.replace("ORIGIN", origin.url()).replace("DIR", directory.toString());
  }

  /** Tells where it lies: its text stands at the beginning and in every piece. */
  private static byte[] body(String path) {
    byte[] body = Edge.bytes(path.hashCode(), LENGTH);
    byte[] mark = mark(path);
    for (int at = 0; at + mark.length < LENGTH; at += 10_000) {
      System.arraycopy(mark, 0, body, at, mark.length);
    }
    return body;
  }

  private static byte[] mark(String path) {
    return ("body of " + path.substring(0, path.lastIndexOf('/') + 1))
        .getBytes(StandardCharsets.ISO_8859_1);
  }

  private void get(String prefix, int from, int to) throws IOException {
    try (RawClient client = edge.connect()) {
      for (int n = from; n < to; n++) {
        String path = prefix + n;
        origin.on(path, TestOrigin.ok(FRESH, body(path)));
        Bytes.assertEquals(body(path), client.get(path, HOST).body(), path);
      }
    }
  }

  private int hits(String prefix, int from, int to) throws IOException {
    int hits = 0;
    try (RawClient client = edge.connect()) {
      for (int n = from; n < to; n++) {
        String path = prefix + n;
        Response reply = client.get(path, HOST);
        Bytes.assertEquals(body(path), reply.body(), path);
        hits += reply.field("cache-status").startsWith("edge; hit") ? 1 : 0;
      }
    }
    return hits;
  }

  private StorageClassStats stats(String name) {
    return edge.server().storageClasses().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private String admin(String path) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(URI.create(edge.server().adminUrl() + path)).build(),
              HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }

  private boolean isOnDisk(byte[] text) throws IOException {
    String bytes =
        new String(
            Files.readAllBytes(directory.resolve("one/disk.store")), StandardCharsets.ISO_8859_1);
    return bytes.contains(new String(text, StandardCharsets.ISO_8859_1));
  }

  @Test
  void aSecretRouteWritesNothingToADiskNotEvenAtAStop() throws Exception {
    get("/secret/", 0, 60);
    get("/open/", 0, 60);
    assertTrue(hits("/secret/", 30, 60) > 20);
    get("/secret/", 60, 150);
    get("/open/", 60, 150);
    Await.until(
        "records on the disk",
        () -> edge.server().disks().stream().mapToLong(DiskStats::writtenBytes).sum() > 1 << 20);
    assertTrue(stats("memory").evicted() > 0, stats("memory").toString());
    assertEquals(0, stats("memory").written());
    edge.awaitIdle();
    edge.stop();
    assertTrue(isOnDisk(mark("/open/0")));
    assertFalse(isOnDisk(mark("/secret/0")));
    assertFalse(isOnDisk("/secret/".getBytes(StandardCharsets.ISO_8859_1)), "nor its keys");
    edge.start();
    Await.until("disks", () -> edge.server().notReady().isEmpty());
    assertTrue(hits("/open/", 100, 150) > 40);
  }

  @Test
  void aPinnedRouteStaysInMemoryWithoutRequests() throws Exception {
    get("/guarded/", 0, 40);
    get("/open/", 0, 300);
    assertEquals(40, hits("/guarded/", 0, 40));
    edge.purge(PurgeKind.URL, "http://www.example/guarded/3", false);
    assertEquals(0, hits("/guarded/", 3, 4), "a purge beats it");
  }

  @Test
  void aRouteOverItsQuotaGivesWay() throws Exception {
    get("/greedy/", 0, 300);
    get("/guarded/", 0, 40);
    get("/greedy/", 300, 500);
    get("/open/", 0, 80);
    StorageClassStats greedy = stats("greedy");
    assertTrue(greedy.memoryBytes() < greedy.quotaBytes() + (3 << 20), greedy.toString());
    assertEquals(40, hits("/guarded/", 0, 40));
  }

  @Tag("full")
  @Test
  void aRouteOverItsDiskQuotaGivesWayOnTheDisk() throws Exception {
    get("/bulk/", 0, 700);
    Await.until("a disk full of one class", () -> stats("bulk").diskBytes() > 35 << 20);
    for (int n = 0; n < 800; n += 10) {
      get("/bulk/", 700 + n, 710 + n);
      get("/open/", n, n + 10);
    }
    StorageClassStats bulk = stats("bulk");
    // Regions of the disk have 4 MiB.
    assertTrue(bulk.diskBytes() < bulk.diskQuotaBytes() + (9 << 20), bulk.toString());
    assertTrue(bulk.diskRefused() > 0, bulk.toString());
    assertTrue(hits("/open/", 500, 800) > 290, "the others have the rest");

    JsonNode told = edge.explain(200, "{\"url\":\"http://www.example/bulk/1\"}");
    assertTrue(
        told.path("rules")
            .toString()
            .contains("at most 20% of each full disk, kept on a disk below 5% of it"),
        told.toString());
    String metrics = admin("/metrics");
    assertTrue(metrics.contains("forebay_store_class_disk_bytes{class=\"bulk\"} "), metrics);
    assertTrue(
        metrics.contains("forebay_store_class_disk_limit_bytes{class=\"bulk\",limit=\"floor\"} "),
        metrics);
    JsonNode stat = JsonMapper.shared().readTree(admin("/v1/store/stat"));
    long quota = 0;
    for (JsonNode one : stat.path("classes")) {
      quota +=
          one.path("class").asString("").equals("bulk") ? one.path("diskQuotaBytes").asLong(0) : 0;
    }
    assertEquals(bulk.diskQuotaBytes(), quota, stat.toString());
  }

  @Test
  void explainMetricsAndStatNameTheClass() throws Exception {
    get("/secret/", 0, 3);
    JsonNode told = edge.explain(200, "{\"url\":\"http://www.example/secret/1\"}");
    assertTrue(
        told.path("rules").toString().contains("stored in class memory (never on a disk)"),
        told.toString());
    assertFalse(
        edge.explain(200, "{\"url\":\"http://www.example/open/1\"}")
            .path("rules")
            .toString()
            .contains("storage-class"));
    String metrics = admin("/metrics");
    assertTrue(metrics.contains("forebay_store_class_bytes{class=\"memory\"} "), metrics);
    assertTrue(
        metrics.contains("forebay_store_class_limit_bytes{class=\"greedy\",limit=\"quota\"} "),
        metrics);
    JsonNode stat = JsonMapper.shared().readTree(admin("/v1/store/stat"));
    boolean isTold = false;
    for (JsonNode one : stat.path("classes")) {
      if (one.path("class").asString("").equals("memory")) {
        isTold = true;
        assertEquals(3, one.path("memoryObjects").asInt(0), stat.toString());
        assertEquals("memory", one.path("tier").asString(""));
        assertTrue(one.path("memoryBytes").asLong(0) > 3 * LENGTH);
      }
    }
    assertTrue(isTold, stat.toString());
    assertTrue(
        admin("/v1/store/objects?prefix=www.example/secret/").contains("\"class\":\"memory\""));
  }

  @Test
  void aReloadChangesTheClassesOfWhatIsStoredAndOfWhatComes() throws Exception {
    get("/open/", 0, 3);
    edge.configure(
        "MEMORY=16MiB\n"
            + yaml(NODE)
                .replace(
                    "{name: all, origin: main}", "{name: all, origin: main, storage-class: new}")
                .replace("pinned: 30%", "pinned: 20%")
                .replace("storage-classes:\n", "storage-classes:\n  new: {tier: memory}\n"));
    assertEquals(List.of(), edge.server().reload().errors());
    get("/open/", 3, 7);
    assertTrue(stats("new").memoryBytes() > 4 * LENGTH);
    assertTrue(stats("new").memoryBytes() < 6 * LENGTH, "what was there stays in its class");
    assertTrue(stats("guarded").pinnedBytes() < (16 << 20) / 4);
    JsonNode told = edge.explain(200, "{\"url\":\"http://www.example/open/1\"}");
    assertTrue(
        told.path("rules").toString().contains("the stored response is in class default"),
        told.toString());
  }
}
