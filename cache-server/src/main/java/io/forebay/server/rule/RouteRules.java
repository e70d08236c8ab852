package io.forebay.server.rule;

import io.forebay.server.counters.RuleErrors;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a route, in their order, behind its presets. All that hold apply, later ones over
 * earlier ones; the first that answers is the last. Immutable; two are equal if they were written
 * the same.
 */
public final class RouteRules {

  /** A route without rules. */
  public static final RouteRules NONE =
      new RouteRules("", List.of(), RoutePresets.NONE, KeyGroups.NONE);

  private final String text;
  private final RoutePresets presets;
  private final Rule[] ofPresets;

  /** Those of the presets first. */
  private final Rule[] rules;

  /** Those that a request which is a hit has to ask. */
  private final Rule[] ofHits;

  private final KeyGroups keyGroups;

  /**
   * Rules of a route.
   *
   * @param text as they were written
   * @param keyGroups what the keys of the route have of splits
   */
  public RouteRules(String text, List<Rule> rules, RoutePresets presets, KeyGroups keyGroups) {
    this.text = text;
    this.keyGroups = keyGroups;
    this.presets = presets;
    this.ofPresets = presets.securityHeaders().rules().toArray(new Rule[0]);
    this.rules = Stream.concat(Stream.of(ofPresets), rules.stream()).toArray(Rule[]::new);
    this.ofHits =
        Stream.of(this.rules).filter(rule -> rule.actions().concernsHits()).toArray(Rule[]::new);
  }

  /** Whether there is nothing to ask about a request. */
  public boolean isEmpty() {
    return rules.length == 0 && !presets.hasFields();
  }

  /** What the keys of the route have of splits. */
  public KeyGroups keyGroups() {
    return keyGroups;
  }

  public RoutePresets presets() {
    return presets;
  }

  /** What is said of all responses, in an exchange, before the rules are asked. */
  public @Nullable RuleOutcome before(RequestFacts facts) {
    return presets.hasFields() ? of(facts, ofPresets, new RuleOutcome()) : null;
  }

  /** The rules of it that hits have to ask and that have an expression in CEL or a plugin. */
  public List<Rule> slowRules() {
    return Arrays.stream(ofHits)
        .filter(rule -> rule.hasExpression() || rule.extension() != null)
        .toList();
  }

  /**
   * What they mean for a request, in an exchange.
   *
   * @param errors where expressions without a value are counted
   */
  public RuleOutcome of(RequestFacts facts, RuleErrors errors) {
    RuleOutcome outcome = new RuleOutcome(errors);
    outcome.keyGroup(keyGroups.of(facts));
    return of(facts, rules, outcome);
  }

  private RuleOutcome of(RequestFacts facts, Rule[] asked, RuleOutcome outcome) {
    CorsPolicy cors = presets.cors();
    if (cors != null) {
      cors.apply(facts, outcome);
    }
    for (Rule rule : asked) {
      int verdict = rule.test(facts);
      if (verdict == Condition.FAILED) {
        outcome.addFailure(rule, facts.failure());
      }
      if (verdict == Condition.YES || (verdict == Condition.FAILED && rule.appliesOnError())) {
        Extension extension = rule.extension();
        if (extension == null) {
          outcome.add(rule, facts.view());
        } else {
          outcome.add(
              rule, extension, extension.ask(facts), facts.view(), keyGroups.weight(extension));
        }
        if (outcome.answer() != null) {
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
    CorsPolicy cors = presets.cors();
    if (cors != null && !cors.applyFast(facts, into)) {
      return false;
    }
    int group = keyGroups.of(facts);
    if (group == Split.LATER) {
      return false;
    }
    into.keyGroup(group);
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

  /** As they were written, in one line; empty if none were. */
  @Override
  public String toString() {
    return text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RouteRules its && its.text.equals(text) && its.presets.equals(presets);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
