package io.forebay.lab.model;

/** A number that a formula divides by, or multiplies with. */
final class Positive {
  private static final double MAX = 1e15;

  private Positive() {}

  static void check(String what, double value) {
    if (!(value > 0 && value <= MAX)) {
      throw new IllegalArgumentException(what + ", " + value + ": write a number above 0");
    }
  }
}
