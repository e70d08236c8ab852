package io.forebay.storage.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

final class KeptRegionsTest {

  @Test
  void aQuarterOfTheRegionsMayBeKeptHoweverOftenEach() {
    KeptRegions kept = new KeptRegions(16);
    assertEquals(4, kept.limit());
    for (int region = 0; region < 4; region++) {
      assertFalse(kept.isFull());
      assertTrue(kept.keep(region));
    }
    assertTrue(kept.isFull());
    assertFalse(kept.keep(4));
    assertTrue(kept.keep(3));
    kept.release(3);
    assertTrue(kept.isKept(3));
    assertFalse(kept.keep(4));
    kept.release(3);
    assertFalse(kept.isKept(3));
    assertTrue(kept.keep(4));
  }

  @Test
  void theBoundFollowsWhatIsInUse() {
    KeptRegions kept = new KeptRegions(16);
    for (int region = 0; region < 4; region++) {
      assertTrue(kept.keep(region));
    }
    kept.limitFor(8);
    assertEquals(2, kept.limit());
    assertEquals(4, kept.regions(), "what is kept stays so");
    assertTrue(kept.isFull());
    kept.release(0);
    kept.release(1);
    assertFalse(kept.keep(5));
    kept.limitFor(16);
    assertTrue(kept.keep(5));
  }

  @Test
  void whatReadersDependOnCountsBeyondTheBound() {
    KeptRegions kept = new KeptRegions(8);
    assertTrue(kept.keep(0));
    assertTrue(kept.keep(1));
    kept.keepAnyway(2);
    assertEquals(3, kept.regions());
    kept.release(0);
    assertFalse(kept.keep(3));
    kept.release(1);
    assertTrue(kept.keep(3));
    assertEquals(2, kept.regions());
  }

  @Test
  void releasingTwiceIsADefect() {
    KeptRegions kept = new KeptRegions(8);
    assertTrue(kept.keep(0));
    kept.release(0);
    assertThrows(IllegalStateException.class, () -> kept.release(0));
  }

  @Test
  void manyThreadsNeverKeepMoreAndLeaveNothing() throws Exception {
    KeptRegions kept = new KeptRegions(16);
    int threads = 4;
    CountDownLatch begin = new CountDownLatch(threads);
    Thread[] all = new Thread[threads];
    boolean[] isBounded = new boolean[threads];
    for (int n = 0; n < threads; n++) {
      int me = n;
      all[n] =
          Thread.ofPlatform()
              .start(() -> {
                SplittableRandom random = new SplittableRandom(me);
                boolean isGood = true;
                begin.countDown();
                for (int i = 0; i < 200_000; i++) {
                  int region = random.nextInt(16);
                  if (kept.keep(region)) {
                    isGood &= kept.isKept(region);
                    kept.release(region);
                  }
                }
                isBounded[me] = isGood;
              });
    }
    for (Thread thread : all) {
      thread.join();
    }
    for (boolean isGood : isBounded) {
      assertTrue(isGood);
    }
    assertEquals(0, kept.regions());
    for (int region = 0; region < 16; region++) {
      assertFalse(kept.isKept(region));
    }
  }
}
