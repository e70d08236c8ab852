package io.forebay.server.origin.probe;

import io.forebay.server.config.ProbeConfig;
import io.forebay.server.origin.health.ProbeStatus;
import io.forebay.server.origin.health.ProbeStatus.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Turns results into verdicts, by results in a row; failures may also count in a window of the
 * latest results. The first success ends the time in which an address is untested. One thread.
 */
final class ProbeTally {
  private final ProbeConfig config;
  private ProbeStatus status;
  private int successes;
  private int failures;

  /** A bit for each of the latest results since the verdict, the latest in the lowest: failures. */
  private long latest;

  ProbeTally(ProbeConfig config, long nowMillis) {
    this.config = config;
    this.status = ProbeStatus.untested(config.initial() == ProbeConfig.Initial.USABLE, nowMillis);
  }

  ProbeStatus status() {
    return status;
  }

  /** Which probes failed, as far as they count. */
  String failuresText() {
    return config.window() == 0
        ? failures + " probes in a row"
        : counted() + " of the latest " + config.window() + " probes";
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
      latest <<= 1;
      if (before == Verdict.UNTESTED
          || (before == Verdict.FAILING && successes >= config.healthy())) {
        status =
            new ProbeStatus(
                Verdict.PASSING, true, nowMillis, status.lastFailure(), status.lastFailureMillis());
        latest = 0;
      }
      return;
    }
    successes = 0;
    failures++;
    latest = latest << 1 | 1;
    boolean isFailing = before != Verdict.FAILING && counted() >= config.unhealthy();
    status =
        new ProbeStatus(
            isFailing ? Verdict.FAILING : before,
            !isFailing && status.isUsable(),
            isFailing ? nowMillis : status.sinceMillis(),
            failure,
            nowMillis);
  }

  /** Failures that count. */
  private int counted() {
    return config.window() == 0
        ? failures
        : Long.bitCount(latest & -1L >>> (Long.SIZE - config.window()));
  }
}
