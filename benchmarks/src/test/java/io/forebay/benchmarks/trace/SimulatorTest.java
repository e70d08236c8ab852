package io.forebay.benchmarks.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.evict.Tuning;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class SimulatorTest {
  @TempDir Path directory;

  private static Trace trace(int... ids) {
    Trace trace = new Trace("test");
    for (int id : ids) {
      trace.add(id, 1);
    }
    return trace;
  }

  private static int misses(Policy policy, Trace trace) {
    return (int) Math.round(Simulator.replay(trace, policy).objects() * trace.count());
  }

  /** By how much more bytes Forebay misses than the best of the three it is measured by. */
  private static double behind(Trace trace, int percent) {
    long capacity = trace.distinctBytes() / 100 * percent;
    int objects = trace.objectCount();
    double best =
        Math.min(
            Simulator.replay(trace, new Lru(objects, capacity)).bytes(),
            Math.min(
                Simulator.replay(trace, new SegmentedLru(objects, capacity, 0.8)).bytes(),
                Simulator.replay(trace, new S3Fifo(objects, capacity)).bytes()));
    return Simulator.replay(trace, new Forebay(capacity, Tuning.AUTO)).bytes() / best - 1;
  }

  private static void assertBehind(double most, Trace trace, int percent) {
    double behind = behind(trace, percent);
    assertTrue(behind <= most, trace.name() + " at " + percent + " %: " + behind + " behind");
  }

  @Test
  void lruDropsWhatWasAskedForLongestAgo() {
    assertEquals(4, misses(new Lru(3, 2), trace(0, 1, 0, 2, 1)));
  }

  @Test
  void segmentedLruProtectsWhatWasAskedForTwice() {
    assertEquals(5, misses(new SegmentedLru(5, 3, 0.4), trace(0, 0, 1, 2, 3, 4, 0)));
    assertEquals(6, misses(new Lru(5, 3), trace(0, 0, 1, 2, 3, 4, 0)));
  }

  @Test
  void s3FifoLetsWhatItRemembersIntoTheMainQueue() {
    Trace trace = new Trace("test");
    int[] ids = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 11, 12, 13, 14, 15, 0};
    for (int id : ids) {
      trace.add(id, 10);
    }
    assertEquals(17, misses(new S3Fifo(16, 100), trace));
  }

  @Test
  void gdsfPrefersTheSmall() {
    Trace trace = new Trace("test");
    trace.add(0, 1);
    trace.add(1, 8);
    trace.add(2, 8);
    trace.add(0, 1);
    assertEquals(3, misses(new Gdsf(3, 10), trace));
    assertEquals(4, misses(new Lru(3, 10), trace));
  }

  @Test
  void everyPolicyHitsWhatFits() {
    Trace trace = new Trace("test");
    for (int round = 0; round < 3; round++) {
      for (int id = 0; id < 200; id++) {
        trace.add(id, 100_000);
      }
    }
    long capacity = 64L << 20;
    assertEquals(200, misses(new Forebay(capacity, Tuning.AUTO), trace));
    assertEquals(200, misses(new Lru(200, capacity), trace));
    assertEquals(200, misses(new SegmentedLru(200, capacity, 0.8), trace));
    assertEquals(200, misses(new S3Fifo(200, capacity), trace));
    assertEquals(200, misses(new Gdsf(200, capacity), trace));
    assertEquals(200, misses(new WTinyLfu(capacity), trace));
  }

  @Test
  void staysNearTheBestWhateverTheTraffic() {
    assertBehind(0.02, SyntheticTraces.mostlyOnce(1), 3);
    assertBehind(0.02, SyntheticTraces.mostlyOnce(1), 30);
    assertBehind(0.02, SyntheticTraces.scanningAndLooping(1), 3);
    assertBehind(0.02, SyntheticTraces.news(1), 10);
    assertBehind(0.02, SyntheticTraces.steady(1), 3);
    assertBehind(0.02, SyntheticTraces.steady(1), 10);
    assertBehind(0.02, SyntheticTraces.churning(1), 3);
    // Few misses, of which a hundredth more is much.
    assertBehind(0.03, SyntheticTraces.steady(1), 30);
    assertBehind(0.07, SyntheticTraces.churning(1), 30);
  }

  @Test
  void aFixedSettingIsKept() {
    Forebay forebay = new Forebay(100L << 20, new Tuning(0.2, 2));
    Simulator.Outcome ignored = Simulator.replay(SyntheticTraces.steady(2), forebay);
    assertEquals(0.2, forebay.setting().protectedShare());
    assertEquals(2, forebay.setting().threshold());
  }

  @Test
  void readsTracesAndNamesTheLineThatIsNone() throws IOException {
    Path good = directory.resolve("good.csv.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(good))) {
      out.write("0,a,10\n0,b,20\n\n5,a,10\n".getBytes(StandardCharsets.UTF_8));
    }
    Trace trace = Trace.read(good);
    assertEquals(3, trace.count());
    assertEquals(2, trace.objectCount());
    assertEquals(30, trace.distinctBytes());
    assertEquals(0, trace.id(2));
    Path bad = Files.writeString(directory.resolve("bad.csv"), "0,a,10\n1,a\n");
    String message = assertThrows(IOException.class, () -> Trace.read(bad)).toString();
    assertTrue(message.contains("line 2"), message);
  }
}
