package io.forebay.server.json;

import java.util.List;

/**
 * A response of the admin API that is not 2xx, thrown by an endpoint and written by the handler.
 */
public final class AdminError extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String text;
  private final transient List<String> problems;
  private final int leftOut;

  public AdminError(int status, String text) {
    this(status, text, List.of());
  }

  /**
   * An error with details.
   *
   * @param problems all that is wrong, where more than one thing can be
   */
  public AdminError(int status, String text, List<String> problems) {
    super(text, null, false, false);
    this.status = status;
    this.text = text;
    this.problems = List.copyOf(problems);
    leftOut = problems instanceof InputProblems counted ? counted.leftOut() : 0;
  }

  public int status() {
    return status;
  }

  public String text() {
    return text;
  }

  public List<String> problems() {
    return problems;
  }

  /** Problems that are counted and not listed. */
  public int leftOut() {
    return leftOut;
  }
}
