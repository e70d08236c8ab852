package io.forebay.benchmarks.micro;

import io.forebay.storage.region.RegionPins;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/**
 * What a lease costs: a pin (a volatile store into the loop's own row) and the unpin (a release
 * store), over 128 regions, by one, two and four threads at once, each with a row of its own.
 * Nothing is shared between them, so with as many CPUs as threads the time an operation must not
 * grow with their number; where there are fewer, threads take turns and it grows by their ratio.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar LeaseBenchmark</pre>
 */
public class LeaseBenchmark extends Bench {
  private static final int REGIONS = 128;
  private static final int LANES = 8;

  /** The pins of all lanes. */
  @State(Scope.Benchmark)
  public static class Shared {
    private final RegionPins pins = new RegionPins(LANES, REGIONS);
    private final AtomicInteger lanesGiven = new AtomicInteger();
  }

  /** One loop. */
  @State(Scope.Thread)
  public static class Loop {
    private final ZipfDraw draw = new ZipfDraw(REGIONS, 0.9);
    private int lane;

    @Setup
    public void open(Shared shared) {
      lane = shared.lanesGiven.getAndIncrement();
    }
  }

  private static int lease(Shared shared, Loop loop) {
    int region = loop.draw.next();
    shared.pins.pin(loop.lane, region);
    int count = shared.pins.count(loop.lane, region);
    shared.pins.unpin(loop.lane, region);
    return count;
  }

  @Benchmark
  @Threads(1)
  public int oneThread(Shared shared, Loop loop) {
    return lease(shared, loop);
  }

  @Benchmark
  @Threads(2)
  public int twoThreads(Shared shared, Loop loop) {
    return lease(shared, loop);
  }

  @Benchmark
  @Threads(4)
  public int fourThreads(Shared shared, Loop loop) {
    return lease(shared, loop);
  }

  /** What the reclaimer pays to see whether anybody reads a region. */
  @Benchmark
  public boolean isUnpinned(Shared shared, Loop loop) {
    return shared.pins.isUnpinned(loop.draw.next());
  }
}
