package io.forebay.benchmarks.lab;

import io.forebay.storage.ObjectStore;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.transit.TransitBuffer;
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
    fill(store, 0, objects, bytes, header, false);
  }

  /**
   * Stores some of the objects.
   *
   * @param areLeft whether those that are stored already stay as they are
   */
  static void fill(ObjectStore store, int from, int to, int bytes, byte[] header, boolean areLeft) {
    ByteBuffer body = ByteBuffer.allocate(bytes);
    for (int n = from; n < to; n++) {
      if (areLeft && isStored(store.lane(0), n)) {
        continue;
      }
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

  private static boolean isStored(StoreLane lane, int n) {
    StoreLane.Found found = find(lane, n);
    if (found == StoreLane.Found.HIT) {
      lane.unpin(lane.head());
    }
    return found != StoreLane.Found.MISS;
  }

  /** After a find on a disk: looks in what was read. */
  static StoreLane.Found findRead(StoreLane lane, int n, TransitBuffer read) {
    byte[] key = key(n);
    return lane.findRead(read, key, key.length);
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
