package io.forebay.server.rule;

import java.util.List;

/**
 * The rules of a route, in their order. All that hold apply, later ones over earlier ones; the
 * first that answers is the last. Immutable; two are equal if they were written the same.
 */
public final class RouteRules {

  /** A route without rules. */
  public static final RouteRules NONE = new RouteRules("", List.of());

  private final String text;
  private final Rule[] rules;

  /** Those that a request which is a hit has to ask. */
  private final Rule[] ofHits;

  /**
   * Rules of a route.
   *
   * @param text as they were written
   */
  public RouteRules(String text, List<Rule> rules) {
    this.text = text;
    this.rules = rules.toArray(new Rule[0]);
    this.ofHits = rules.stream().filter(rule -> rule.actions().concernsHits()).toArray(Rule[]::new);
  }

  public boolean isEmpty() {
    return rules.length == 0;
  }

  /** What they mean for a request, in an exchange. */
  public RuleOutcome of(RequestFacts facts) {
    RuleOutcome outcome = new RuleOutcome();
    for (Rule rule : rules) {
      if (rule.test(facts) == Condition.YES) {
        outcome.add(rule, facts.view());
        if (rule.actions().answer() != null) {
          break;
        }
      }
    }
    return outcome;
  }

  /**
   * What they mean for a request that the fast lane may answer with a hit.
   *
   * @return false where an exchange has to handle it
   */
  public boolean ofFastLane(RequestFacts facts, RuleOutcome into) {
    into.clear();
    for (Rule rule : ofHits) {
      int verdict = rule.test(facts);
      if (verdict == Condition.LATER
          || (verdict == Condition.YES && !rule.actions().isForFastLane())) {
        return false;
      }
      if (verdict == Condition.YES) {
        into.addFast(rule);
      }
    }
    return true;
  }

  /** As they were written, in one line. */
  @Override
  public String toString() {
    return text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RouteRules its && its.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
