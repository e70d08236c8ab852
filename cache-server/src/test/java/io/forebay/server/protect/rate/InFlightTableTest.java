package io.forebay.server.protect.rate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.protect.rate.InFlightTable.Taken;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Counts of one thread and of many, and a table that is too small. */
final class InFlightTableTest {

  private static long key(long number) {
    return new SplittableRandom(number).nextLong();
  }

  @Test
  void asManyAsAllowedAreInProgressAndWhatIsGivenBackCanBeTakenAgain() {
    InFlightTable table = new InFlightTable(64);
    for (int i = 0; i < 3; i++) {
      assertEquals(Taken.COUNTED, table.take(key(1), 3));
    }
    assertEquals(Taken.REFUSED, table.take(key(1), 3));
    assertEquals(Taken.COUNTED, table.take(key(2), 3), "another key");
    assertEquals(Taken.COUNTED, table.take(key(1), 4), "a limit that was raised");
    table.giveBack(key(1));
    assertEquals(Taken.REFUSED, table.take(key(1), 3));
    table.giveBack(key(1));
    assertEquals(Taken.COUNTED, table.take(key(1), 3));
    assertEquals(4, table.sum());
    for (int i = 0; i < 3; i++) {
      table.giveBack(key(1));
    }
    table.giveBack(key(2));
    assertEquals(0, table.sum());
    table.giveBack(key(2));
    assertEquals(0, table.sum(), "nothing was taken");
  }

  @Test
  void aKeyWithoutRoomIsAdmittedAndRoomComesBack() {
    InFlightTable table = new InFlightTable(8);
    for (int i = 0; i < 8; i++) {
      assertEquals(Taken.COUNTED, table.take(key(i), 1));
    }
    assertEquals(Taken.NO_ROOM, table.take(key(8), 1));
    assertEquals(8, table.sum());
    table.giveBack(key(3));
    assertEquals(Taken.COUNTED, table.take(key(8), 1));
    assertEquals(Taken.REFUSED, table.take(key(8), 1));
  }

  @Test
  void keysOfOneSetAreToldApartByTheirOtherBits() {
    InFlightTable table = new InFlightTable(8);
    assertEquals(Taken.COUNTED, table.take(0, 1));
    assertEquals(Taken.COUNTED, table.take(1L << 20, 1));
    assertEquals(Taken.REFUSED, table.take(1L << 20, 1));
    table.giveBack(0);
    assertEquals(Taken.REFUSED, table.take(1L << 20, 1));
    assertEquals(1, table.sum());
  }

  @Test
  void threadsExceedALimitByLessThanTheirNumberAndLeaveNothingBehind() throws Exception {
    int threads = 4;
    int most = 3;
    InFlightTable table = new InFlightTable(8);
    AtomicInteger[] inProgress = new AtomicInteger[4];
    for (int i = 0; i < inProgress.length; i++) {
      inProgress[i] = new AtomicInteger();
    }
    AtomicInteger highest = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    CountDownLatch start = new CountDownLatch(1);
    List<Thread> all = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      SplittableRandom random = new SplittableRandom(thread);
      all.add(
          Thread.ofPlatform()
              .start(() -> {
                try {
                  start.await();
                } catch (InterruptedException e) {
                  return;
                }
                int[] own = new int[inProgress.length];
                for (int i = 0; i < 100_000; i++) {
                  int key = random.nextInt(own.length);
                  if (own[key] > 0 && random.nextBoolean()) {
                    own[key]--;
                    inProgress[key].decrementAndGet();
                    table.giveBack(key(key));
                  } else if (table.take(key(key), most) == Taken.COUNTED) {
                    own[key]++;
                    highest.accumulateAndGet(inProgress[key].incrementAndGet(), Math::max);
                  } else {
                    refused.incrementAndGet();
                  }
                }
                for (int key = 0; key < own.length; key++) {
                  for (int i = 0; i < own[key]; i++) {
                    inProgress[key].decrementAndGet();
                    table.giveBack(key(key));
                  }
                }
              }));
    }
    start.countDown();
    for (Thread one : all) {
      one.join();
    }
    assertEquals(0, table.sum());
    assertTrue(refused.get() > 0);
    assertTrue(highest.get() < most + threads, highest + " in progress");
  }
}
