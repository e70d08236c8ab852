package io.forebay.server.metric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.accesslog.AccessLog;
import io.forebay.server.admin.FakeNode;
import io.forebay.server.config.ServerConfig.AccessLogConfig;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.LoopCounters.MethodClass;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NodeMetricsTest {
  private final FakeNode node = new FakeNode(Map.of());
  private AccessLog log = AccessLog.start(null, 0, 0);
  private NodeMetrics metrics = new NodeMetrics(node, log, () -> 0, "1.2.3");

  @TempDir Path directory;

  @BeforeEach
  void open() throws IOException {
    metrics.close();
    log = AccessLog.open(new AccessLogConfig("off", 64), 2);
    metrics = new NodeMetrics(node, log, () -> 0, "1.2.3");
  }

  @AfterEach
  void close() {
    metrics.close();
    log.close();
  }

  @Test
  void countsRequestsByMethodStatusAndResultOverAllLoops() throws IOException {
    for (LoopCounters loop : node.counters()) {
      loop.countRequest(MethodClass.GET, CacheResult.HIT, 200);
      loop.countRequest(MethodClass.HEAD, CacheResult.MISS, 304);
      loop.countRequest(MethodClass.OTHER, CacheResult.PASS, 0);
    }
    node.counters().getFirst().countRequest(MethodClass.OTHER, CacheResult.REFUSED, 400);
    ScrapeParser scrape = scrape();
    assertEquals(2, requests(scrape, "hit", "get", "2xx"));
    assertEquals(2, requests(scrape, "miss", "head", "3xx"));
    assertEquals(2, requests(scrape, "pass", "other", "none"));
    assertEquals(1, requests(scrape, "refused", "other", "4xx"));
    // There from the start, so that the first request is an increase.
    assertEquals(0, requests(scrape, "stale", "get", "2xx"));
    assertEquals("counter", scrape.types.get("forebay_requests_total"));
  }

  @Test
  void sumsCountersAndLevels() throws IOException {
    List<LoopCounters> loops = node.counters();
    loops.get(0).bytesToClients = 10;
    loops.get(1).bytesToClients = 32;
    loops.get(0).connectionsOpen = 3;
    loops.get(1).originFailures = 4;
    loops.get(1).fillsFailed = 5;
    loops.get(0).joined = 6;
    loops.get(0).largeWrites = 1;
    loops.get(1).largeWrites = 3;
    ScrapeParser scrape = scrape();
    assertEquals(42, scrape.value("forebay_sent_bytes_total{}"));
    assertEquals(3, scrape.value("forebay_connections{}"));
    assertEquals("gauge", scrape.types.get("forebay_connections"));
    assertEquals(4, scrape.value("forebay_origin_failures_total{}"));
    assertEquals(5, scrape.value("forebay_fills_ended_total{outcome=failed}"));
    assertEquals(6, scrape.value("forebay_fills_joined_total{}"));
    assertEquals(0.25, scrape.value("forebay_loop_busy_ratio{loop=0}"));
    assertEquals(0.5, scrape.value("forebay_loop_busy_ratio{loop=1}"));
    assertEquals(1, scrape.value("forebay_ready{}"));
    assertEquals(77, scrape.value("forebay_private_copy_held_bytes{}"));
    assertEquals(1, scrape.value("forebay_purges_failing{}"));
    assertEquals(4, scrape.value("forebay_large_write_connections{}"));
  }

  @Test
  void exportsTheStore() throws IOException {
    ScrapeParser scrape = scrape();
    assertEquals(1000, scrape.value("forebay_store_bytes{segment=probation}"));
    assertEquals(2000, scrape.value("forebay_store_bytes{segment=protected}"));
    assertEquals(2, scrape.value("forebay_store_regions{state=limbo}"));
    assertEquals(128.0 * (4 << 20), scrape.value("forebay_store_capacity_bytes{}"));
    assertEquals(12, scrape.value("forebay_store_evicted_records_total{}"));
    assertEquals(0.5, scrape.value("forebay_store_recovered_ratio{}"));
    assertEquals(5, scrape.value("forebay_index_lookups_total{result=near_hit}"));
    assertEquals(18, scrape.value("forebay_store_pins{}"));
    assertEquals(19, scrape.value("forebay_purges_total{}"));
    assertEquals(20, scrape.value("forebay_purges_failed_total{}"));
  }

  @Test
  void histogramsAreCumulativeAndAddUp() throws IOException {
    List<LoopCounters> loops = node.counters();
    loops.get(0).originTotal.record(50_000);
    loops.get(1).originTotal.record(100_000);
    loops.get(1).originTotal.record(2_000_000);
    loops.get(1).originTotal.record(60_000_000_000L);
    ScrapeParser scrape = scrape();
    String name = "forebay_origin_fetch_seconds";
    assertEquals("histogram", scrape.types.get(name));
    assertEquals(2, scrape.value(name + "_bucket{le=1.0E-4}"));
    assertEquals(2, scrape.value(name + "_bucket{le=0.001}"));
    assertEquals(3, scrape.value(name + "_bucket{le=0.0025}"));
    assertEquals(3, scrape.value(name + "_bucket{le=10.0}"));
    assertEquals(4, scrape.value(name + "_bucket{le=+Inf}"));
    assertEquals(4, scrape.value(name + "_count{}"));
    assertEquals(60.00215, scrape.value(name + "_sum{}"), 1e-9);
  }

  @Test
  void exportsTheJavaMachine() throws IOException {
    ScrapeParser scrape = scrape();
    assertTrue(scrape.value("jvm_buffer_memory_used_bytes{id=direct}") >= 0);
    assertTrue(scrape.value("jvm_buffer_memory_used_bytes{id=mapped}") >= 0);
    assertTrue(
        scrape.samples.keySet().stream().anyMatch(name -> name.startsWith("jvm_gc_")),
        scrape.samples.keySet().toString());
    assertTrue(scrape.value("process_uptime_seconds{}") > 0);
    assertTrue(scrape.value("forebay_netty_direct_memory_bytes{}") >= 0);
  }

  @Test
  void aRenamedMetricHasTheSameSeriesUnderItsFormerName() throws IOException {
    node.counters().getFirst().sliceRunsDenied = 7;
    ScrapeParser scrape = scrape();
    assertEquals(7, scrape.value("forebay_slice_fetches_failed_total{reason=changed}"));
    assertEquals(7, scrape.value("forebay_slice_runs_refused_total{why=changed}"));
    assertEquals(scrape.value("forebay_purges_pending{}"), scrape.value("forebay_purge_scopes{}"));
    for (Map.Entry<String, String> renamed : FormerNames.OF.entrySet()) {
      if (!renamed.getKey().startsWith("forebay_disk_")) {
        assertEquals(
            scrape.samples.keySet().stream().filter(s -> s.startsWith(renamed.getKey())).count(),
            scrape.samples.keySet().stream().filter(s -> s.startsWith(renamed.getValue())).count(),
            renamed.toString());
      }
    }
  }

  @Test
  void namesFollowTheConventions() throws IOException {
    for (Map.Entry<String, String> family : scrape().types.entrySet()) {
      String name = family.getKey();
      if (!name.startsWith("forebay_")) {
        continue;
      }
      assertEquals(family.getValue().equals("counter"), name.endsWith("_total"), name);
      assertTrue(!name.matches(".*(_ms|_millis|_micros|_kb|_percent)(_.*)?"), name);
    }
  }

  @Tag("full")
  @Test
  void promtoolFindsNothingWrong() throws Exception {
    Path promtool = onPath("promtool");
    Assumptions.assumeTrue(
        promtool != null, "promtool is not installed: Debian package prometheus");
    Path input = Files.writeString(directory.resolve("scrape"), text());
    Path output = directory.resolve("output");
    Process process =
        new ProcessBuilder(String.valueOf(promtool), "check", "metrics")
            .redirectInput(input.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    int exit = process.waitFor();
    // What the Java machine's own binders are called is theirs.
    List<String> findings =
        Files.readAllLines(output).stream().filter(line -> line.startsWith("forebay_")).toList();
    assertEquals(List.of(), findings);
    assertTrue(exit == 0 || exit == 3, Files.readString(output));
  }

  private static double requests(ScrapeParser scrape, String cache, String method, String status) {
    return scrape.value(
        "forebay_requests_total{cache="
            + cache
            + ", method_class="
            + method
            + ", status_class="
            + status
            + "}");
  }

  private ScrapeParser scrape() throws IOException {
    return new ScrapeParser(text());
  }

  private String text() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    metrics.scrape(out, NodeMetrics.TEXT);
    return out.toString(StandardCharsets.UTF_8);
  }

  private static @Nullable Path onPath(String program) {
    String path = System.getenv("PATH");
    if (path == null) {
      return null;
    }
    for (String part : path.split(File.pathSeparator, -1)) {
      Path candidate = Path.of(part, program);
      if (Files.isExecutable(candidate)) {
        return candidate;
      }
    }
    return null;
  }
}
