package io.forebay.lab.run;

import io.forebay.lab.result.LoadTotals;
import io.forebay.lab.result.StepResult;
import io.forebay.lab.scenario.Load;
import io.forebay.lab.scenario.Search;
import io.forebay.lab.scenario.Step;
import org.jspecify.annotations.Nullable;

/**
 * Finds the most connections whose mean response time is at most a multiple of the unloaded one,
 * and holds them for a while.
 *
 * <pre>
 *   NAME-unloaded     few connections: the unloaded response time
 *   NAME-N …          raised, then between
 *   NAME-held-N       the peak, held
 * </pre>
 *
 * <p>Where each connection has a rate, few are as many as the search begins with: a processor that
 * is asked now and then answers later than one that is kept busy, and both ends of the comparison
 * are to be asked in the same way. In a closed loop it is one connection.
 */
final class PeakConnections implements StepPolicy {
  private final Step step;
  private final Search search;
  private final RisingSearch climb;
  private double unloadedMillis;
  private boolean isFirst = true;
  private boolean isHeld;

  PeakConnections(Step step, Search search) {
    this.step = step;
    this.search = search;
    climb = new RisingSearch(search);
  }

  @Override
  public @Nullable Step next(@Nullable StepResult last) {
    if (last == null) {
      String name = step.name() + "-unloaded";
      return step.load().ratePerConnection() > 0
          ? with(name, search.from(), step.load())
          : with(name, 1, step.load().withoutRate());
    }
    if (isHeld) {
      return null;
    }
    if (isFirst) {
      isFirst = false;
      unloadedMillis = last.load().lastByte().mean();
      if (last.load().requests() == 0) {
        return null;
      }
    } else {
      climb.tried(isGood(last));
    }
    if (climb.value() > 0) {
      return with(step.name() + "-" + climb.value(), climb.value(), step.load());
    }
    isHeld = true;
    return climb.best() == 0 || search.heldSeconds() == 0
        ? null
        : with(
            step.name() + "-held-" + climb.best(),
            climb.best(),
            step.load().withMeasuredSeconds(search.heldSeconds()));
  }

  private Step with(String name, int connections, Load load) {
    return step.named(name).with(load.withConnections(connections));
  }

  private boolean isGood(StepResult result) {
    LoadTotals load = result.load();
    long errors = load.errorCount();
    return load.requests() > 0
        && errors <= VoidReasons.MAX_ERRORS * (load.requests() + errors)
        && load.lastByte().mean() <= search.limit() * unloadedMillis;
  }
}
