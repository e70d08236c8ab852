package io.forebay.benchmarks.micro;

import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.lane.StoreLane.Found;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A whole lookup as an exchange does it: {@link StoreLane#find} with pin, validation of region and
 * record, comparison of the key text, purge check and touch, then the unpin. Objects of 1 KB drawn
 * by Zipf's law: a thousand, which fit the processor's caches, or a hundred thousand, whose records
 * do not; with a near-index of the usual size, or with one so small that every lookup goes to the
 * shared index.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar LookupBenchmark -prof gc</pre>
 *
 * Loops beside each other, each with a lane of its own: {@code -t 2}.
 */
public class LookupBenchmark extends Bench {
  private static final int LANES = 8;
  private static final int BODY_LENGTH = 1024;

  /** The store. */
  @State(Scope.Benchmark)
  public static class Objects {
    @Param({"8192", "2"})
    int nearEntries;

    @Param({"1000", "100000"})
    int count;

    private byte[][] keyTexts = new byte[0][];
    private int lanesGiven;
    private @Nullable BenchStore store;

    @Setup
    public void fill() {
      BenchStore opened = new BenchStore(512L << 20, LANES, 0, 0, nearEntries);
      ByteBuffer body = ByteBuffer.allocate(BODY_LENGTH);
      keyTexts = new byte[count][];
      for (int i = 0; i < count; i++) {
        keyTexts[i] = BenchStore.keyText(i);
        opened.put(BenchStore.mix(i), BenchStore.mix(~i), keyTexts[i], body);
      }
      store = opened;
    }

    synchronized StoreLane nextLane() {
      if (store == null) {
        throw new IllegalStateException("not open");
      }
      return store.lane(lanesGiven++);
    }

    @TearDown
    public void close() {
      if (store != null) {
        store.close();
      }
    }
  }

  /** One loop. */
  @State(Scope.Thread)
  public static class Loop {
    private ZipfDraw draw = new ZipfDraw(2, 0.9);
    private @Nullable StoreLane lane;

    @Setup
    public void open(Objects objects) {
      draw = new ZipfDraw(objects.count, 0.9);
      lane = objects.nextLane();
    }

    StoreLane lane() {
      if (lane == null) {
        throw new IllegalStateException("not open");
      }
      return lane;
    }
  }

  @Benchmark
  public long hit(Objects objects, Loop loop) {
    int i = loop.draw.next();
    return BenchStore.find(loop.lane(), i, objects.keyTexts[i]);
  }

  @Benchmark
  public Found miss(Objects objects, Loop loop) {
    int i = loop.draw.next();
    byte[] keyText = objects.keyTexts[i];
    return loop.lane().find(BenchStore.mix(i), BenchStore.mix(i), keyText, keyText.length);
  }
}
