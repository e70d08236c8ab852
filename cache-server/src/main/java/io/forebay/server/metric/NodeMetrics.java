package io.forebay.server.metric;

import io.forebay.server.accesslog.AccessLog;
import io.forebay.server.counters.AbortLabel;
import io.forebay.server.counters.LatencyHistogram;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.LoopCounters.MethodClass;
import io.forebay.server.counters.LoopCounters.PurgeResult;
import io.forebay.server.node.NodeControl;
import io.forebay.server.node.NodeStatus;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.buffer.PooledByteBufAllocator;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The node's metrics. The loops' counters are plain fields that stay with their loops: they are
 * summed when somebody scrapes, by a collector beside Micrometer's meters, since Micrometer has no
 * meter for a histogram that is kept elsewhere.
 */
public final class NodeMetrics implements AutoCloseable {
  /** Content type of the text format that every Prometheus reads. */
  public static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

  /** Content type of OpenMetrics, for those who ask for it. */
  public static final String OPEN_METRICS =
      "application/openmetrics-text; version=1.0.0; charset=utf-8";

  private static final String[] STATUS_CLASSES = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};
  private static final double[] BOUNDS_SECONDS = boundsSeconds();

  private final NodeControl node;
  private final AccessLog accessLog;
  private final String version;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics gcMetrics = new JvmGcMetrics();

  public NodeMetrics(NodeControl node, AccessLog accessLog, String version) {
    this.node = node;
    this.accessLog = accessLog;
    this.version = version;
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ClassLoaderMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    gcMetrics.bindTo(registry);
    registry.getPrometheusRegistry().register(this::collect);
  }

  /** Writes all metrics in {@link #TEXT} or {@link #OPEN_METRICS}. */
  public void scrape(OutputStream out, String contentType) throws IOException {
    registry.scrape(out, contentType);
  }

  @Override
  public void close() {
    gcMetrics.close();
    registry.close();
  }

  private void memory(MetricSnapshots.Builder all) {
    NodeStatus.Memory memory = node.memory();
    level(
        all,
        "forebay_memory_budget_bytes",
        "Maximum total of the memory tier, index, buffers, heap, direct memory and the JVM.",
        (double) memory.budgetBytes());
    level(
        all,
        "forebay_memory_limit_bytes",
        "Memory available to the process, limited by the machine or the tightest control"
            + " group; 0 if unknown.",
        (double) memory.limitBytes());
    level(
        all,
        "forebay_memory_free_bytes",
        "Memory still available under this limit to all processes that share it.",
        (double) memory.freeBytes());
    level(
        all,
        "forebay_memory_pressure_ratio",
        "Share of the last ten seconds in which at least one task waited for memory.",
        memory.pressure());
    level(
        all,
        "forebay_memory_short",
        "1 if the memory limit has fallen since the start or memory is short, else 0; /readyz"
            + " gives the details.",
        memory.problem() == null ? 0 : 1);
  }

  private static void level(MetricSnapshots.Builder all, String name, String help, double value) {
    all.metricSnapshot(gauge(name, help).dataPoint(point(value, Labels.EMPTY)).build());
  }

  private MetricSnapshots collect() {
    List<LoopCounters> loops = node.counters();
    MetricSnapshots.Builder all = MetricSnapshots.builder();
    all.metricSnapshot(
        InfoSnapshot.builder()
            .name("forebay_build")
            .help("Version of Forebay and of the Java runtime.")
            .dataPoint(
                InfoSnapshot.InfoDataPointSnapshot.builder()
                    .labels(Labels.of("version", version, "java", Runtime.version().toString()))
                    .build())
            .build());
    all.metricSnapshot(
        gauge("forebay_ready", "1 if the node is ready for traffic, else 0.")
            .dataPoint(point(node.notReady().isEmpty() ? 1 : 0, Labels.EMPTY))
            .build());
    memory(all);
    all.metricSnapshot(requests(loops));
    counter(all, loops, "forebay_sent_bytes", "Body bytes sent to clients.", c -> c.bytesToClients);
    counter(
        all,
        loops,
        "forebay_received_bytes",
        "Body bytes received from clients.",
        c -> c.bytesFromClients);
    counter(
        all,
        loops,
        "forebay_origin_received_bytes",
        "Body bytes received from origins.",
        c -> c.bytesFromOrigins);
    counter(
        all,
        loops,
        "forebay_client_aborts",
        "Requests whose client disconnected.",
        c -> c.clientAborts);
    CounterSnapshot.Builder aborted =
        CounterSnapshot.builder()
            .name("forebay_responses_aborted")
            .help("Responses aborted by the node after it sent the header section, by cause.");
    for (AbortLabel cause : AbortLabel.values()) {
      aborted.dataPoint(
          count(sum(loops, c -> c.aborted(cause)), Labels.of("cause", cause.label())));
    }
    all.metricSnapshot(aborted.build());
    counter(
        all,
        loops,
        "forebay_remainders_fetched",
        "Bodies evicted from memory while being sent, whose remainder was fetched from the"
            + " origin.",
        c -> c.restsFetched);
    counter(
        all,
        loops,
        "forebay_remainders_lost",
        "Responses aborted because their body was evicted from memory while being sent.",
        c -> c.restsLost);
    counter(
        all,
        loops,
        "forebay_bodies_not_kept",
        "Requests for stored bodies without a strong validator that were forwarded to the"
            + " origin because memory could not hold the body until it was sent.",
        c -> c.bodiesNotKept);
    tunnels(all, loops);
    Http3Metrics.add(all, loops);
    slices(all, loops);
    sharing(all, loops);
    origin(all, loops);
    fills(all, loops);
    connections(all, loops);
    TlsMetrics.collect(all, loops, node.certificates());
    all.metricSnapshot(
        gauge(
                "forebay_private_copy_held_bytes",
                "Bytes currently held in private copies for slow clients.")
            .dataPoint(point((double) node.privateCopyBytes(), Labels.EMPTY))
            .build());
    all.metricSnapshot(
        gauge("forebay_large_write_connections", "Client connections currently sent large chunks.")
            .dataPoint(point((double) sum(loops, c -> c.largeWrites), Labels.EMPTY))
            .build());
    all.metricSnapshot(
        gauge(
                "forebay_purges_failing",
                "1 if the last purge could not be made durable and must be repeated, else 0.")
            .dataPoint(point(node.isPurgeFailing() ? 1 : 0, Labels.EMPTY))
            .build());
    StoreMetrics.collect(all, node.store());
    DiskMetrics.collect(all, node.disks());
    all.metricSnapshot(busy());
    all.metricSnapshot(
        gauge(
                "forebay_netty_direct_memory_bytes",
                "Direct memory held by the allocator of network buffers.")
            .dataPoint(
                point(
                    (double) PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory(),
                    Labels.EMPTY))
            .build());
    all.metricSnapshot(
        histogram(
            loops,
            "forebay_origin_first_byte_seconds",
            "Time from sending a request to an origin to the first byte of the response.",
            c -> c.originFirstByte));
    all.metricSnapshot(
        histogram(
            loops,
            "forebay_origin_fetch_seconds",
            "Time from sending a request to an origin to the end of the response.",
            c -> c.originTotal));
    all.metricSnapshot(
        histogram(
            loops,
            "forebay_hit_seconds",
            "Time from receiving a request to handing the response to the transport, for hits.",
            c -> c.hitTime));
    counterOf(all, "forebay_access_log_lines", "Access log lines written.", accessLog.written());
    counterOf(
        all,
        "forebay_access_log_dropped",
        "Access log lines lost because the queue was full or the output failed.",
        accessLog.dropped());
    return FormerNames.add(all.build());
  }

  private static void origin(MetricSnapshots.Builder all, List<LoopCounters> loops) {
    counter(
        all, loops, "forebay_origin_fetches", "Requests sent to origins.", c -> c.originFetches);
    counter(
        all,
        loops,
        "forebay_origin_failures",
        "Requests to origins that did not return a complete response.",
        c -> c.originFailures);
    counter(
        all,
        loops,
        "forebay_origin_retries",
        "Requests retried on a new connection.",
        c -> c.originRetries);
    counter(
        all,
        loops,
        "forebay_origin_connections_opened",
        "Connections opened to origins.",
        c -> c.originConnectionsOpened);
    all.metricSnapshot(
        gauge("forebay_origin_connections", "Open connections to origins.")
            .dataPoint(point((double) sum(loops, c -> c.originConnectionsOpen), Labels.EMPTY))
            .build());
  }

  private static void tunnels(MetricSnapshots.Builder all, List<LoopCounters> loops) {
    counter(
        all,
        loops,
        "forebay_tunnels_opened",
        "Connections upgraded to another protocol and tunneled.",
        c -> c.tunnelsOpened);
    counter(
        all,
        loops,
        "forebay_tunnels_refused",
        "Protocol upgrades refused because the limit on open tunnels was reached.",
        c -> c.tunnelsRefused);
    all.metricSnapshot(
        CounterSnapshot.builder()
            .name("forebay_tunnel_bytes")
            .help("Bytes transferred through closed tunnels, by direction.")
            .dataPoint(count(sum(loops, c -> c.tunnelBytesToClients), Labels.of("to", "client")))
            .dataPoint(count(sum(loops, c -> c.tunnelBytesToOrigins), Labels.of("to", "origin")))
            .build());
    all.metricSnapshot(
        gauge("forebay_tunnels", "Open tunnels.")
            .dataPoint(point((double) sum(loops, c -> c.tunnelsOpen), Labels.EMPTY))
            .build());
  }

  private static void slices(MetricSnapshots.Builder all, List<LoopCounters> loops) {
    counter(
        all,
        loops,
        "forebay_slice_fetches_started",
        "Range fetches of slices missing from stored objects.",
        c -> c.sliceRuns);
    CounterSnapshot.Builder ended =
        CounterSnapshot.builder()
            .name("forebay_slice_fetches_failed")
            .help("Fetches of missing slices that returned none or not all of them, by reason.");
    ended.dataPoint(count(sum(loops, c -> c.sliceRunsDenied), Labels.of("reason", "changed")));
    ended.dataPoint(count(sum(loops, c -> c.sliceRunsFailed), Labels.of("reason", "failed")));
    all.metricSnapshot(ended.build());
    counter(
        all,
        loops,
        "forebay_slice_fetches_joined",
        "Requests that joined a fetch of missing slices already in progress.",
        c -> c.sliceRunsJoined);
    counter(
        all,
        loops,
        "forebay_slices_fetched",
        "Missing slices added to stored objects.",
        c -> c.slicesFetched);
  }

  private static void sharing(MetricSnapshots.Builder all, List<LoopCounters> loops) {
    counter(
        all,
        loops,
        "forebay_fills_kept",
        "Fetches abandoned by all clients, whose complete slices were kept.",
        c -> c.fillsKept);
    counter(
        all,
        loops,
        "forebay_fill_wait_timeouts",
        "Requests forwarded to the origin after waiting too long for another request's fetch.",
        c -> c.waitsGivenUp);
  }

  private static void fills(MetricSnapshots.Builder all, List<LoopCounters> loops) {
    counter(all, loops, "forebay_fills_started", "Fetches into the store.", c -> c.fillsStarted);
    CounterSnapshot.Builder ended =
        CounterSnapshot.builder()
            .name("forebay_fills_ended")
            .help("Fetches into the store, by outcome.");
    ended.dataPoint(count(sum(loops, c -> c.fillsInstalled), Labels.of("outcome", "installed")));
    ended.dataPoint(count(sum(loops, c -> c.fillsUnstored), Labels.of("outcome", "unstored")));
    ended.dataPoint(count(sum(loops, c -> c.fillsFailed), Labels.of("outcome", "failed")));
    all.metricSnapshot(ended.build());
    counter(
        all,
        loops,
        "forebay_fills_joined",
        "Requests that joined a fetch already in progress.",
        c -> c.joined);
    counter(
        all,
        loops,
        "forebay_fill_history_displaced",
        "Keys whose fetch history (not storable, not shared, failed refresh) was displaced by"
            + " another key before it expired.",
        c -> c.historyDisplaced);
    counter(
        all,
        loops,
        "forebay_revalidations",
        "Conditional requests to origins.",
        c -> c.revalidations);
    counter(
        all,
        loops,
        "forebay_revalidated",
        "Conditional requests answered with 304.",
        c -> c.revalidated);
    counter(
        all,
        loops,
        "forebay_variants_dropped",
        "Variants dropped because their key reached its limit of variants or its set of"
            + " variants changed.",
        c -> c.variantsDropped);
    counter(
        all,
        loops,
        "forebay_variants_copied",
        "Variants that reuse another variant's body because the origin answered 304 with its"
            + " entity tag.",
        c -> c.variantsCopied);
    counter(
        all,
        loops,
        "forebay_fast_hits",
        "Hits answered on the fast path, before the request is decoded.",
        c -> c.fastHits);
    counter(
        all,
        loops,
        "forebay_stale_served",
        "Requests answered with a stale response.",
        c -> c.staleServed);
  }

  private static void connections(MetricSnapshots.Builder all, List<LoopCounters> loops) {
    counter(
        all,
        loops,
        "forebay_connections_accepted",
        "Client connections accepted.",
        c -> c.connectionsAccepted);
    counter(
        all,
        loops,
        "forebay_connections_refused",
        "Client connections refused because a limit was reached.",
        c -> c.connectionsRefused);
    all.metricSnapshot(
        gauge("forebay_connections", "Open client connections.")
            .dataPoint(point((double) sum(loops, c -> c.connectionsOpen), Labels.EMPTY))
            .build());
    counter(
        all,
        loops,
        "forebay_requests_refused",
        "Requests refused before routing.",
        c -> c.requestsRefused);
    CounterSnapshot.Builder purges =
        CounterSnapshot.builder()
            .name("forebay_purge_requests")
            .help("Purge requests to the listeners while purge.from is set, by result.");
    for (PurgeResult result : PurgeResult.values()) {
      purges.dataPoint(
          count(
              sum(loops, c -> c.purgeRequests(result)),
              Labels.of("result", result.name().toLowerCase(Locale.ROOT))));
    }
    all.metricSnapshot(purges.build());
    CounterSnapshot.Builder limits =
        CounterSnapshot.builder()
            .name("forebay_limits_exceeded")
            .help("Times a configured limit was exceeded, by configuration key.");
    for (LimitKey limit : LimitKey.values()) {
      limits.dataPoint(count(sum(loops, c -> c.hits(limit)), Labels.of("limit", limit.key())));
    }
    all.metricSnapshot(limits.build());
    counter(
        all,
        loops,
        "forebay_private_copies",
        "Private copies made for slow clients.",
        c -> c.privateCopies);
    counter(
        all,
        loops,
        "forebay_private_copied_bytes",
        "Bytes copied into private copies for slow clients.",
        c -> c.privateCopyBytes);
    counter(
        all,
        loops,
        "forebay_stalled_connections_closed",
        "Connections closed because the client made no progress.",
        c -> c.stalledClosed);
  }

  /** Every cell with requests, and those for 2xx always, so that rates are known from the start. */
  private static CounterSnapshot requests(List<LoopCounters> loops) {
    CounterSnapshot.Builder requests =
        CounterSnapshot.builder()
            .name("forebay_requests")
            .help("Requests by method class, status class and cache result.");
    CacheResult[] results = CacheResult.values();
    MethodClass[] methods = MethodClass.values();
    long[] sums = new long[methods.length * results.length * 6];
    for (LoopCounters loop : loops) {
      for (int i = 0; i < sums.length; i++) {
        sums[i] += loop.requestsByMethod[i];
      }
    }
    for (MethodClass method : methods) {
      for (CacheResult result : results) {
        for (int status = 0; status < 6; status++) {
          long value = sums[(method.ordinal() * results.length + result.ordinal()) * 6 + status];
          if (value != 0 || status == 2) {
            requests.dataPoint(
                count(
                    value,
                    Labels.of(
                        "cache",
                        label(result),
                        "method_class",
                        label(method),
                        "status_class",
                        STATUS_CLASSES[status])));
          }
        }
      }
    }
    return requests.build();
  }

  private GaugeSnapshot busy() {
    GaugeSnapshot.Builder busy =
        gauge(
            "forebay_loop_busy_ratio",
            "Share of the last second in which each event loop was busy.");
    double[] shares = node.busyShares();
    for (int i = 0; i < shares.length; i++) {
      busy.dataPoint(point(shares[i], Labels.of("loop", Integer.toString(i))));
    }
    return busy.build();
  }

  private static HistogramSnapshot histogram(
      List<LoopCounters> loops,
      String name,
      String help,
      Function<LoopCounters, LatencyHistogram> which) {
    long[] counts = new long[LatencyHistogram.bounds() + 1];
    double[] totalSeconds = new double[1];
    for (LoopCounters loop : loops) {
      which.apply(loop).addTo(counts, totalSeconds);
    }
    return HistogramSnapshot.builder()
        .name(name)
        .help(help)
        .dataPoint(
            HistogramSnapshot.HistogramDataPointSnapshot.builder()
                .classicHistogramBuckets(ClassicHistogramBuckets.of(BOUNDS_SECONDS, counts))
                .sum(totalSeconds[0])
                .build())
        .build();
  }

  private static void counter(
      MetricSnapshots.Builder all,
      List<LoopCounters> loops,
      String name,
      String help,
      ToLongFunction<LoopCounters> which) {
    counterOf(all, name, help, sum(loops, which));
  }

  static void counterOf(MetricSnapshots.Builder all, String name, String help, long value) {
    all.metricSnapshot(
        CounterSnapshot.builder()
            .name(name)
            .help(help)
            .dataPoint(count(value, Labels.EMPTY))
            .build());
  }

  private static long sum(List<LoopCounters> loops, ToLongFunction<LoopCounters> which) {
    long sum = 0;
    for (LoopCounters loop : loops) {
      sum += which.applyAsLong(loop);
    }
    return sum;
  }

  static GaugeSnapshot.Builder gauge(String name, String help) {
    return GaugeSnapshot.builder().name(name).help(help);
  }

  static CounterSnapshot.CounterDataPointSnapshot count(long value, Labels labels) {
    return CounterSnapshot.CounterDataPointSnapshot.builder()
        .value((double) value)
        .labels(labels)
        .build();
  }

  static GaugeSnapshot.GaugeDataPointSnapshot point(double value, Labels labels) {
    return GaugeSnapshot.GaugeDataPointSnapshot.builder().value(value).labels(labels).build();
  }

  private static String label(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static double[] boundsSeconds() {
    double[] bounds = new double[LatencyHistogram.bounds() + 1];
    for (int i = 0; i < LatencyHistogram.bounds(); i++) {
      bounds[i] = LatencyHistogram.boundNanos(i) / 1e9;
    }
    bounds[bounds.length - 1] = Double.POSITIVE_INFINITY;
    return bounds;
  }
}
