package io.forebay.storage.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RegionPinsTest {
  @Test
  void countsEveryLaneAndRegionByItself() {
    RegionPins pins = new RegionPins(2, 3);
    pins.pin(0, 1);
    pins.pin(0, 1);
    pins.pin(1, 2);
    assertEquals(3, pins.total());
    assertTrue(pins.isUnpinned(0));
    pins.unpin(0, 1);
    assertFalse(pins.isUnpinned(1));
    pins.unpin(0, 1);
    assertTrue(pins.isUnpinned(1));
    assertThrows(IllegalStateException.class, () -> pins.unpin(0, 1));
  }

  @Test
  void readerAndReclaimerNeverMissEachOther() throws Exception {
    int readers = 2;
    RegionPins pins = new RegionPins(readers, 1);
    AtomicInteger generation = new AtomicInteger();
    AtomicBoolean isClosed = new AtomicBoolean();
    AtomicBoolean isDone = new AtomicBoolean();
    AtomicLong missed = new AtomicLong();
    AtomicLong reads = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    for (int n = 0; n < readers; n++) {
      int lane = n;
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                while (!isDone.get()) {
                  pins.pin(lane, 0);
                  if (!isClosed.get()) {
                    int before = generation.getPlain();
                    Thread.onSpinWait();
                    if (generation.getPlain() != before) {
                      missed.incrementAndGet();
                    }
                    reads.incrementAndGet();
                  }
                  pins.unpin(lane, 0);
                }
              }));
    }
    long reuses = 0;
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    // On a busy machine the readers may have the CPUs to themselves for a while.
    for (int n = 0;
        n < 300_000 || ((reuses == 0 || reads.get() == 0) && System.nanoTime() < deadline);
        n++) {
      isClosed.set(true);
      if (pins.isUnpinned(0)) {
        generation.setPlain(generation.getPlain() + 1);
        reuses++;
      }
      isClosed.set(false);
    }
    isDone.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(0, missed.get());
    assertTrue(reuses > 0 && reads.get() > 0, reuses + " reuses, " + reads + " reads");
  }
}
