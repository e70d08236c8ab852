package io.forebay.server.metric;

import io.forebay.server.counters.LatencyHistogram;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Exports histograms to registries of any kind. Micrometer has no meter for a histogram that is
 * maintained elsewhere, so each is exported as a timer for count and sum, and for each bucket a
 * gauge {@code NAME.histogram} with the label {@code le}: the form that Micrometer itself uses
 * where the registry's system has no buckets.
 */
final class MeterHistograms implements MeterRegistrar.Histograms {
  @Override
  public void add(
      MeterRegistrar meters,
      String name,
      String help,
      Tags labels,
      Supplier<SummedHistogram> times) {
    String timer = MeterRegistrar.dotted(name.substring(0, name.length() - "_seconds".length()));
    Object holder = meters.holder();
    meters.added(
        FunctionTimer.builder(
                timer,
                holder,
                ignored -> times.get().count(),
                ignored -> times.get().totalSeconds(),
                TimeUnit.SECONDS)
            .description(help)
            .tags(labels)
            .register(meters.registry()));
    for (int i = 0; i <= LatencyHistogram.bounds(); i++) {
      int bucket = i;
      String bound =
          i == LatencyHistogram.bounds()
              ? "+Inf"
              : String.valueOf(LatencyHistogram.boundNanos(i) / 1e9);
      meters.added(
          Gauge.builder(timer + ".histogram", holder, ignored -> times.get().countTo(bucket))
              .description(help)
              .tags(labels)
              .tag("le", bound)
              .register(meters.registry()));
    }
  }
}
