package io.forebay.lab.load;

import java.util.SplittableRandom;

/**
 * Numbers from 0 on, of which the k-th is drawn with a weight of 1 / k: Zipf's law with exponent 1.
 * By rejection-inversion (Hörmann and Derflinger, 1996), which is exact and takes no table,
 * whatever the count is.
 */
final class ZipfNumbers {
  private final long count;
  private final double first;
  private final double last;
  private final double alwaysBelow;

  ZipfNumbers(long count) {
    this.count = count;
    // The area below 1 / x is the logarithm. What is left of 1.5 stands for the first number.
    first = Math.log(1.5) - 1;
    last = Math.log(count + 0.5);
    alwaysBelow = 2 - Math.exp(Math.log(2.5) - 0.5);
  }

  long draw(SplittableRandom random) {
    while (true) {
      double area = last + random.nextDouble() * (first - last);
      double x = Math.exp(area);
      long k = Math.clamp((long) (x + 0.5), 1, count);
      if (k - x <= alwaysBelow || area >= Math.log(k + 0.5) - 1.0 / k) {
        return k - 1;
      }
    }
  }
}
