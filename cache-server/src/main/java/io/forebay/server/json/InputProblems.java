package io.forebay.server.json;

import java.util.ArrayList;

/**
 * What is wrong with an order: the first few things in words, the others as a count. An order of a
 * MiB can be wrong in half a million places, and its answer stays small.
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
