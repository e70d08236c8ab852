package io.forebay.server.rule.expression;

/** An expression has no value for a request. Made often, so it has no stack trace. */
public final class EvaluationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean isLimit;

  private EvaluationException(String message, boolean isLimit) {
    super(message, null, false, false);
    this.isLimit = isLimit;
  }

  /** What it asks for is not there, or cannot be computed. */
  static EvaluationException of(String message) {
    return new EvaluationException(message, false);
  }

  /** It takes too long, or what it is asked about is too large. */
  static EvaluationException limit(String message) {
    return new EvaluationException(message, true);
  }

  /**
   * Whether a bound was exceeded. That may depend on parts of a message that the expression does
   * not name.
   */
  public boolean isLimit() {
    return isLimit;
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}
