package io.forebay.server.metric;

import io.forebay.server.counters.HistogramScale;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * Exports histograms to registries of any kind. Micrometer has no meter for a histogram that is
 * maintained elsewhere, so each is exported as a timer for count and sum (one that is not of times
 * as two counters), and for each bucket a gauge {@code NAME.histogram} with the label {@code le}:
 * the form that Micrometer itself uses where the registry's system has no buckets.
 */
final class MeterHistograms implements MeterRegistrar.Histograms {
  private static final String SECONDS = "_seconds";

  private static void counter(
      MeterRegistrar meters, String name, String help, Tags labels, DoubleSupplier value) {
    meters.added(
        FunctionCounter.builder(name, meters.holder(), ignored -> value.getAsDouble())
            .description(help)
            .tags(labels)
            .register(meters.registry()));
  }

  @Override
  public void add(
      MeterRegistrar meters,
      String name,
      String help,
      Tags labels,
      Supplier<SummedHistogram> times) {
    boolean isOfTimes = name.endsWith(SECONDS);
    String meter =
        MeterRegistrar.dotted(
            isOfTimes ? name.substring(0, name.length() - SECONDS.length()) : name);
    Object holder = meters.holder();
    if (isOfTimes) {
      meters.added(
          FunctionTimer.builder(
                  meter,
                  holder,
                  ignored -> times.get().count(),
                  ignored -> times.get().total(),
                  TimeUnit.SECONDS)
              .description(help)
              .tags(labels)
              .register(meters.registry()));
    } else {
      counter(meters, meter + ".count", help, labels, () -> times.get().count());
      counter(meters, meter + ".sum", help, labels, () -> times.get().total());
    }
    HistogramScale scale = times.get().scale();
    for (int i = 0; i <= scale.bounds(); i++) {
      int bucket = i;
      String bound = i == scale.bounds() ? "+Inf" : String.valueOf(scale.shownBound(i));
      meters.added(
          Gauge.builder(meter + ".histogram", holder, ignored -> times.get().countTo(bucket))
              .description(help)
              .tags(labels)
              .tag("le", bound)
              .register(meters.registry()));
    }
  }
}
