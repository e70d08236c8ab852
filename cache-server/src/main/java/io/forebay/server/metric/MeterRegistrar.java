package io.forebay.server.metric;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * Registers the node's meters in one registry and removes them. Names are those of the Prometheus
 * output without {@code _total}; the registry gets them with dots, as Micrometer expects, and
 * converts them to its own form. Each meter reads its value when the registry asks for it.
 */
final class MeterRegistrar {
  private final MeterRegistry registry;
  private final Histograms histograms;

  /** Registries refer weakly to what a meter reads from; this lives as long as its meters. */
  private final Object holder;

  private final List<Meter> added = new ArrayList<>();

  /**
   * Meters of one registry.
   *
   * @param holder kept alive by the owner of the meters
   */
  MeterRegistrar(MeterRegistry registry, Histograms histograms, Object holder) {
    this.registry = registry;
    this.histograms = histograms;
    this.holder = holder;
  }

  /** How a registry is given a histogram that is kept elsewhere. */
  interface Histograms {
    /** Adds one; {@code name} ends in {@code _seconds} if it is of times. */
    void add(
        MeterRegistrar meters,
        String name,
        String help,
        Tags labels,
        Supplier<SummedHistogram> times);
  }

  /** Adds a counter; {@code labels} are names and values in turn. */
  Meter counter(String name, String help, DoubleSupplier value, String... labels) {
    return added(
        FunctionCounter.builder(dotted(name), holder, ignored -> value.getAsDouble())
            .description(help)
            .tags(labels)
            .register(registry));
  }

  Meter gauge(String name, String help, DoubleSupplier value, String... labels) {
    return added(
        Gauge.builder(dotted(name), holder, ignored -> value.getAsDouble())
            .description(help)
            .tags(labels)
            .register(registry));
  }

  void histogram(String name, String help, Supplier<SummedHistogram> times, String... labels) {
    histograms.add(this, name, help, Tags.of(labels), times);
  }

  Meter added(Meter meter) {
    added.add(meter);
    return meter;
  }

  MeterRegistry registry() {
    return registry;
  }

  Object holder() {
    return holder;
  }

  void remove(Meter meter) {
    added.remove(meter);
    registry.remove(meter);
  }

  void removeAll() {
    added.forEach(registry::remove);
    added.clear();
  }

  static String dotted(String name) {
    return name.replace('_', '.');
  }
}
