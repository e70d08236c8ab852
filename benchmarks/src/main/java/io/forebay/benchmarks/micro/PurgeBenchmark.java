package io.forebay.benchmarks.micro;

import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeFailedException;
import io.forebay.storage.purge.PurgeKind;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What live purges cost a lookup: {@link StoreLane#find} of one of a thousand objects, with none
 * and with a hundred thousand purged scopes in force that are not swept yet, none of them the
 * object's. {@code seen}: the loop has looked the object up since the newest purge. {@code unseen}:
 * another purge comes into force before each lookup, as if every request were the first after one;
 * what that purge itself costs is measured by {@code invalidation}.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar PurgeBenchmark -prof gc</pre>
 */
public class PurgeBenchmark extends Bench {
  private static final int COUNT = 1000;
  private static final int SCOPES_A_PURGE = 4000;

  /** A scope that is purged again and again: it has its place in the table. */
  private static final long OFTEN = 77;

  /** The store and one loop of it. */
  @State(Scope.Benchmark)
  public static class Purged {
    @Param({"0", "100000"})
    int live;

    private final byte[][] keyTexts = new byte[COUNT][];
    private int next;
    private @Nullable BenchStore store;
    private @Nullable StoreLane lane;

    @Setup
    public void fill() throws PurgeFailedException {
      BenchStore opened = new BenchStore(64L << 20, 1, 0, 0, 8192);
      for (int i = 0; i < COUNT; i++) {
        keyTexts[i] = BenchStore.keyText(i);
        opened.put(BenchStore.mix(i), BenchStore.mix(~i), keyTexts[i], ByteBuffer.allocate(1024));
      }
      purge(opened, new long[] {OFTEN});
      for (int from = 0; from < live; from += SCOPES_A_PURGE) {
        long[] scopes = new long[SCOPES_A_PURGE];
        for (int n = 0; n < SCOPES_A_PURGE; n++) {
          scopes[n] = BenchStore.mix(1000 + from + n);
        }
        purge(opened, scopes);
      }
      if (opened.store().stats().purgeScopes() != live + 1) {
        throw new IllegalStateException("not " + live + " live");
      }
      store = opened;
      lane = opened.lane(0);
    }

    private static void purge(BenchStore store, long[] scopes) throws PurgeFailedException {
      if (store.store().purge(new Purge(PurgeKind.TAG, scopes, false, "live")).sequence() < 0) {
        throw new IllegalStateException("not purged");
      }
    }

    StoreLane lane() {
      if (lane == null) {
        throw new IllegalStateException("not open");
      }
      return lane;
    }

    int next() {
      next = next + 1 == COUNT ? 0 : next + 1;
      return next;
    }

    /** One more purge, of a scope that no object has. */
    boolean purgeAnother() {
      boolean isPurged = lane().invalidate(OFTEN, OFTEN, OFTEN);
      if (!isPurged && store != null) {
        // Numbers are reserved ahead by a thread that this store does not have.
        isPurged = store.store().step();
      }
      return isPurged;
    }

    @TearDown
    public void close() {
      if (store != null) {
        store.close();
      }
    }
  }

  private static long find(Purged purged) {
    int i = purged.next();
    return BenchStore.find(purged.lane(), i, purged.keyTexts[i]);
  }

  @Benchmark
  public long seen(Purged purged) {
    return find(purged);
  }

  @Benchmark
  public long unseen(Purged purged) {
    return purged.purgeAnother() ? find(purged) : find(purged) + 1;
  }

  @Benchmark
  public boolean invalidation(Purged purged) {
    return purged.purgeAnother();
  }
}
