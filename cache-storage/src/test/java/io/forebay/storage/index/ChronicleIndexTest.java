package io.forebay.storage.index;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.index.ObjectIndex.Outcome;
import io.forebay.storage.index.ObjectIndex.Verdict;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChronicleIndexTest {
  @TempDir Path directory;

  private static Outcome put(ObjectIndex.Cursor cursor, long key, int region) {
    return cursor.update(
        key,
        ~key,
        (isPresent, value) -> {
          value.identity((byte) 1, key, key + 1);
          value.memory(region, 2, 3, 4);
          value.disk(5, 6, 7, 8, 4);
          value.touchDisk();
          value.fate(-9, 10, 11);
          return Verdict.PUT;
        });
  }

  @Test
  void keepsEveryFieldAcrossReopening() throws Exception {
    Path file = directory.resolve("index.map");
    try (ChronicleIndex index = ChronicleIndex.persisted(file, 1000)) {
      for (int n = 0; n < 500; n++) {
        assertEquals(Outcome.DONE, put(index.nonBlockingCursor(), n, n));
      }
    }
    try (ChronicleIndex index = ChronicleIndex.persisted(file, 1000)) {
      assertEquals(500, index.count());
      ObjectIndex.Cursor cursor = index.nonBlockingCursor();
      IndexValue value = new IndexValue();
      for (int n = 0; n < 500; n++) {
        assertEquals(Outcome.DONE, cursor.get(n, ~(long) n, value));
        assertTrue(value.isAt(n, 2, 3));
        assertEquals(4, value.length());
        assertEquals(5, value.diskDevice());
        assertEquals(6, value.diskRegion());
        assertEquals(7, value.diskGeneration());
        assertEquals(8, value.diskOffset());
        assertEquals(IndexValue.DISK_TOUCHED, value.flags());
        assertEquals(-9, value.expiresSeconds());
        assertEquals(10, value.scope0());
        assertEquals(11, value.scope1());
        assertEquals(n, value.birth());
        assertEquals(n + 1, value.objectId());
        assertEquals(1, value.kind());
      }
      assertEquals(Outcome.ABSENT, cursor.get(500, 0, value));
      assertEquals(Outcome.DONE, cursor.update(3, ~3L, (isPresent, there) -> Verdict.REMOVE));
      assertEquals(Outcome.ABSENT, cursor.get(3, ~3L, value));
      assertEquals(Outcome.KEPT, cursor.update(4, ~4L, (isPresent, there) -> Verdict.KEEP));
      assertEquals(499, index.count());
    }
  }

  @Test
  void refusesKeysBeyondItsBound() {
    try (ChronicleIndex index = ChronicleIndex.anonymous(100)) {
      ObjectIndex.Cursor cursor = index.nonBlockingCursor();
      for (int n = 0; n < 100; n++) {
        assertEquals(Outcome.DONE, put(cursor, n, n));
      }
      assertEquals(Outcome.FULL, put(cursor, 100, 100));
      assertEquals(Outcome.DONE, put(cursor, 50, 51));
    }
  }

  @Test
  void hastyCursorGivesUpBehindAHeldLockAndPatientOneWaits() throws Exception {
    try (ChronicleIndex index = ChronicleIndex.anonymous(100)) {
      assertEquals(Outcome.DONE, put(index.nonBlockingCursor(), 1, 1));
      CountDownLatch isInside = new CountDownLatch(1);
      CountDownLatch mayLeave = new CountDownLatch(1);
      Thread holder =
          Thread.ofPlatform()
              .start(() -> {
                Outcome outcome =
                    index
                        .blockingCursor()
                        .update(
                            1,
                            ~1L,
                            (isPresent, value) -> {
                              isInside.countDown();
                              awaitQuietly(mayLeave);
                              value.memory(9, 2, 3, 4);
                              return Verdict.PUT;
                            });
                assertEquals(Outcome.DONE, outcome);
              });
      isInside.await();
      IndexValue value = new IndexValue();
      assertEquals(Outcome.BUSY, index.nonBlockingCursor().get(1, ~1L, value));
      assertEquals(Outcome.BUSY, put(index.nonBlockingCursor(), 1, 7));
      mayLeave.countDown();
      assertEquals(Outcome.DONE, index.blockingCursor().get(1, ~1L, value));
      assertEquals(9, value.region());
      holder.join();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void usesTheValueClassThatTheBuildMade() throws Exception {
    try (ChronicleIndex index = ChronicleIndex.anonymous(10)) {
      assertEquals(0, index.count());
    }
    Class<?> made = Class.forName("net.openhft.chronicle.hash.VanillaGlobalMutableState$$Native");
    // A class compiled at run time is defined from memory and has no place it came from.
    assertNotNull(made.getProtectionDomain().getCodeSource());
    assertTrue(
        made.getProtectionDomain()
            .getCodeSource()
            .getLocation()
            .getPath()
            .contains("cache-storage"));
  }

  @Test
  void reportsToNobody() {
    try (ChronicleIndex index = ChronicleIndex.anonymous(10)) {
      assertEquals("true", System.getProperty("chronicle.analytics.disable"));
    }
    assertThrows(
        ClassNotFoundException.class,
        () -> Class.forName("net.openhft.chronicle.analytics.Analytics"));
  }

  @Test
  void nearIndexKeepsTwoOfAPairAndForgetsTheOldest() {
    NearIndex near = new NearIndex(2);
    near.put(1, 1, 10, 64, 5, 0, 7, 0);
    near.put(2, 2, 20, 128, 6, 1, 8, 0);
    int first = near.find(1, 1);
    int second = near.find(2, 2);
    assertNotEquals(first, second);
    assertEquals(10, near.region(first));
    assertEquals(64, near.offset(first));
    assertEquals(5, near.generation(first));
    assertEquals(0, near.slot(first));
    assertEquals(7, near.purgesSeen(first));
    near.put(3, 3, 30, 64, 7, 2, 9, 0);
    assertEquals(-1, near.find(1, 1));
    assertFalse(near.find(2, 2) < 0);
    near.clear(near.find(3, 3));
    assertEquals(-1, near.find(3, 3));
  }

  @Test
  void itsSizeIsForeseenNeverTooSmallAndNotMuchTooLarge() {
    for (long capacity : new long[] {16_384, 131_072, 1 << 20}) {
      try (ChronicleIndex index = ChronicleIndex.anonymous(capacity)) {
        double factor = (double) ChronicleIndex.estimatedBytes(capacity) / index.offHeapBytes();
        assertTrue(factor >= 1 && factor < 1.6, capacity + " entries: " + factor);
      }
    }
  }
}
