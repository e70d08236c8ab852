package io.forebay.benchmarks.micro;

import io.forebay.storage.evict.EvictionState;
import io.forebay.storage.evict.SampleFilter;
import io.forebay.storage.evict.SegmentPolicy;
import io.forebay.storage.evict.ShadowTuner;
import io.forebay.storage.evict.TierModel;
import io.forebay.storage.evict.Tuning;
import io.forebay.storage.ghost.GhostFilter;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.region.TierGeometry;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What the eviction tuner spends on one request for an object of 2 MB, its head and all its slices,
 * if the sample holds every object. Objects are drawn by Zipf's law from so many that they would
 * fill the memory tier {@code timesTier} times: with 16, most slices come from a disk.
 *
 * <pre>java -jar benchmarks/target/benchmarks.jar ShadowBenchmark</pre>
 */
public class ShadowBenchmark extends Bench {
  private static final int BODY_BYTES = 2_000_000;
  private static final int HEAD_BYTES = 512;
  private static final double SKEW = 0.8;

  /** A tuner that has seen as many requests as fill the tier several times. */
  @State(Scope.Thread)
  public static class Tuner {
    @Param({"64", "128", "1024"})
    int tierMebibytes;

    @Param({"1", "16"})
    int timesTier;

    private TierGeometry shape = TierGeometry.of(64 << 20);
    private ShadowTuner shadow = shadow(shape, 64 << 20);
    private ZipfDraw draw = new ZipfDraw(1, SKEW);

    @Setup
    public void fill() {
      long tierBytes = (long) tierMebibytes << 20;
      shape = TierGeometry.of(tierBytes);
      shadow = shadow(shape, tierBytes);
      int objects = (int) (tierBytes * timesTier / BODY_BYTES);
      draw = new ZipfDraw(objects, SKEW);
      for (int request = 0; request < objects * 4; request++) {
        ask();
      }
    }

    private static ShadowTuner shadow(TierGeometry shape, long tierBytes) {
      return new ShadowTuner(
          shape.usableBytes(),
          shape.regionBytes(),
          shape.sliceBytes(),
          shape.inlineBytes(),
          Tuning.AUTO,
          new EvictionState(
              new SegmentPolicy(Tuning.AUTO.initial(shape.sliceBytes())),
              new GhostFilter(tierBytes, shape.indexEntries()),
              new SampleFilter()));
    }

    void ask() {
      long object = Layouts.mix(draw.next() + 1L);
      shadow.onRecord(object, TierModel.HEAD, HEAD_BYTES, BODY_BYTES);
      for (int at = 0, slice = 1; at < BODY_BYTES; at += shape.sliceBytes(), slice++) {
        int length = SliceRecord.LENGTH + Math.min(shape.sliceBytes(), BODY_BYTES - at);
        shadow.onRecord(object, slice, length, BODY_BYTES);
      }
    }
  }

  /** One request, all its records sampled. */
  @Benchmark
  public void request(Tuner tuner) {
    tuner.ask();
  }
}
