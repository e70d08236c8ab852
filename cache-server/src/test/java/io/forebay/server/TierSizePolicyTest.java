package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.memory.MemoryPressure;
import io.forebay.storage.memory.MemoryPressure.Level;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The decision on the size of the memory tier: 128 regions of 4 MiB, at least 40 of them. */
class TierSizePolicyTest {
  private static final long MEBI = 1 << 20;
  private static final int COUNT = 128;
  private static final int LEAST = 40;

  private final AtomicLong clock = new AtomicLong(5_000_000);
  private final FakeTier tier = new FakeTier(COUNT, 4 << 20);
  private final TierSizePolicy sizer = new TierSizePolicy(tier, LEAST, clock::get);

  private static Level group(long limitMebi, long roomMebi) {
    return new Level("control group /edge", limitMebi * MEBI, roomMebi * MEBI);
  }

  private static MemoryPressure room(long limitMebi, long roomMebi) {
    return new MemoryPressure(List.of(group(limitMebi, roomMebi)), 0, 0, 0);
  }

  private static MemoryPressure stalled(double some, double full) {
    return new MemoryPressure(List.of(group(2_000, 900)), some, full, 0);
  }

  private static MemoryPressure ranOut(long times) {
    return new MemoryPressure(List.of(group(2_000, 900)), 0, 0, times);
  }

  private void pass(long millis, MemoryPressure pressure) {
    for (long left = millis; left > 0; left -= 1_000) {
      clock.addAndGet(Math.min(left, 1_000));
      sizer.step(pressure);
      tier.reach();
    }
  }

  @ParameterizedTest
  @CsvSource({
    // A twentieth of the limit is little, a twelfth enough: 100 MiB and 166 of 2,000.
    "2000, 100, 128",
    "2000, 99, 111",
    "2000, 0, 86",
    "2000, -200, 40",
    // Of a large limit at most 1 GiB and 1,280 MiB.
    "200000, 1024, 128",
    "200000, 1023, 63",
    "100, 5, 128",
    "100, 4, 126",
    "0, 0, 128",
  })
  void shrinksByWhatLacks(long limit, long room, int regions) {
    sizer.step(room(limit, room));
    assertEquals(regions, tier.target());
  }

  @Test
  void theLevelThatLacksMostDecides() {
    sizer.step(
        new MemoryPressure(
            List.of(group(2_000, 500), group(4_000, 150), group(8_000, 399)), 0, 0, 0));
    assertEquals(COUNT - Math.ceilDiv(8_000 / 12 - 399 + 1, 4), tier.target());
  }

  @Test
  void whatIsOnItsWayIsNotAskedForAgain() {
    sizer.step(room(2_000, 90));
    int target = tier.target();
    assertEquals(COUNT - 20, target);
    for (int n = 0; n < 30; n++) {
      clock.addAndGet(1_000);
      sizer.step(room(2_000, 90));
      assertEquals(target, tier.target(), "nothing was given back yet");
    }
    // As regions go, the room becomes larger.
    tier.inUse(COUNT - 5);
    sizer.step(room(2_000, 90 + 20));
    assertEquals(target, tier.target());
    // Somebody else took what was given back.
    tier.inUse(target);
    sizer.step(room(2_000, 90));
    assertEquals(target - 20, tier.target());
  }

  @Test
  void neverGoesBelowTheBound() {
    for (int n = 0; n < 100; n++) {
      pass(1_000, room(2_000, -3_000));
      assertEquals(LEAST, tier.target());
    }
    assertEquals((COUNT - LEAST) * 4 * MEBI, sizer.flexibleBytes());
  }

  @Test
  void shrinksInStepsWhileTasksWait() {
    sizer.step(stalled(0.09, 0.04));
    assertEquals(COUNT, tier.target());
    sizer.step(stalled(0.11, 0));
    assertEquals(COUNT - 4, tier.target());
    pass(TierSizePolicy.STALL_MILLIS - 1_000, stalled(0.06, 0));
    assertEquals(COUNT - 4, tier.target(), "the average does not show it yet");
    pass(1_000, stalled(0.06, 0));
    assertEquals(COUNT - 8, tier.target());
    pass(30_000, stalled(0.04, 0));
    assertEquals(COUNT - 8, tier.target());
    sizer.step(stalled(0, 0.06));
    assertEquals(COUNT - 12, tier.target());
  }

