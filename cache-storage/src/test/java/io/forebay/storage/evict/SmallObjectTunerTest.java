package io.forebay.storage.evict;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SmallObjectTunerTest {
  /** Of a tier whose slices have 1 MiB. */
  private static final int LARGEST = 19;

  private final SmallObjectTuner tuner = new SmallObjectTuner(LARGEST, 0);

  /** What candidates missed over 1000 bytes and objects of the first, in permille. */
  private static int windows(SmallObjectTuner tuner, int count, double[] bytes, double[] objects) {
    int last = 0;
    for (int window = 0; window < count; window++) {
      last =
          tuner.onWindow(
              Arrays.stream(bytes).map(each -> 1000 + each).toArray(),
              Arrays.stream(objects).map(each -> 1000 + each).toArray());
    }
    return last;
  }

  @Test
  void takesTheFewestMissedObjectsThatCostHardlyAnyBytes() {
    int chosen =
        windows(
            tuner, 100, new double[] {0, 0.5, 1.5, 6, 30}, new double[] {0, -20, -40, -60, -80});
    assertEquals(15, chosen);
  }

  @Test
  void favoursNothingWhereEverythingCostsBytes() {
    int chosen =
        windows(tuner, 100, new double[] {0, 5, 8, 9, 30}, new double[] {0, -90, -95, -99, -99});
    assertEquals(0, chosen);
  }

  @Test
  void leavesWhatHasBecomeTooDear() {
    double[] fewer = {0, -20, -40, -60, -80};
    assertEquals(19, windows(tuner, 100, new double[5], fewer));
    assertEquals(13, windows(tuner, 100, new double[] {0, 1, 9, 9, 9}, fewer));
  }

  @Test
  void reachesAGoodSizeBehindOneThatSavesNothing() {
    assertEquals(17, windows(tuner, 100, new double[5], new double[] {0, 0, -1, -40, -41}));
  }

  @Test
  void triesNoSizeOfASliceOrMore() {
    SmallObjectTuner small = new SmallObjectTuner(15, 0);
    assertEquals(3, small.size());
    assertEquals(15, small.candidate(2));
  }

  @Test
  void noiseAroundEqualWorthMovesItRarely() {
    long seed = 9;
    SplittableRandom random = new SplittableRandom(seed);
    int moves = 0;
    int last = 0;
    for (int window = 0; window < 10_000; window++) {
      double[] bytes = random.doubles(5, 1000, 1010).toArray();
      double[] objects = random.doubles(5, 1000, 1010).toArray();
      int next = tuner.onWindow(bytes, objects);
      moves += next == last ? 0 : 1;
      last = next;
    }
    assertTrue(moves <= 20, moves + " moves, seed " + seed);
  }
}
