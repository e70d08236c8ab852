package io.forebay.server.json;

import java.util.ArrayList;

/**
 * Collects the problems of a request body: the first few as text, the others as a count, so the
 * response stays small even if half a million parts are wrong.
 */
public final class InputProblems extends ArrayList<String> {
  private static final long serialVersionUID = 1L;

  public static final int MAX = 32;

  private int leftOut;

  @Override
  public boolean add(String problem) {
    if (size() < MAX) {
      return super.add(problem);
    }
    leftOut++;
    return true;
  }

  /** How many came after the first {@link #MAX}. */
  public int leftOut() {
    return leftOut;
  }
}
