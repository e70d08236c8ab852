package io.forebay.server.rule;

import io.forebay.core.http.RequestView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A condition and what follows where it holds.
 *
 * @param name for people
 * @param place file and line
 * @param when null for every request
 * @param appliesOnError whether it applies where an expression of the condition has no value
 */
public record Rule(
    String name,
    String place,
    @Nullable Condition when,
    boolean appliesOnError,
    RuleActions actions) {

  int test(RequestFacts facts) {
    Condition condition = when;
    return condition == null ? Condition.YES : condition.test(facts);
  }

  /** What the groups of the first expression on the path captured that is found; null for none. */
  String @Nullable [] captures(RequestView request) {
    Condition condition = when;
    if (condition == null || actions.groups() == 0) {
      return null;
    }
    for (TextMatcher.Regex regex : expressions(condition)) {
      String[] captures = regex.expression().captures(request.path());
      if (captures != null) {
        return captures;
      }
    }
    return null;
  }

  /** The place and what it does, for people. */
  public String describe() {
    return place + ": " + actions.describe();
  }

  /** Whether a hit that it holds for can be answered without allocating. */
  public boolean isForFastLane() {
    return actions.isForFastLane();
  }

  /** Whether an expression in CEL decides about it. */
  public boolean hasExpression() {
    Condition condition = when;
    return condition != null && condition.hasExpression();
  }

  /** The code from outside that it calls, or null. */
  public @Nullable Extension extension() {
    return actions.extension();
  }

  /** How many groups the expressions on the path have. */
  public int groups() {
    Condition condition = when;
    return condition == null
        ? 0
        : expressions(condition).stream()
            .mapToInt(regex -> regex.expression().groupCount())
            .max()
            .orElse(0);
  }

  private static List<TextMatcher.Regex> expressions(Condition condition) {
    List<TextMatcher.Regex> found = new ArrayList<>();
    condition.pathExpressions(found::add);
    return found;
  }
}
