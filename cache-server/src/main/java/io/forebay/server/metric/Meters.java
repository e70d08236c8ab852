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
 * Adds the node's meters to one registry and takes them out again. Names are those of the
 * Prometheus output without {@code _total}; the registry gets them with dots, as Micrometer has it,
 * and turns them into its own form. Each meter reads its value when the registry asks for it.
 */
final class Meters {
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
  Meters(MeterRegistry registry, Histograms histograms, Object holder) {
    this.registry = registry;
    this.histograms = histograms;
    this.holder = holder;
  }

  /** How a registry is given a histogram that is kept elsewhere. */
  interface Histograms {
    /** Adds one; {@code name} ends in {@code _seconds}. */
    void add(Meters meters, String name, String help, Tags labels, Supplier<Times> times);
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

  void histogram(String name, String help, Supplier<Times> times, String... labels) {
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
