package io.forebay.benchmarks.micro;

import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.lane.StoreLane.Found;
import java.nio.ByteBuffer;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A small object that lies on a disk comes into memory: it is read, checked, written into a region
 * and put into the index, and is found there. The disk's thread, and the one that makes room in
 * memory, are the caller's here, so the time is the CPU that a load costs a node, without what a
 * real disk adds; the file is in page cache.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar DiskLoadBenchmark</pre>
 */
public class DiskLoadBenchmark extends Bench {
  private static final int MAX_STEPS = 10_000;

  /** A store that has eight times as much on its disk as in memory. */
  @State(Scope.Thread)
  public static class Stored {
    @Param("10240")
    int bodyBytes;

    int memoryMebibytes = 32;
    private byte[][] keyTexts = new byte[0][];
    private int next;
    private long loads;
    private @Nullable BenchStore store;

    @Setup
    public void fill() {
      long memoryBytes = (long) memoryMebibytes << 20;
      BenchStore opened = BenchStore.withDisk(memoryBytes, 16 * memoryBytes);
      store = opened;
      byte[] random = new byte[bodyBytes];
      new Random(1).nextBytes(random);
      ByteBuffer body = ByteBuffer.wrap(random);
      int objects = (int) (8 * memoryBytes / (bodyBytes + 1024));
      keyTexts = new byte[objects][];
      for (int i = 0; i < objects; i++) {
        keyTexts[i] = BenchStore.keyText(i);
        opened.put(BenchStore.mix(i), BenchStore.mix(~i), keyTexts[i], body);
        opened.settle();
      }
      if (load() != bodyBytes) {
        throw new IllegalStateException("nothing is loaded from the disk");
      }
    }

    /** Gives the length of what was loaded and found, or 0. */
    long load() {
      if (store == null) {
        throw new IllegalStateException("not open");
      }
      StoreLane lane = store.lane(0);
      for (int tries = 0; tries < keyTexts.length; tries++) {
        int i = next;
        next = (next + 1) % keyTexts.length;
        Found found = find(lane, i);
        if (found == Found.HIT) {
          // Of those that came into memory last, or stay there because they came twice.
          lane.unpin(lane.head().region());
        } else if (found == Found.ON_DISK) {
          return load(lane, i);
        }
      }
      return 0;
    }

    private Found find(StoreLane lane, int i) {
      byte[] keyText = keyTexts[i];
      return lane.find(BenchStore.mix(i), BenchStore.mix(~i), keyText, keyText.length);
    }

    private long load(StoreLane lane, int i) {
      boolean[] isOver = new boolean[1];
      if (store == null || !lane.load(() -> isOver[0] = true)) {
        return 0;
      }
      for (int steps = 0; steps < MAX_STEPS && !isOver[0]; steps++) {
        boolean ignored = store.store().step();
      }
      if (find(lane, i) != Found.HIT) {
        return 0;
      }
      loads++;
      long length = lane.head().totalLength();
      lane.unpin(lane.head().region());
      return length;
    }

    /** How many were loaded and found. */
    long loads() {
      return loads;
    }

    @TearDown
    public void close() {
      if (store != null) {
        store.close();
      }
    }
  }

  @Benchmark
  public long load(Stored stored) {
    return stored.load();
  }
}
