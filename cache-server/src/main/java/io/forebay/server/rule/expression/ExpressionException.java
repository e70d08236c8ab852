package io.forebay.server.rule.expression;

import java.util.List;

/** An expression that cannot be used. */
public final class ExpressionException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient List<Problem> problems;

  /**
   * One thing that is wrong.
   *
   * @param line in the expression, from 0
   * @param column from 0
   * @param right what to write, or empty
   */
  public record Problem(int line, int column, String message, String right) {}

  ExpressionException(List<Problem> problems) {
    super(problems.toString());
    this.problems = List.copyOf(problems);
  }

  public List<Problem> problems() {
    return problems;
  }
}
