package io.forebay.server.pacing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class PaceBucketTest {
  private static final long RATE = 1_000_000;

  /** Over any time no more goes out than the rate, what was saved and one chunk. */
  @Test
  void whatIsWrittenKeepsToTheRate() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    long now = random.nextLong();
    PaceBucket bucket = new PaceBucket(RATE, now);
    long start = now;
    long written = 0;
    for (int i = 0; i < 100_000; i++) {
      long wait = bucket.waitNanos(now);
      if (wait > 0) {
        now += random.nextBoolean() ? wait : random.nextLong(wait) + 1;
      } else {
        int chunk = random.nextInt(1, 64_000);
        bucket.take(chunk, now);
        written += chunk;
        double seconds = (now - start) / 1e9;
        assertTrue(
            written <= RATE * seconds + RATE * 0.05 + 64_000 + 1, () -> "too fast, seed " + seed);
      }
    }
    double seconds = (now - start) / 1e9;
    assertTrue(written > 0.5 * RATE * seconds, () -> "too slow, seed " + seed);
  }

  @Test
  void timeWithoutWritesSavesLittle() {
    PaceBucket bucket = new PaceBucket(RATE, 0);
    long later = 3_600_000_000_000L;
    assertEquals(0, bucket.waitNanos(later));
    bucket.take(50_000, later);
    assertTrue(bucket.waitNanos(later) > 0);
  }

  @Test
  void aWaitIsLongEnough() {
    PaceBucket bucket = new PaceBucket(RATE, 0);
    bucket.take(1_050_000, 0);
    long wait = bucket.waitNanos(0);
    assertTrue(Math.abs(wait - 1_010_000_000L) <= 1_000, () -> wait + " ns");
    assertTrue(bucket.waitNanos(wait / 2) > 0);
    assertEquals(0, bucket.waitNanos(wait));
  }

  @Test
  void anotherRateHoldsFromThenOn() {
    PaceBucket bucket = new PaceBucket(RATE, 0);
    bucket.rate(10 * RATE, 0);
    bucket.take(10_050_000, 0);
    long wait = bucket.waitNanos(0);
    assertTrue(Math.abs(wait - 1_010_000_000L) <= 1_000_000, () -> wait + " ns");
  }

  @Test
  void aResponseIsPacedBehindItsBurst() {
    ResponsePace pace = new ResponsePace();
    assertFalse(pace.isPaced());
    assertEquals(Pacing.UNPACED, pace.rate());
    pace.begin(RATE, 100);
    assertEquals(Pacing.UNPACED, pace.rate());
    assertFalse(pace.onBytes(99));
    assertTrue(pace.onBytes(1));
    assertEquals(RATE, pace.rate());
    assertFalse(pace.onBytes(1), "said once");
    pace.clear();
    assertEquals(Pacing.UNPACED, pace.rate());
    pace.begin(RATE, 0);
    assertEquals(RATE, pace.rate());
  }

  @Test
  void chunksOfSlowResponsesAreShort() {
    ResponsePace pace = new ResponsePace();
    assertEquals(131072, pace.chunkBytes(131072));
    pace.begin(RATE, 0);
    assertEquals(50_000, pace.chunkBytes(131072));
    pace.begin(16384, 0);
    assertEquals(16384, pace.chunkBytes(131072));
    assertEquals(4096, pace.chunkBytes(4096));
    pace.begin(1L << 30, 0);
    assertEquals(131072, pace.chunkBytes(131072));
  }
}
