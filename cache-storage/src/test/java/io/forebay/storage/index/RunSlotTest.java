package io.forebay.storage.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A slot of a run against a plain map from slices to lengths. */
class RunSlotTest {
  private static final int HEADER = 64;
  private static final long BIRTH = 77;

  private static long first(long place, int length, int generation) {
    return place << DiskIndex.PLACE_SHIFT
        | (long) ((length + 63) / 64 - 1) << DiskIndex.LENGTH_SHIFT
        | (long) generation << DiskIndex.GENERATION_SHIFT
        | 3;
  }

  private static long second(long birth) {
    return birth << DiskIndex.BIRTH_SHIFT | 0x1234;
  }

  @Test
  void saysWhereEachOfItsSlicesIsWhateverHasComeAndGone() {
    long seed = new SplittableRandom().nextLong();
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 2_000; round++) {
      run(random, "seed " + seed + "L, round " + round);
    }
  }

  private static void run(SplittableRandom random, String seed) {
    int whole = (4096 << random.nextInt(9)) + HEADER;
    int tail = HEADER + 1 + random.nextInt(whole - HEADER);
    // The places of the slices before the disk's first one are none, but count.
    long begin = random.nextBoolean() ? random.nextLong(DiskIndex.MAX_PLACE / 2) : 0;
    int lowest = random.nextInt(RunSlot.SLICES);
    int end = lowest + 1 + random.nextInt(RunSlot.SLICES - lowest);
    Map<Integer, Integer> there = new TreeMap<>();
    long first = 0;
    long second = 0;
    for (int n = 0; n < 100; n++) {
      int slice = lowest + random.nextInt(end - lowest);
      int length = slice == end - 1 ? tail : whole;
      long place = begin + (long) (slice - lowest) * (whole / 64);
      long plain = first(place, length, 5);
      if (there.isEmpty()) {
        if (RunSlot.mayBegin(length) && length == whole) {
          second = RunSlot.second(second(BIRTH), slice, length);
          first = RunSlot.first(plain, second, slice);
          there.put(slice, length);
        }
      } else if (!there.containsKey(slice)) {
        assertTrue(RunSlot.isOf(first, second, plain, second(BIRTH), slice), seed);
        assertFalse(RunSlot.isOf(first, second, plain, second(BIRTH + 1), slice), seed);
        assertFalse(
            RunSlot.isOf(first, second, first(place, length, 6), second(BIRTH), slice), seed);
        assertFalse(
            RunSlot.isOf(first, second, first(place + 1, length, 5), second(BIRTH), slice), seed);
        first = RunSlot.firstWith(first, second, plain, slice);
        second = RunSlot.secondWith(second, slice);
        there.put(slice, length);
      } else if (random.nextBoolean()) {
        there.remove(slice);
        long left = RunSlot.secondWithout(second, slice);
        assertEquals(there.isEmpty(), RunSlot.isEmpty(left), seed);
        if (!there.isEmpty()) {
          first = RunSlot.firstWithout(first, second, slice);
        }
        second = left;
      }
      if (!there.isEmpty()) {
        check(first, second, there, begin, lowest, whole, seed);
      }
    }
  }

  private static void check(
      long first,
      long second,
      Map<Integer, Integer> there,
      long begin,
      int lowest,
      int whole,
      String seed) {
    assertTrue(RunSlot.isRun(first), seed);
    assertTrue(there.containsKey(RunSlot.any(second)), seed);
    for (int slice = 0; slice < RunSlot.SLICES; slice++) {
      Integer length = there.get(slice);
      assertEquals(length != null, RunSlot.has(second, slice), seed);
      if (length != null) {
        assertEquals(
            begin + (long) (slice - lowest) * (whole / 64),
            RunSlot.place(first, second, slice),
            seed);
        assertEquals((length + 63) / 64 - 1, RunSlot.length(first, second, slice), seed);
      }
    }
  }

  @Test
  void nothingFollowsASliceThatEndsTheBody() {
    long second = RunSlot.second(second(BIRTH), 0, 4096 + HEADER);
    long first = RunSlot.first(first(100, 4096 + HEADER, 1), second, 0);
    long tail = first(165, 1000, 1);
    assertTrue(RunSlot.isOf(first, second, tail, second(BIRTH), 1));
    first = RunSlot.firstWith(first, second, tail, 1);
    second = RunSlot.secondWith(second, 1);
    assertFalse(RunSlot.isOf(first, second, first(230, 4096 + HEADER, 1), second(BIRTH), 2));
    assertFalse(RunSlot.isOf(first, second, first(230, 500, 1), second(BIRTH), 2));
  }

  @Test
  void beginsWithASliceThatTellsWhereTheNextOneIs() {
    assertTrue(RunSlot.mayBegin((1 << 20) + HEADER));
    assertTrue(RunSlot.mayBegin(4096 + HEADER));
    assertFalse(RunSlot.mayBegin(4096 + HEADER - 1), "a power of two");
    assertFalse(RunSlot.mayBegin((1 << 20) + HEADER - 64));
    assertFalse(RunSlot.mayBegin(2048 + HEADER));
    assertFalse(RunSlot.mayBegin((2 << 20) + HEADER), "longer than a slot can say");
    assertFalse(RunSlot.mayBegin(0));
  }
}
