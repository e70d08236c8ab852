package io.forebay.benchmarks.lab;

import io.forebay.storage.ObjectStore;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/** The objects of a laboratory of restarts: each is known by its number. */
final class NumberedObjects {
  private static final long YEAR_MILLIS = 365L * 86_400_000;

  private NumberedObjects() {}

  /**
   * Stores objects, from 0 on.
   *
   * @param bytes of each body
   * @param header of each of them
   */
  static void fill(ObjectStore store, int objects, int bytes, byte[] header) {
    ByteBuffer body = ByteBuffer.allocate(bytes);
    for (int n = 0; n < objects; n++) {
      while (store.lane(0).putSmall(spec(store, n, bytes, header), body.clear())
          != InstallOutcome.INSTALLED) {
        Thread.onSpinWait();
      }
    }
  }

  static StoreLane.Found find(StoreLane lane, int n) {
    byte[] key = key(n);
    return lane.find(mix(n), mix(~n), key, key.length);
  }

  private static HeadSpec spec(ObjectStore store, int n, int bytes, byte[] header) {
    byte[] key = key(n);
    long birth;
    while ((birth = store.nextBirth()) < 0) {
      Thread.onSpinWait();
    }
    return new HeadSpec(
        mix(n),
        mix(~n),
        key,
        key.length,
        header,
        new long[] {mix(n), 1, 2},
        birth,
        System.currentTimeMillis() + YEAR_MILLIS,
        HeadSpec.Kind.OBJECT,
        bytes);
  }

  private static byte[] key(int n) {
    return ("http://example.com/objects/" + n).getBytes(StandardCharsets.US_ASCII);
  }

  private static long mix(long n) {
    return new SplittableRandom(n).nextLong();
  }
}
