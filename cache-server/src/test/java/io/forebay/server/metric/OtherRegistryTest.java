package io.forebay.server.metric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.accesslog.AccessLog;
import io.forebay.server.admin.FakeNode;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.LoopCounters.MethodClass;
import io.forebay.server.counters.NameTable;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusNamingConvention;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Every Micrometer registry has the same metrics as the Prometheus output. */
final class OtherRegistryTest {
  private static final PrometheusNamingConvention NAMES = new PrometheusNamingConvention();

  private final AccessLog log = AccessLog.start(null, 0, 0);
  private final FakeNode node = MetricsReferenceTest.node();
  private final NodeMetrics metrics = new NodeMetrics(node, log, () -> 0, "1");
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @AfterEach
  void close() {
    metrics.close();
    log.close();
    registry.close();
  }

  @Test
  void carriesEveryMetricThatTheReferenceNames() throws IOException {
    metrics.bindTo(registry);
    Set<String> documented = new TreeSet<>();
    Matcher entry =
        Pattern.compile(
                "^- `(forebay_[a-z0-9_]+)` \\([a-z]+\\): (?!Former name)", Pattern.MULTILINE)
            .matcher(Files.readString(MetricsReferenceTest.DOCUMENT));
    while (entry.find()) {
      documented.add(entry.group(1));
    }
    assertTrue(documented.size() > 100, () -> "documented: " + documented.size());
    Set<String> carried = new TreeSet<>();
    for (Meter meter : registry.getMeters()) {
      Meter.Id id = meter.getId();
      if (!id.getName().endsWith(".histogram")) {
        String unit = meter instanceof FunctionTimer ? "seconds" : null;
        String suffix = id.getType() == Meter.Type.COUNTER ? "_total" : "";
        carried.add(NAMES.name(id.getName(), id.getType(), unit) + suffix);
      }
    }
    // The naming convention takes the suffix of information metrics off; their output has it.
    if (carried.remove("forebay_build")) {
      carried.add("forebay_build_info");
    }
    // A histogram of something else than times is two counters.
    for (String name : documented) {
      if (carried.remove(name + "_count_total") && carried.remove(name + "_sum_total")) {
        carried.add(name);
      }
    }
    assertEquals(documented, carried);
  }

  @Test
  void readsTheSameCounters() {
    metrics.bindTo(registry);
    LoopCounters first = node.counters().getFirst();
    LoopCounters second = node.counters().getLast();
    first.countRequest(MethodClass.GET, CacheResult.HIT, 200);
    second.countRequest(MethodClass.GET, CacheResult.HIT, 200);
    second.bytesToClients = 7;
    assertEquals(
        2,
        registry
            .get("forebay.requests")
            .tags("cache", "hit", "method_class", "get", "status_class", "2xx")
            .functionCounter()
            .count());
    assertEquals(7, registry.get("forebay.sent.bytes").functionCounter().count());
  }

  @Test
  void readsHistogramsAsTimersAndBuckets() {
    metrics.bindTo(registry);
    node.counters().getFirst().originTotal.record(TimeUnit.MILLISECONDS.toNanos(1));
    node.counters().getLast().originTotal.record(TimeUnit.SECONDS.toNanos(2));
    FunctionTimer timer = registry.get("forebay.origin.fetch").functionTimer();
    assertEquals(2, timer.count());
    assertEquals(2.001, timer.totalTime(TimeUnit.SECONDS), 1e-9);
    assertEquals(1, bucket("1.0"));
    assertEquals(2, bucket("2.5"));
    assertEquals(2, bucket("+Inf"));
  }

  private double bucket(String bound) {
    return registry.get("forebay.origin.fetch.histogram").tag("le", bound).gauge().value();
  }

  @Test
  void getsANameThatAReloadBrings() {
    metrics.bindTo(registry);
    LoopCounters counters = node.counters().getFirst();
    int number = counters.names().origins().number("second");
    counters.origin(number).requests = 3;
    metrics.refresh();
    assertEquals(
        3,
        registry.get("forebay.origin.requests").tag("origin", "second").functionCounter().count());
  }

  @Test
  void namesBeyondTheLimitShareOneSeries() {
    metrics.bindTo(registry);
    NameTable origins = node.counters().getFirst().names().origins();
    for (int i = 0; i < 2 * NameTable.MAX_NAMES; i++) {
      int number = origins.number("o" + i);
      node.counters().getFirst().origin(number).requests++;
    }
    metrics.refresh();
    var found = registry.get("forebay.origin.requests").functionCounters();
    assertEquals(NameTable.MAX_NAMES + 1, found.size());
    // One name was there before.
    assertEquals(
        NameTable.MAX_NAMES + 1,
        registry.get("forebay.origin.requests").tag("origin", "other").functionCounter().count());
  }

  @Test
  void leavesNothingBehindInARegistryThatIsNotItsOwn() {
    metrics.bindTo(registry);
    assertTrue(registry.getMeters().size() > 100);
    metrics.close();
    assertEquals(List.of(), registry.getMeters());
  }
}
