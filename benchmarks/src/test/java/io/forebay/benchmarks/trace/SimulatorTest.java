package io.forebay.benchmarks.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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

  /** Hits as {@code h} and misses as {@code m}, of objects of one byte. */
  private static String outcomes(Policy policy, int... ids) {
    StringBuilder outcomes = new StringBuilder();
    for (int id : ids) {
      outcomes.append(policy.access(id, 1) ? 'h' : 'm');
    }
    return outcomes.toString();
  }

  /** Twenty places, of which two are the small queue's: 0 and 1 lie in it, 2 to 19 in main. */
  private static S3Fifo fullS3Fifo() {
    S3Fifo policy = new S3Fifo(256, 20);
    for (int id = 0; id < 20; id++) {
      assertFalse(policy.access(id, 1));
    }
    return policy;
  }

  @Test
  void s3FifoByHand() {
    S3Fifo policy = fullS3Fifo();
    assertEquals("hhhh", outcomes(policy, 0, 0, 1, 2));
    // Main is not above its 18: the small queue gives. 0 was asked for twice and moves to main, 1
    // was once and goes to the ghosts. Small: 20.
    assertEquals("m", outcomes(policy, 20));
    // Main has 19 and gives: 2 was asked for and goes to its young end, 3 goes. Small: 20, 21.
    assertEquals("m", outcomes(policy, 21));
    // A ghost. The small queue gives 20, which becomes one; 1 enters main. Small: 21.
    assertEquals("m", outcomes(policy, 1));
    // What main has dropped is no ghost: 4 goes from main. Small: 21, 3.
    assertEquals("hhhm", outcomes(policy, 0, 2, 1, 3));
    // A ghost; 21 becomes one. Small: 3. Then 21 is one; 5 goes from main.
    assertEquals("mm", outcomes(policy, 20, 21));
    // 6 goes from main for 5, which is new.
    assertEquals("mhhhhhhhhh", outcomes(policy, 5, 0, 1, 2, 20, 21, 3, 5, 7, 19));
    // Once is too little to leave the small queue: 3 becomes a ghost for 6, then 5 for the ghost 3.
    // For 4 main gives: 7 was asked for, so 8 goes.
    assertEquals("mmmhm", outcomes(policy, 6, 3, 4, 7, 8));
  }

  @Test
  void s3FifoMayLetOneRequestSuffice() {
    S3Fifo policy = new S3Fifo(64, 20, 1);
    for (int id = 0; id < 20; id++) {
      assertFalse(policy.access(id, 1));
    }
    // Once is enough for 0, which moves to main; 1 goes.
    assertEquals("hm", outcomes(policy, 0, 20));
    assertTrue(policy.holds(0));
    assertFalse(policy.holds(1));
  }

  @Test
  void s3FifoCountsToThree() {
    S3Fifo policy = fullS3Fifo();
    assertEquals("hhh", outcomes(policy, 3, 3, 3));
    for (int n = 0; n < 10; n++) {
      assertTrue(policy.access(2, 1));
    }
    int next = 20;
    while (policy.holds(2)) {
      // Asked for twice more, so each of them drives main on by one.
      assertEquals("mhh", outcomes(policy, next, next, next));
      next++;
    }
    // They lie side by side in main and survive three rounds both.
    assertTrue(next > 20 + 3 * 16, "gone with " + next);
    assertEquals("mhh", outcomes(policy, next, next, next));
    assertFalse(policy.holds(3));
  }

  @Test
  void s3FifoTakesSpaceForALargeObjectFromTheSmallQueue() {
    S3Fifo policy = new S3Fifo(32, 1_000);
    for (int id = 0; id < 10; id++) {
      assertFalse(policy.access(id, 10));
    }
    for (int id = 10; id < 20; id++) {
      assertFalse(policy.access(id, 90));
    }
    // The small queue has its 100 bytes, main its 900: the large object takes the former's places.
    assertFalse(policy.access(20, 95));
    for (int id = 0; id < 10; id++) {
      assertFalse(policy.holds(id), "object " + id);
    }
    for (int id = 10; id <= 20; id++) {
      assertTrue(policy.holds(id), "object " + id);
    }
  }

  @Test
  void s3FifoLetsNothingInThatFillsTheSmallQueue() {
    S3Fifo policy = new S3Fifo(2, 1_000);
    assertFalse(policy.access(0, 100));
    assertFalse(policy.access(0, 100));
    assertFalse(policy.access(1, 99));
    assertTrue(policy.access(1, 99));
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

  @Tag("full")
  @Test
  void staysNearTheBestWhateverTheTraffic() {
    assertBehind(0.02, SyntheticTraces.mostlyOnce(1), 3);
    assertBehind(0.02, SyntheticTraces.mostlyOnce(1), 30);
    assertBehind(0.02, SyntheticTraces.scanningAndLooping(1), 3);
    assertBehind(0.02, SyntheticTraces.news(1), 10);
    assertBehind(0.02, SyntheticTraces.steady(1), 3);
    assertBehind(0.02, SyntheticTraces.steady(1), 10);
    // Without favour for small objects 0.0188 behind; that costs up to 0.004 more and saves
    // requests.
    assertBehind(0.025, SyntheticTraces.churning(1), 3);
    // Few misses, of which a hundredth more is much.
    assertBehind(0.03, SyntheticTraces.steady(1), 30);
    assertBehind(0.07, SyntheticTraces.churning(1), 30);
  }

  @Tag("full")
  @Test
  void favouringSmallObjectsSavesRequestsAndCostsHardlyAnyBytes() {
    for (long seed = 1; seed <= 2; seed++) {
      Trace trace = SyntheticTraces.web(seed);
      long capacity = trace.distinctBytes() / 10;
      Simulator.Outcome alike =
          Simulator.replay(trace, new Forebay(capacity, new Tuning(-1, 0, 0)));
      Simulator.Outcome now = Simulator.replay(trace, new Forebay(capacity, Tuning.AUTO));
      String what = "seed " + seed + ": " + now + ", all sizes alike: " + alike;
      assertTrue(now.objects() < alike.objects() - 0.015, what);
      assertTrue(now.bytes() < alike.bytes() * 1.01, what);
    }
  }

  @Test
  void aFixedSettingIsKept() {
    Forebay forebay = new Forebay(100L << 20, new Tuning(0.2, 2, 0));
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
