package io.forebay.server.origin.probe;

import io.forebay.server.config.ProbeConfig;
import io.forebay.server.origin.health.ProbeStatus;
import io.forebay.server.origin.health.ProbeStatus.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Turns results into verdicts, by results in a row. The first success ends the time in which an
 * address is untested. One thread.
 */
final class ProbeTally {
  private final ProbeConfig config;
  private ProbeStatus status;
  private int successes;
  private int failures;

  ProbeTally(ProbeConfig config, long nowMillis) {
    this.config = config;
    this.status = ProbeStatus.untested(config.initial() == ProbeConfig.Initial.USABLE, nowMillis);
  }

  ProbeStatus status() {
    return status;
  }

  /** Failures since the last success. */
  int failuresInARow() {
    return failures;
  }

  /**
   * A probe ended.
   *
   * @param failure why it failed, or null
   */
  void onResult(@Nullable String failure, long nowMillis) {
    Verdict before = status.verdict();
    if (failure == null) {
      failures = 0;
      successes++;
      if (before == Verdict.UNTESTED
          || (before == Verdict.FAILING && successes >= config.healthy())) {
        status =
            new ProbeStatus(
                Verdict.PASSING, true, nowMillis, status.lastFailure(), status.lastFailureMillis());
      }
      return;
    }
    successes = 0;
    failures++;
    boolean isFailing = before != Verdict.FAILING && failures >= config.unhealthy();
    status =
        new ProbeStatus(
            isFailing ? Verdict.FAILING : before,
            !isFailing && status.isUsable(),
            isFailing ? nowMillis : status.sinceMillis(),
            failure,
            nowMillis);
  }
}
