package io.forebay.server.metric;

import io.forebay.server.counters.PluginCounters;
import java.util.function.LongSupplier;

/** Metrics of plugins, with one label per plugin. */
final class PluginMetrics {
  private static final String FAILURES =
      "Calls of a plugin that failed, by cause: it threw or said what cannot be (error), or was not"
          + " called because it had exceeded its budget too often (suspended).";

  private PluginMetrics() {}

  static void addNamed(MeterRegistrar meters, String name, PluginCounters from) {
    meters.counter(
        "forebay_plugin_calls", "Calls of a plugin, in all phases.", from::calls, "plugin", name);
    meters.counter(
        "forebay_plugin_seconds",
        "Time that calls of a plugin took.",
        () -> from.nanos() / 1e9,
        "plugin",
        name);
    meters.counter(
        "forebay_plugin_overruns",
        "Calls of a plugin that took longer than its budget.",
        from::overruns,
        "plugin",
        name);
    failures(meters, name, "error", from::errors);
    failures(meters, name, "suspended", from::suspended);
  }

  private static void failures(
      MeterRegistrar meters, String name, String cause, LongSupplier count) {
    meters.counter(
        "forebay_plugin_failures", FAILURES, count::getAsLong, "plugin", name, "cause", cause);
  }
}
