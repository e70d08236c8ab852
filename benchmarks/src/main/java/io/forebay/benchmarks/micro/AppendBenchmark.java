package io.forebay.benchmarks.micro;

import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Storing objects end to end, on one thread: begin, append in chunks of at most 32 KiB as they come
 * from a socket (copy and CRC32C), finish (directory entry, index). The store of 1 GiB is full, so
 * the time also holds what reclaiming the oldest regions costs, which here the same thread does
 * after every half region; nothing was touched, so nothing is moved. The counter {@code mebibytes}
 * is body bytes a second.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar AppendBenchmark</pre>
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class AppendBenchmark extends Bench {
  private static final int CHUNK = 32 << 10;
  private static final byte[] KEY_TEXT = BenchStore.keyText(1);

  /** The store. */
  @State(Scope.Benchmark)
  public static class Full {
    @Param({"1024", "32768", "1048576"})
    int bodyBytes;

    private ByteBuffer body = ByteBuffer.allocate(0);
    private @Nullable BenchStore store;
    private long number;
    private long unsettledBytes;

    @Setup
    public void fill() {
      long memoryBytes = 1L << 30;
      BenchStore opened = new BenchStore(memoryBytes, 1, 0, 2_000_000, 8192);
      store = opened;
      body = ByteBuffer.allocateDirect(bodyBytes);
      byte[] bytes = new byte[bodyBytes];
      new Random(1).nextBytes(bytes);
      body.put(bytes).flip();
      long enough = 2 * memoryBytes / (bodyBytes + 512);
      for (long i = 0; i < enough; i++) {
        InstallOutcome installed = storeOne();
        if (installed != InstallOutcome.INSTALLED) {
          throw new IllegalStateException("object " + i + ": " + installed);
        }
      }
    }

    /** Stores one object under a key that was not there. */
    InstallOutcome storeOne() {
      if (store == null) {
        throw new IllegalStateException("not open");
      }
      StoreLane lane = store.lane(0);
      number++;
      HeadSpec spec =
          store.head(BenchStore.mix(number), BenchStore.mix(~number), KEY_TEXT, bodyBytes);
      unsettledBytes += bodyBytes;
      if (unsettledBytes > store.store().regionBytes() / 2) {
        unsettledBytes = 0;
        store.settle();
      }
      ObjectWriter writer = lane.begin(spec);
      if (writer == null) {
        return InstallOutcome.NO_SPACE;
      }
      ByteBuffer rest = body.duplicate();
      while (rest.hasRemaining()) {
        ByteBuffer chunk = rest.slice(rest.position(), Math.min(CHUNK, rest.remaining()));
        rest.position(rest.position() + chunk.remaining());
        if (!writer.append(chunk)) {
          writer.abort();
          return InstallOutcome.NO_SPACE;
        }
      }
      return writer.finish();
    }

    @TearDown
    public void close() {
      if (store != null) {
        store.close();
      }
    }
  }

  /** Counts of one thread. */
  @State(Scope.Thread)
  @AuxCounters(AuxCounters.Type.OPERATIONS)
  public static class Amount {
    /** Body bytes of what was installed, in MiB. */
    public double mebibytes;

    /** What was refused; must stay 0. */
    public long refused;
  }

  @Benchmark
  public InstallOutcome append(Full full, Amount amount) {
    InstallOutcome installed = full.storeOne();
    if (installed == InstallOutcome.INSTALLED) {
      amount.mebibytes += full.bodyBytes / 1048576.0;
    } else {
      amount.refused++;
    }
    return installed;
  }
}
