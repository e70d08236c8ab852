package io.forebay.lab.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.lab.target.StoreSizeSearch.State;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.LongToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Against a simulated store that evicts what was used least recently. */
class StoreSizeSearchTest {
  private static final long SEED = 23;
  private static final int OBJECTS = 2_000;
  private static final int REQUESTS = 40_000;
  private static final long MEBIBYTE = 1L << 20;

  /** Of some traffic that is the same at each size: what it hits after a warm-up. */
  private static final class SimulatedStore {
    private final int[] requests = new int[REQUESTS];
    private final long[] sizes = new long[OBJECTS];
    private final boolean isByBytes;

    SimulatedStore(boolean isZipf, boolean isByBytes) {
      this.isByBytes = isByBytes;
      Random random = new Random(SEED);
      double[] below = new double[OBJECTS];
      double sum = 0;
      for (int i = 0; i < OBJECTS; i++) {
        sum += isZipf ? 1.0 / (i + 1) : 1;
        below[i] = sum;
        sizes[i] = MEBIBYTE * (isByBytes ? 1 + random.nextInt(8) : 1);
      }
      for (int i = 0; i < REQUESTS; i++) {
        int found = Arrays.binarySearch(below, random.nextDouble() * sum);
        requests[i] = Math.min(OBJECTS - 1, found < 0 ? -found - 1 : found);
      }
    }

    double ratio(long bytes) {
      Map<Integer, Boolean> held = new LinkedHashMap<>(16, 0.75f, true);
      long used = 0;
      long hit = 0;
      long all = 0;
      for (int i = 0; i < REQUESTS; i++) {
        int object = requests[i];
        long weight = isByBytes ? sizes[object] : 1;
        boolean isHit = held.get(object) != null;
        if (i >= REQUESTS / 4) {
          all += weight;
          hit += isHit ? weight : 0;
        }
        if (!isHit && sizes[object] <= bytes) {
          held.put(object, true);
          used += sizes[object];
          while (used > bytes) {
            int oldest = held.keySet().iterator().next();
            held.remove(oldest);
            used -= sizes[oldest];
          }
        }
      }
      return (double) hit / all;
    }
  }

  private static StoreSizeSearch run(StoreSizeSearch search, LongToDoubleFunction store) {
    while (search.state() == State.SEARCHING) {
      search.measured(store.applyAsDouble(search.size()), StoreSizeSearch.TOLERANCE);
    }
    return search;
  }

  @ParameterizedTest
  @CsvSource({
    "0.5, true, false",
    "0.8, true, false",
    "0.9, true, false",
    "0.3, false, false",
    "0.8, false, false",
    "0.8, true, true",
    "0.85, false, true"
  })
  void findsTheSizeThatGivesARatioWithinHalfAPoint(
      double wanted, boolean isZipf, boolean isByBytes) {
    SimulatedStore store = new SimulatedStore(isZipf, isByBytes);
    StoreSizeSearch search = run(search(wanted, 16 * MEBIBYTE, 16_384 * MEBIBYTE), store::ratio);
    assertEquals(State.FOUND, search.state(), () -> "after " + search.steps());
    assertEquals(wanted, store.ratio(search.size()), StoreSizeSearch.TOLERANCE);
    assertTrue(search.steps() <= 10, () -> "steps: " + search.steps());
  }

  /** That begins in proportion to the wanted ratio. */
  private static StoreSizeSearch search(double wanted, long smallest, long largest) {
    return new StoreSizeSearch(wanted, smallest, largest, Math.round(wanted * largest));
  }

  @Test
  void aGoodGuessIsOneStep() {
    SimulatedStore store = new SimulatedStore(false, false);
    long guess = run(search(0.8, MEBIBYTE, 4096 * MEBIBYTE), store::ratio).size();
    StoreSizeSearch search =
        run(new StoreSizeSearch(0.8, MEBIBYTE, 4096 * MEBIBYTE, guess), store::ratio);
    assertEquals(State.FOUND, search.state());
    assertEquals(1, search.steps());
  }

  @Test
  void saysThatTheLargestStoreHasTooFewHits() {
    SimulatedStore store = new SimulatedStore(false, false);
    StoreSizeSearch search = run(search(0.9, MEBIBYTE, 500 * MEBIBYTE), store::ratio);
    assertEquals(State.TOO_FEW_HITS, search.state());
    assertEquals(500 * MEBIBYTE, search.size());
    assertEquals(store.ratio(500 * MEBIBYTE), search.bestRatio());
  }

  @Test
  void saysThatTheSmallestStoreHasTooManyHits() {
    SimulatedStore store = new SimulatedStore(true, false);
    StoreSizeSearch search = run(search(0.2, 1_000 * MEBIBYTE, 4096 * MEBIBYTE), store::ratio);
    assertEquals(State.TOO_MANY_HITS, search.state());
    assertEquals(1_000 * MEBIBYTE, search.size());
  }

  @Test
  void endsWithTheBestSizeWhereRatiosJump() {
    StoreSizeSearch search =
        run(search(0.8, MEBIBYTE, 4096 * MEBIBYTE), bytes -> bytes < 1_000 * MEBIBYTE ? 0.7 : 0.95);
    assertEquals(State.EXHAUSTED, search.state());
    assertTrue(search.steps() <= StoreSizeSearch.MAX_STEPS);
    assertEquals(0.7, search.bestRatio());
    assertTrue(search.size() < 1_000 * MEBIBYTE);
  }

  @Test
  void refusesWhatIsNoRatio() {
    StoreSizeSearch search = search(0.8, MEBIBYTE, 4096 * MEBIBYTE);
    assertThrows(IllegalArgumentException.class, () -> search.measured(Double.NaN, 0.1));
    assertThrows(IllegalArgumentException.class, () -> search.measured(1.01, 0.1));
    assertThrows(IllegalArgumentException.class, () -> search(1, 1, 2));
    assertThrows(IllegalArgumentException.class, () -> search(0.5, 2, 1));
  }
}
