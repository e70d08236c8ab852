package io.forebay.server.config;

import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.rule.Condition;
import io.forebay.server.rule.RequestFacts;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which share of requests has a line in the access log. The first rule that holds says; where none
 * does, the route of the request. Two are equal if they were written the same.
 *
 * <p>Conditions are asked while the request is there, statuses at its end: what was found out about
 * conditions stands in one bit for each rule meanwhile.
 *
 * @param text as it was written; empty for none
 */
public record LogSampling(String text, List<Rule> rules) {
  static final int MAX_RULES = 64;

  /** The share of all, in hundredths of a percent. */
  public static final int ALL = 10_000;

  public static final LogSampling NONE = new LogSampling("", List.of());

  /**
   * One rule; what it does not name may be anything.
   *
   * @param when about the request; does not hold for requests that no route takes
   * @param keep in hundredths of a percent
   */
  public record Rule(
      @Nullable Condition when, @Nullable BitSet statuses, Set<CacheResult> caches, int keep) {}

  public LogSampling {
    rules = List.copyOf(rules);
  }

  public boolean isOn() {
    return !rules.isEmpty();
  }

  /** Which conditions hold; not for the fast lane. */
  public long held(RequestFacts facts) {
    long held = 0;
    for (int i = 0; i < rules.size(); i++) {
      Condition when = rules.get(i).when();
      if (when != null && when.test(facts) == Condition.YES) {
        held |= 1L << i;
      }
    }
    return held;
  }

  /** The share of such requests that has a line, or -1 if no rule says. */
  public int keep(long held, int status, CacheResult cache) {
    for (int i = 0; i < rules.size(); i++) {
      Rule rule = rules.get(i);
      if ((rule.when() == null || ((held >>> i) & 1) != 0)
          && (rule.statuses() == null || rule.statuses().get(status))
          && (rule.caches().isEmpty() || rule.caches().contains(cache))) {
        return rule.keep();
      }
    }
    return -1;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LogSampling its && its.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
