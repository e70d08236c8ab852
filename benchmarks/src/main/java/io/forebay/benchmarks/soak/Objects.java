package io.forebay.benchmarks.soak;

import java.util.SplittableRandom;

/**
 * What the origin has: objects of 1 KiB to 4 MiB, most of them between 32 KiB and 1 MiB, each a
 * slice of one pool of random bytes, so that every byte of a response can be verified. Every fourth
 * object has no validator.
 */
final class Objects {

  private static final int POOL_BYTES = 8 << 20;

  final byte[] pool = new byte[POOL_BYTES];
  private final int[] lengths;
  private final int[] offsets;

  Objects(int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    random.nextBytes(pool);
    lengths = new int[count];
    offsets = new int[count];
    for (int i = 0; i < count; i++) {
      lengths[i] = length(random);
      offsets[i] = random.nextInt(POOL_BYTES - lengths[i]);
    }
  }

  private static int length(SplittableRandom random) {
    double kind = random.nextDouble();
    if (kind < 0.3) {
      return between(random, 1 << 10, 32 << 10);
    }
    return kind < 0.97 ? between(random, 32 << 10, 1 << 20) : between(random, 1 << 20, 4 << 20);
  }

  /** Uniform on a logarithmic scale. */
  private static int between(SplittableRandom random, int from, int to) {
    return (int) (from * Math.pow((double) to / from, random.nextDouble()));
  }

  int count() {
    return lengths.length;
  }

  int length(int object) {
    return lengths[object];
  }

  int offset(int object) {
    return offsets[object];
  }

  boolean hasValidator(int object) {
    return object % 4 != 0;
  }

  /** A popular object more often than others. */
  int pick(SplittableRandom random) {
    return (int) (count() * Math.pow(random.nextDouble(), 2));
  }
}
