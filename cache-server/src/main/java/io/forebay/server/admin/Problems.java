package io.forebay.server.admin;

import java.util.ArrayList;

/**
 * What is wrong with an order: the first few things in words, the others as a count. An order of a
 * MiB can be wrong in half a million places, and its answer stays small.
 */
final class Problems extends ArrayList<String> {
  private static final long serialVersionUID = 1L;

  static final int MOST = 32;

  private int leftOut;

  @Override
  public boolean add(String problem) {
    if (size() < MOST) {
      return super.add(problem);
    }
    leftOut++;
    return true;
  }

  /** How many came after the first {@link #MOST}. */
  int leftOut() {
    return leftOut;
  }
}
