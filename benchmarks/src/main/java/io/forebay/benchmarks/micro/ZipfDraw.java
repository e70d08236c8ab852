package io.forebay.benchmarks.micro;

import java.util.Arrays;
import java.util.Random;

/**
 * Numbers from 0 on, of which the i-th comes up about {@code 1 / i^skew} as often as the first:
 * what requests for the objects of a site look like. Drawn beforehand, so that a benchmark pays for
 * one array read only; the same in every run. One thread's.
 */
final class ZipfDraw {
  private static final int COUNT = 1 << 16;
  private static final long SEED = 20_260_101;

  private final int[] draws = new int[COUNT];
  private int at;

  ZipfDraw(int size, double skew) {
    double[] upTo = new double[size];
    double sum = 0;
    for (int i = 0; i < size; i++) {
      sum += 1 / Math.pow(i + 1.0, skew);
      upTo[i] = sum;
    }
    Random random = new Random(SEED);
    // Popular must not mean neighbouring: a real index has no such order.
    int[] shuffled = new int[size];
    for (int i = 0; i < size; i++) {
      int other = random.nextInt(i + 1);
      shuffled[i] = shuffled[other];
      shuffled[other] = i;
    }
    for (int i = 0; i < COUNT; i++) {
      int found = Arrays.binarySearch(upTo, random.nextDouble() * sum);
      draws[i] = shuffled[Math.min(size - 1, found < 0 ? -found - 1 : found)];
    }
  }

  /** The next number. */
  int next() {
    at = (at + 1) & (COUNT - 1);
    return draws[at];
  }
}
