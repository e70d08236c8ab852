package io.forebay.server.rule.expression;

/**
 * The steps that all expressions together may take for one message: a route can have many. Confined
 * to one thread, reused for one message after the other.
 */
public final class StepBudget {
  /** Five times what one evaluation may take. */
  static final long MAX_STEPS = 5L * Expression.MAX_STEPS;

  private long left = MAX_STEPS;

  /** Begins with another message. */
  public void renew() {
    left = MAX_STEPS;
  }

  long left() {
    return left;
  }

  void take(long steps) {
    left -= steps;
  }
}
