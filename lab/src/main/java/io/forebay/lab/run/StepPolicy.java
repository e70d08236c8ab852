package io.forebay.lab.run;

import io.forebay.lab.result.StepResult;
import io.forebay.lab.scenario.Search;
import io.forebay.lab.scenario.Step;
import org.jspecify.annotations.Nullable;

/** Which step comes next. One for each entry of a scenario and repetition. */
interface StepPolicy {

  /**
   * The next step, or null when there is none.
   *
   * @param last result of the step before, or null at first
   */
  @Nullable Step next(@Nullable StepResult last);

  /** The policy of a step: once, or a search. */
  static StepPolicy of(Step step) {
    return switch (step.search()) {
      case null -> new Once(step);
      case Search search ->
          switch (search.by()) {
            case CONNECTIONS -> new PeakConnections(step, search);
            case CHANNELS -> new MostChannels(step, search);
          };
    };
  }

  /** The step of the file as it is. */
  final class Once implements StepPolicy {
    private final Step step;

    Once(Step step) {
      this.step = step;
    }

    @Override
    public @Nullable Step next(@Nullable StepResult last) {
      return last == null ? step : null;
    }
  }
}