  @Test
  void shrinksWhenAGroupRanOut() {
    sizer.step(ranOut(7));
    assertEquals(COUNT, tier.target(), "that was before the start");
    pass(5_000, ranOut(7));
    assertEquals(COUNT, tier.target());
    pass(1_000, ranOut(8));
    assertEquals(COUNT - 4, tier.target());
    pass(5_000, ranOut(8));
    assertEquals(COUNT - 4, tier.target());
    pass(1_000, ranOut(3));
    assertEquals(COUNT - 4, tier.target(), "another group counts from another number");
  }

  @Test
  void growsOneByOneAfterACalmTime() {
    pass(1_000, room(2_000, 0));
    assertEquals(86, tier.target());
    pass(TierSizePolicy.CALM_MILLIS - 1_000, room(2_000, 900));
    assertEquals(86, tier.target());
    pass(1_000, room(2_000, 900));
    assertEquals(87, tier.target());
    pass(TierSizePolicy.GROW_MILLIS - 1_000, room(2_000, 900));
    assertEquals(87, tier.target());
    pass(1_000, room(2_000, 900));
    assertEquals(88, tier.target());
    pass(TierSizePolicy.GROW_MILLIS * 100, room(2_000, 900));
    assertEquals(COUNT, tier.target());
  }

  @Test
  void aShortageMakesItWaitAgain() {
    pass(1_000, room(2_000, 0));
    pass(TierSizePolicy.CALM_MILLIS - 1_000, room(2_000, 900));
    pass(1_000, stalled(0.2, 0));
    int target = tier.target();
    pass(TierSizePolicy.CALM_MILLIS - 1_000, room(2_000, 900));
    assertEquals(target, tier.target());
    pass(1_000, room(2_000, 900));
    assertEquals(target + 1, tier.target());
  }

  @Test
  void growsOnlyIfALotIsLeftAfterIt() {
    pass(1_000, room(2_000, 0));
    pass(2 * TierSizePolicy.CALM_MILLIS, room(2_000, 203));
    assertEquals(86, tier.target());
    pass(TierSizePolicy.GROW_MILLIS, room(2_000, 204));
    assertEquals(87, tier.target());
  }

  @Test
  void waitsForARegionThatCannotBeAllocated() {
    pass(1_000, room(2_000, 0));
    pass(TierSizePolicy.CALM_MILLIS, room(2_000, 900));
    assertEquals(87, tier.target());
    tier.inUse(86);
    for (int n = 0; n < 100; n++) {
      clock.addAndGet(1_000);
      sizer.step(room(2_000, 900));
      assertEquals(87, tier.target());
    }
    tier.reach();
    sizer.step(room(2_000, 900));
    assertEquals(88, tier.target());
  }

  @Test
  void whereNothingIsKnownNothingHappens() {
    for (int n = 0; n < 100; n++) {
      pass(1_000, new MemoryPressure(List.of(), 0, 0, 0));
      assertEquals(COUNT, tier.target());
    }
  }

  @Test
  void staysWithinItsBoundsWhateverIsRead() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    long[] numbers = {0, 1, -1, MEBI, 1L << 40, Long.MAX_VALUE / 2, -(1L << 50)};
    for (int n = 0; n < 10_000; n++) {
      clock.addAndGet(random.nextInt(20_000));
      sizer.step(
          new MemoryPressure(
              List.of(
                  new Level(
                      "a",
                      Math.abs(numbers[random.nextInt(numbers.length)]),
                      numbers[random.nextInt(numbers.length)])),
              random.nextDouble(),
              random.nextDouble(),
              random.nextInt(5)));
      assertTrue(tier.target() >= LEAST && tier.target() <= COUNT, "seed " + seed);
      if (random.nextBoolean()) {
        tier.reach();
      }
    }
  }
}
