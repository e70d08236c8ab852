package io.forebay.server.metric;

import io.forebay.server.counters.HistogramScale;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** Exports histograms to Prometheus with a collector beside the registry's meters. */
final class PrometheusHistograms implements MeterRegistrar.Histograms, MultiCollector {
  private final List<Series> all = new CopyOnWriteArrayList<>();

  private record Series(String name, String help, Labels labels, Supplier<SummedHistogram> times) {}

  @Override
  public void add(
      MeterRegistrar meters,
      String name,
      String help,
      Tags labels,
      Supplier<SummedHistogram> times) {
    List<Tag> tags = labels.stream().toList();
    all.add(
        new Series(
            name,
            help,
            Labels.of(
                tags.stream().map(Tag::getKey).toList(), tags.stream().map(Tag::getValue).toList()),
            times));
  }

  @Override
  public MetricSnapshots collect() {
    Map<String, HistogramSnapshot.Builder> families = new LinkedHashMap<>();
    for (Series one : all) {
      SummedHistogram times = one.times.get();
      families
          .computeIfAbsent(one.name, name -> HistogramSnapshot.builder().name(name).help(one.help))
          .dataPoint(
              HistogramDataPointSnapshot.builder()
                  .labels(one.labels)
                  .classicHistogramBuckets(
                      ClassicHistogramBuckets.of(bounds(times.scale()), times.counts()))
                  .sum(times.total())
                  .build());
    }
    MetricSnapshots.Builder snapshots = MetricSnapshots.builder();
    families.values().forEach(family -> snapshots.metricSnapshot(family.build()));
    return snapshots.build();
  }

  private static double[] bounds(HistogramScale scale) {
    double[] bounds = new double[scale.bounds() + 1];
    for (int i = 0; i < scale.bounds(); i++) {
      bounds[i] = scale.shownBound(i);
    }
    bounds[bounds.length - 1] = Double.POSITIVE_INFINITY;
    return bounds;
  }
}
