package io.forebay.storage.evict;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.ghost.GhostFilter;
import io.forebay.storage.layout.Layouts;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class ShadowTunerTest {
  private static final int OBJECTS = 40_000;
  private static final int REGION = 1 << 18;
  private static final int REGIONS = 128;
  private static final int SLICE = REGION / 16;
  private static final long USABLE = (long) REGION * REGIONS;

  private static EvictionState eviction(Tuning tuning) {
    return new EvictionState(
        new SegmentPolicy(tuning.initial(SLICE)),
        new GhostFilter(USABLE, 1 << 16),
        new SampleFilter());
  }

  /** Zipf's law over objects of 128 bytes to 16 KiB; the hash decides the length. */
  private static final class Traffic {
    final SplittableRandom random = new SplittableRandom(11);
    final double[] upTo = new double[OBJECTS];

    Traffic(double skew) {
      double sum = 0;
      for (int n = 0; n < OBJECTS; n++) {
        sum += 1 / Math.pow(n + 1.0, skew);
        upTo[n] = sum;
      }
    }

    long next() {
      int at = java.util.Arrays.binarySearch(upTo, random.nextDouble() * upTo[OBJECTS - 1]);
      return Layouts.mix(at < 0 ? -at : at + 1);
    }
  }

  private static int length(long object) {
    return 64 + (int) (object >>> 40 & 0x1F) * 512;
  }

  /** What the shadow counts for a record. */
  private static int inModel(int length) {
    return Layouts.roundUp(length, 64) + 64;
  }

  private record Ratios(double objects, double bytes) {}

  private static Ratios direct(double scale, SegmentPolicy.Setting setting, int from, int to) {
    long usable = (long) (USABLE * scale);
    TierModel model =
        new TierModel(
            usable,
            (long) (REGION * scale),
            new SegmentPolicy(setting),
            new GhostFilter(usable, 1 << 18));
    Traffic traffic = new Traffic(0.8);
    double hits = 0;
    double bytes = 0;
    double hitBytes = 0;
    for (int request = 0; request < to; request++) {
      long object = traffic.next();
      int length = inModel(length(object));
      boolean isHit = model.access(object, TierModel.HEAD, length, SegmentPolicy.ANY_SIZE);
      if (request >= from) {
        hits += isHit ? 1 : 0;
        bytes += length;
        hitBytes += isHit ? length : 0;
      }
    }
    return new Ratios(hits / (to - from), hitBytes / bytes);
  }

  @Test
  void estimatesWhatOtherSizesWouldAnswer() {
    Tuning fixed = new Tuning(0.5, 1, 0);
    EvictionState eviction = eviction(fixed);
    ShadowTuner shadow =
        new ShadowTuner(USABLE, REGION, SLICE, SLICE, fixed, eviction, 8192, ShadowTuner.BATCH);
    Traffic traffic = new Traffic(0.8);
    for (int request = 0; request < 600_000; request++) {
      long object = traffic.next();
      shadow.onRecord(object, TierModel.HEAD, length(object), length(object));
    }
    EvictionStats stats = shadow.stats();
    assertTrue(stats.sampleRate() <= 0.5, "rate " + stats.sampleRate());
    List<HitEstimate> curve = stats.curve();
    assertEquals(List.of(0.5, 1.0, 2.0, 4.0), curve.stream().map(HitEstimate::scale).toList());
    for (HitEstimate estimate : curve) {
      Ratios real = direct(estimate.scale(), eviction.policy().setting(), 300_000, 600_000);
      // A sample of some thousand objects, of which few are asked for very often: a tolerance of
      // three hundredths of all requests.
      String what = estimate + " against " + real;
      assertEquals(real.objects(), estimate.objectHitRatio(), 0.03, what);
      assertEquals(real.bytes(), estimate.byteHitRatio(), 0.03, what);
    }
  }

  @Test
  void neverHoldsMoreThanItsLimit() {
    Tuning fixed = new Tuning(0.5, 1, 0);
    ShadowTuner shadow =
        new ShadowTuner(
            USABLE, REGION, SLICE, SLICE, fixed, eviction(fixed), 1000, ShadowTuner.BATCH);
    for (long n = 1; n < 200_000; n++) {
      shadow.onRecord(Layouts.mix(n), TierModel.HEAD, 100, 100);
    }
    // Of 200,000 objects that all fit into four times the size, at most 1,000 are kept.
    assertTrue(shadow.stats().sampleRate() <= 1 / 200.0, "rate " + shadow.stats().sampleRate());
  }

  @Tag("full")
  @Test
  void tunesTowardsWhatMissesLess() {
    EvictionState eviction = eviction(Tuning.AUTO);
    ShadowTuner shadow = new ShadowTuner(USABLE, REGION, SLICE, SLICE, Tuning.AUTO, eviction);
    SplittableRandom random = new SplittableRandom(5);
    Traffic traffic = new Traffic(1.0);
    long once = 1L << 40;
    // Much that is asked for once or twice in a row, beside a steady core: a large protected
    // segment is right.
    for (int request = 0; request < 400_000; request++) {
      long object = random.nextInt(10) < 6 ? Layouts.mix(once++) : traffic.next();
      shadow.onRecord(object, TierModel.HEAD, length(object), length(object));
    }
    SegmentPolicy.Setting tuned = eviction.policy().setting();
    assertTrue(tuned.protectedShare() > 0.5, tuned.toString());
    assertTrue(shadow.stats().settingChanges() <= 6, shadow.stats().toString());
  }

  /** Settings after every request, and the last figures: the trace of what a shadow decides. */
  private static List<Object> decisions(int batch, long seed) {
    EvictionState eviction = eviction(Tuning.AUTO);
    ShadowTuner shadow =
        new ShadowTuner(USABLE, REGION, SLICE, SLICE, Tuning.AUTO, eviction, 3000, batch);
    SplittableRandom random = new SplittableRandom(seed);
    Traffic traffic = new Traffic(0.9);
    List<Object> decisions = new ArrayList<>();
    long once = 1L << 40;
    for (int request = 0; request < 150_000; request++) {
      boolean isOnce = random.nextInt(10) < (request / 50_000) * 4;
      long object = isOnce ? Layouts.mix(once++) : traffic.next();
      if (random.nextInt(8) == 0) {
        shadow.onObject(object, 500, SLICE * 3L + 100);
      } else {
        shadow.onRecord(object, TierModel.HEAD, length(object), length(object));
      }
      if (decisions.isEmpty() || !decisions.getLast().equals(eviction.policy().setting())) {
        decisions.add(request);
        decisions.add(eviction.policy().setting());
      }
    }
    decisions.add(shadow.stats());
    return decisions;
  }

  @Test
  void decidesTheSameWhetherModelsSeeRecordsTogetherOrOneByOne() {
    for (long seed = 1; seed <= 3; seed++) {
      List<Object> oneByOne = decisions(1, seed);
      assertTrue(oneByOne.size() > 3, "seed " + seed + ": nothing was decided");
      assertEquals(oneByOne, decisions(ShadowTuner.BATCH, seed), "seed " + seed);
      assertEquals(oneByOne, decisions(7, seed), "seed " + seed);
    }
  }

  /** Requests for small objects and for slices-long ones, both by Zipf's law. */
  private static void mixedTraffic(ShadowTuner shadow, int requests) {
    Traffic traffic = new Traffic(0.8);
    for (int request = 0; request < requests; request++) {
      long object = traffic.next();
      int body = object % 8 == 0 ? SLICE : 64 + (int) (object >>> 40 & 0x3FF);
      shadow.onObject(object, 256, body);
    }
  }

  @Test
  void favoursNoSizeIfThatIsOffAndAFixedOneAlways() {
    for (int smallClass : new int[] {0, 13}) {
      Tuning fixed = new Tuning(-1, 0, smallClass);
      EvictionState eviction = eviction(fixed);
      mixedTraffic(new ShadowTuner(USABLE, REGION, SLICE, SLICE, fixed, eviction), 200_000);
      assertEquals(smallClass, eviction.policy().setting().smallClass());
    }
  }

  @Test
  void leavesAFixedSettingAlone() {
    Tuning fixed = new Tuning(0.3, 2, 0);
    EvictionState eviction = eviction(fixed);
    ShadowTuner shadow = new ShadowTuner(USABLE, REGION, SLICE, SLICE, fixed, eviction);
    Traffic traffic = new Traffic(0.7);
    for (int request = 0; request < 200_000; request++) {
      long object = traffic.next();
      shadow.onRecord(object, TierModel.HEAD, length(object), length(object));
    }
    assertEquals(new SegmentPolicy.Setting(0.3, 2, 0), eviction.policy().setting());
    assertEquals(0, shadow.stats().settingChanges());
    assertFalse(shadow.stats().curve().isEmpty());
  }

  @Test
  void tunesTheThresholdAloneWhereTheShareIsFixed() {
    Tuning half = new Tuning(0.37, 0, 0);
    EvictionState eviction = eviction(half);
    ShadowTuner shadow = new ShadowTuner(USABLE, REGION, SLICE, SLICE, half, eviction);
    Traffic traffic = new Traffic(0.7);
    for (int request = 0; request < 200_000; request++) {
      long object = traffic.next();
      shadow.onRecord(object, TierModel.HEAD, length(object), length(object));
    }
    assertEquals(0.37, eviction.policy().setting().protectedShare());
  }

  @Test
  void aWholeObjectIsItsHeadAndItsSlices() {
    Tuning fixed = new Tuning(0.5, 1, 0);
    ShadowTuner shadow = new ShadowTuner(USABLE, REGION, SLICE, SLICE, fixed, eviction(fixed));
    for (long n = 1; n <= 4000; n++) {
      // Written, then read: every part of it is there.
      shadow.onObject(Layouts.mix(n), 500, SLICE + 1);
      shadow.onRecord(Layouts.mix(n), TierModel.HEAD, 500, 500);
      shadow.onRecord(Layouts.mix(n), 1, 64 + SLICE, SLICE);
      shadow.onRecord(Layouts.mix(n), 2, 64 + 1, SLICE + 1);
    }
    HitEstimate same = shadow.stats().curve().get(1);
    assertEquals(0.5, same.objectHitRatio(), 0.001);
    assertEquals(0.5, same.byteHitRatio(), 0.001);
  }

  @Test
  void whatLanesSeeArrivesAndWhatDoesNotFitIsCounted() {
    Tuning fixed = new Tuning(0.5, 1, 0);
    EvictionState eviction = eviction(fixed);
    ShadowTuner shadow = new ShadowTuner(USABLE, REGION, SLICE, SLICE, fixed, eviction);
    SampleRing ring = new SampleRing();
    long at = 0;
    for (int round = 0; round < 200; round++) {
      for (int n = 0; n < 1000; n++) {
        ring.record(Layouts.mix(++at % 5000), TierModel.HEAD, 2000, 1500);
      }
      assertFalse(shadow.step(List.of(ring)));
    }
    assertEquals(0, shadow.stats().lostSamples());
    assertEquals(200_000.0, (double) shadow.stats().sampledRequests(), 1000.0);
    double rate = shadow.stats().sampleRate();
    for (int round = 0; round < 200; round++) {
      for (int n = 0; n < 3000; n++) {
        ring.whole(Layouts.mix(++at % 5000), 500, 1500);
      }
      assertTrue(shadow.step(List.of(ring)));
    }
    assertTrue(shadow.stats().lostSamples() > 300_000, shadow.stats().toString());
    // Two of three events were lost: the sample is too thick.
    assertTrue(shadow.stats().sampleRate() < rate, shadow.stats().toString());
  }
}
