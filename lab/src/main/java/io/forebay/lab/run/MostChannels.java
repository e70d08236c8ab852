package io.forebay.lab.run;

import io.forebay.lab.result.StepResult;
import io.forebay.lab.scenario.Search;
import io.forebay.lab.scenario.Step;
import org.jspecify.annotations.Nullable;

/**
 * Finds the most channels with which the byte hit ratio stays at a limit, to half a point. Each
 * number of channels has a server of its own.
 */
final class MostChannels implements StepPolicy {
  private final Step step;
  private final Search search;
  private final RisingSearch climb;

  MostChannels(Step step, Search search) {
    this.step = step;
    this.search = search;
    climb = new RisingSearch(search);
  }

  @Override
  public @Nullable Step next(@Nullable StepResult last) {
    if (last != null) {
      climb.tried(last.server().byteHitRatio() >= search.limit() - HitRatioTolerance.MIN);
    }
    int channels = climb.value();
    return channels == 0
        ? null
        : step.named(step.name() + "-" + channels)
            .with(step.setup().withChannels(channels, search.segments()));
  }
}
