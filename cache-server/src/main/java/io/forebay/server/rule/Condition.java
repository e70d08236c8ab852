package io.forebay.server.rule;

import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Something that holds for a request or not. Immutable; evaluated by any thread.
 *
 * <p>Verdicts are small numbers, so that evaluating allocates nothing. In the fast lane a condition
 * that cannot tell without allocating says {@link #LATER}, and an exchange asks it again.
 */
public interface Condition {
  int NO = 0;
  int YES = 1;

  /** Only outside of the fast lane can it be told. */
  int LATER = 2;

  /** It cannot be told: an expression has no value. */
  int FAILED = 3;

  int test(RequestFacts facts);

  /** What it costs to evaluate, in comparison to others. */
  default int cost() {
    return 1;
  }

  /** Tells which parts of requests it depends on. */
  void parts(Consumer<RequestPart> each);

  /** Tells the regular expressions on paths whose groups a template can name. */
  default void pathExpressions(Consumer<TextMatcher.Regex> each) {}

  /** Number of conditions in it. */
  default int size() {
    return 1;
  }

  /** Whether an expression in CEL is in it. */
  default boolean hasExpression() {
    return false;
  }

  /** All hold; cheap ones are asked first. */
  static Condition all(List<Condition> conditions) {
    return conditions.size() == 1 ? conditions.getFirst() : new Group(sorted(conditions), NO);
  }

  /** One holds at least. */
  static Condition any(List<Condition> conditions) {
    return conditions.size() == 1 ? conditions.getFirst() : new Group(sorted(conditions), YES);
  }

  static Condition not(Condition condition) {
    return new Not(condition);
  }

  private static List<Condition> sorted(List<Condition> conditions) {
    return conditions.stream().sorted(Comparator.comparingInt(Condition::cost)).toList();
  }

  /**
   * Several conditions. One verdict of them decides; without it, one that cannot be told leaves the
   * whole untold.
   *
   * @param decisive {@link #NO} if all have to hold, {@link #YES} if one has to
   */
  record Group(List<Condition> conditions, int decisive) implements Condition {

    @Override
    public int test(RequestFacts facts) {
      int verdict = decisive == NO ? YES : NO;
      for (int i = 0; i < conditions.size(); i++) {
        int one = conditions.get(i).test(facts);
        if (one == decisive) {
          return decisive;
        }
        verdict = Math.max(verdict, one);
      }
      return verdict;
    }

    @Override
    public int cost() {
      return conditions.stream().mapToInt(Condition::cost).sum();
    }

    @Override
    public void parts(Consumer<RequestPart> each) {
      conditions.forEach(condition -> condition.parts(each));
    }

    @Override
    public void pathExpressions(Consumer<TextMatcher.Regex> each) {
      conditions.forEach(condition -> condition.pathExpressions(each));
    }

    @Override
    public int size() {
      return 1 + conditions.stream().mapToInt(Condition::size).sum();
    }

    @Override
    public boolean hasExpression() {
      return conditions.stream().anyMatch(Condition::hasExpression);
    }
  }

  /** As {@link #not}. Has no groups: an expression that was not found captured nothing. */
  record Not(Condition condition) implements Condition {

    @Override
    public int test(RequestFacts facts) {
      int verdict = condition.test(facts);
      return verdict >= LATER ? verdict : verdict == YES ? NO : YES;
    }

    @Override
    public int cost() {
      return condition.cost();
    }

    @Override
    public void parts(Consumer<RequestPart> each) {
      condition.parts(each);
    }

    @Override
    public int size() {
      return 1 + condition.size();
    }

    @Override
    public boolean hasExpression() {
      return condition.hasExpression();
    }
  }
}
