package io.forebay.server.metric;

import io.forebay.server.accesslog.AccessLog;
import io.forebay.server.node.NodeStatus;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The node's metrics as Micrometer meters, in its own Prometheus registry and in any registry to
 * which it is bound. Counters are plain fields of their event loops; a meter sums them when its
 * registry reads it. The Prometheus registry is made for the first scrape: a start has no use for
 * its hundreds of meters. Any thread.
 *
 * <pre>
 *   LoopCounters, StoreStats … ◄─ CachedReports ◄─ NodeMeters ─┬─► Prometheus registry ─► /metrics
 *                                                              └─► any other registry
 * </pre>
 */
public final class NodeMetrics implements MeterBinder, AutoCloseable {
  /** Content type of the text format that every Prometheus reads. */
  public static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

  /** Content type of OpenMetrics, for those who ask for it. */
  public static final String OPEN_METRICS =
      "application/openmetrics-text; version=1.0.0; charset=utf-8";

  private final CachedReports reports;
  private final AccessLog accessLog;
  private final LongSupplier lostActions;
  private final String version;
  private final List<NodeMeters> others = new CopyOnWriteArrayList<>();
  private @Nullable Prometheus prometheus;
  private boolean isClosed;

  /**
   * The meters of a node.
   *
   * @param lostActions lines of the audit log that were lost
   */
  public NodeMetrics(
      NodeStatus node, AccessLog accessLog, LongSupplier lostActions, String version) {
    this.reports = new CachedReports(node, System::nanoTime);
    this.accessLog = accessLog;
    this.lostActions = lostActions;
    this.version = version;
  }

  /**
   * Adds the node's meters to a registry; those of the Java runtime are not among them. {@link
   * #close} takes them out again.
   */
  @Override
  public void bindTo(MeterRegistry other) {
    others.add(meters(other, new MeterHistograms()));
  }

  private NodeMeters meters(MeterRegistry to, MeterRegistrar.Histograms histograms) {
    return new NodeMeters(
        new MeterRegistrar(to, histograms, reports), reports, accessLog, lostActions, version);
  }

  /** Adds meters for what a reload has brought. */
  public void refresh() {
    reports.forget();
    Prometheus known = known();
    if (known != null) {
      known.meters.refresh();
    }
    others.forEach(NodeMeters::refresh);
  }

  private synchronized @Nullable Prometheus known() {
    return prometheus;
  }

  /** Writes all metrics in {@link #TEXT} or {@link #OPEN_METRICS}; nothing after {@link #close}. */
  public void scrape(OutputStream out, String contentType) throws IOException {
    Prometheus made = made();
    refresh();
    if (made != null) {
      made.registry.scrape(out, contentType);
    }
  }

  private synchronized @Nullable Prometheus made() {
    if (prometheus == null && !isClosed) {
      prometheus = new Prometheus();
    }
    return prometheus;
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    others.forEach(NodeMeters::remove);
    others.clear();
    if (prometheus != null) {
      prometheus.close();
    }
  }

  /** The registry behind {@code /metrics}, with the meters of the node and of the Java runtime. */
  private final class Prometheus {
    final PrometheusMeterRegistry registry =
        new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new Shown(), Clock.SYSTEM);
    final JvmGcMetrics collections = new JvmGcMetrics();
    final NodeMeters meters;

    Prometheus() {
      new JvmMemoryMetrics().bindTo(registry);
      new JvmThreadMetrics().bindTo(registry);
      new ClassLoaderMetrics().bindTo(registry);
      new ProcessorMetrics().bindTo(registry);
      new UptimeMetrics().bindTo(registry);
      new FileDescriptorMetrics().bindTo(registry);
      collections.bindTo(registry);
      PrometheusHistograms histograms = new PrometheusHistograms();
      meters = NodeMetrics.this.meters(registry, histograms);
      registry.getPrometheusRegistry().register(histograms);
    }

    void close() {
      collections.close();
      registry.close();
    }
  }

  /** What the meters of Prometheus come to in a scrape. */
  private static final class Shown extends PrometheusRegistry {
    @Override
    public MetricSnapshots scrape() {
      return PrometheusOutputFilter.of(super.scrape());
    }
  }
}
