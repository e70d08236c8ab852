package io.forebay.storage.transit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Buffers are bounded in bytes, come back with their last holder, and are used again. */
final class TransitPoolTest {
  private static final int KIBI = 1 << 10;
  private static final int MEBI = 1 << 20;
  private static final int LONGEST = 2 * MEBI;

  private static TransitPool pool(long limitBytes) {
    return new TransitPool("d0", limitBytes, LONGEST);
  }

  private static TransitBuffer take(TransitPool pool, int length) {
    return Objects.requireNonNull(pool.take(length));
  }

  private static List<TransitBuffer> takeAll(TransitPool pool, int length) {
    List<TransitBuffer> all = new ArrayList<>();
    TransitBuffer one;
    while ((one = pool.take(length)) != null) {
      all.add(one);
    }
    return all;
  }

  @Test
  void givesOutNoMoreBytesThanItMay() {
    TransitPool pool = pool(11L * MEBI);
    List<TransitBuffer> all = takeAll(pool, MEBI + 64);
    // Seven of nine units of 128 KiB in 8 MiB, and two in the three that are left.
    assertEquals(9, all.size());
    assertEquals(9L * 9 * 128 * KIBI, pool.usedBytes());
    assertEquals(11L * MEBI, pool.allocatedBytes());
    assertEquals(1, pool.exhausted());
    all.getFirst().release();
    assertNotNull(pool.take(MEBI));
    assertEquals(11L * MEBI, pool.allocatedBytes());
  }

  @Test
  void wholeMebibytesCount() {
    assertEquals(2L * MEBI, pool(3L * MEBI - 1).limitBytes());
    assertNull(pool(MEBI - 1).take(1));
    assertNotNull(pool(MEBI).take(1));
  }

  @Test
  void eachLengthTakesWhatItNeeds() {
    TransitPool pool = pool(8L * MEBI);
    assertEquals(8 * 3, takeAll(pool, 300 * KIBI).size());
    pool = pool(8L * MEBI);
    assertEquals(8 * 32, takeAll(pool, 16 * KIBI).size());
    pool = pool(8L * MEBI);
    assertEquals(8 * 12, takeAll(pool, 64 * KIBI).size());
    assertEquals(8L * 60 * 16 * KIBI, pool.usedBytes());
    pool = pool(8L * MEBI);
    assertEquals(3, takeAll(pool, LONGEST).size());
  }

  @Test
  void whatIsFreeServesAnyLength() {
    TransitPool pool = pool(8L * MEBI);
    for (int length : new int[] {16 * KIBI, MEBI, 100 * KIBI, LONGEST, 64 * KIBI, MEBI}) {
      List<TransitBuffer> all = takeAll(pool, length);
      assertTrue(pool.usedBytes() > 5L * MEBI, all.size() + " of " + length);
      all.forEach(TransitBuffer::release);
      assertEquals(0, pool.usedBytes());
    }
  }

  @Test
  void whatCameBackIsGivenOutAgain() {
    TransitPool pool = pool(64L * MEBI);
    take(pool, MEBI).release();
    TransitBuffer held = take(pool, 100);
    int first = held.recordOffset();
    held.release();
    for (int n = 0; n < 1000; n++) {
      TransitBuffer one = take(pool, 100);
      assertEquals(first, one.recordOffset());
      one.release();
    }
    assertEquals(8L * MEBI, pool.allocatedBytes());
  }

  @Test
  void aLoopAllocatesNothing() {
    TransitPool pool = pool(16L * MEBI);
    assertNull(pool.takeAllocated(100));
    assertEquals(0, pool.allocatedBytes());
    take(pool, 100).release();
    assertNotNull(pool.takeAllocated(100));
    while (pool.takeAllocated(MEBI) != null) {
      assertTrue(pool.usedBytes() <= 8L * MEBI);
    }
    assertEquals(8L * MEBI, pool.allocatedBytes());
    assertNotNull(pool.take(MEBI));
    assertEquals(0, pool.exhausted());
  }

  @Test
  void aBufferHasRoomForTheBlocksAroundItsRecord() {
    TransitPool pool = pool(8L * MEBI);
    for (int length : new int[] {1, 12 * KIBI, 12 * KIBI + 1, 330 * KIBI, MEBI, LONGEST}) {
      TransitBuffer buffer = take(pool, length);
      ByteBuffer room = buffer.room();
      assertTrue(room.capacity() >= (length + 4095 + 4095) / 4096 * 4096, length + " bytes");
      assertEquals(0, (buffer.address() + buffer.recordOffset()) % 4096);
      buffer.startsAt(4095);
      buffer.memory().set(ValueLayout.JAVA_BYTE, length - 1, (byte) 7);
      assertEquals(7, room.get(4095 + length - 1));
      assertEquals(length, buffer.memory().byteSize());
      assertThrows(
          IndexOutOfBoundsException.class, () -> buffer.startsAt(room.capacity() - length + 1));
      buffer.release();
    }
  }

  @Test
  void aBufferComesBackWithItsLastHolder() {
    TransitPool pool = pool(MEBI);
    List<TransitBuffer> all = takeAll(pool, 100);
    assertEquals(64, all.size());
    TransitBuffer buffer = all.getFirst();
    buffer.retain();
    buffer.release();
    assertNull(pool.take(100));
    buffer.release();
    assertEquals(200, take(pool, 200).length());
  }

  @Test
  void whoHoldsNothingCanNeitherReleaseNorRetain() {
    TransitBuffer buffer = take(pool(MEBI), 100);
    buffer.release();
    assertThrows(IllegalStateException.class, buffer::release);
    assertThrows(IllegalStateException.class, buffer::retain);
  }

  @Test
  void withoutBytesItHasNoBuffers() {
    assertNull(pool(0).take(1));
  }

  @Test
  void whatIsLongerThanTheLongestRecordHasNoBuffer() {
    TransitPool pool = new TransitPool("d0", 8L * MEBI, MEBI);
    assertNull(pool.take(MEBI + 1));
    assertEquals(0, pool.allocatedBytes());
  }

  @Test
  void whatIsNotNeededIsGivenBack() {
    TransitPool pool = pool(64L * MEBI);
    TransitBuffer held = take(pool, MEBI);
    takeAll(pool, MEBI).forEach(TransitBuffer::release);
    assertEquals(64L * MEBI, pool.allocatedBytes());
    assertTrue(pool.hugeBytes() <= 64L * MEBI);
    pool.trimIdle(100_000);
    assertEquals(64L * MEBI, pool.allocatedBytes());
    take(pool, 100).release();
    pool.trimIdle(110_000);
    assertEquals(64L * MEBI, pool.allocatedBytes());
    pool.trimIdle(200_000);
    assertEquals(8L * MEBI, pool.allocatedBytes());
    // Held for so long, and by then by nobody.
    pool.trimIdle(300_000);
    assertEquals(8L * MEBI, pool.allocatedBytes());
    held.release();
    pool.trimIdle(400_000);
    assertEquals(0, pool.allocatedBytes());
    assertEquals(0, pool.hugeBytes());
    assertNotNull(pool.take(MEBI));
  }

  @Test
  void trimFreesAllThatNobodyHolds() {
    TransitPool pool = pool(16L * MEBI);
    List<TransitBuffer> all = takeAll(pool, MEBI);
    all.removeFirst().release();
    pool.trim();
    assertEquals(16L * MEBI, pool.allocatedBytes());
    all.forEach(TransitBuffer::release);
    pool.trim();
    assertEquals(0, pool.allocatedBytes());
  }

  /** While slabs come and go, nobody has a byte of somebody else's. */
  @Test
  void threadsNeverShareABuffer() throws Exception {
    TransitPool pool = pool(11L * MEBI);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int n = 0; n < 4; n++) {
      byte mark = (byte) (n + 1);
      threads.add(
          Thread.ofPlatform()
              .uncaughtExceptionHandler((thread, thrown) -> failure.set(thrown))
              .start(() -> useOften(pool, mark)));
    }
    for (int n = 0; threads.stream().anyMatch(Thread::isAlive); n++) {
      pool.trim();
      pool.trimIdle(n * 100_000L);
      Thread.onSpinWait();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertNull(failure.get());
    assertEquals(0, pool.usedBytes());
    assertFalse(pool.allocatedBytes() > 11L * MEBI);
    pool.trim();
    assertEquals(0, pool.allocatedBytes());
  }

  private static void useOften(TransitPool pool, byte mark) {
    SplittableRandom random = new SplittableRandom(mark);
    int[] lengths = {1, 16 * KIBI, 100 * KIBI, 330 * KIBI, MEBI, LONGEST};
    List<TransitBuffer> held = new ArrayList<>();
    for (int round = 0; round < 5_000; round++) {
      int length = lengths[random.nextInt(lengths.length)];
      TransitBuffer taken = random.nextBoolean() ? pool.take(length) : pool.takeAllocated(length);
      if (taken != null) {
        mark(taken, mark);
        held.add(taken);
      }
      while (held.size() > random.nextInt(4)) {
        TransitBuffer buffer = held.remove(random.nextInt(held.size()));
        buffer.retain();
        buffer.release();
        assertMarked(buffer, mark);
        buffer.release();
      }
    }
    held.forEach(TransitBuffer::release);
  }

  private static void mark(TransitBuffer buffer, byte mark) {
    ByteBuffer room = buffer.room();
    for (int at = 0; at < room.capacity(); at += 4096) {
      room.put(at, mark);
    }
    room.put(room.capacity() - 1, mark);
  }

  private static void assertMarked(TransitBuffer buffer, byte mark) {
    ByteBuffer room = buffer.room();
    for (int at = 0; at < room.capacity(); at += 4096) {
      assertEquals(mark, room.get(at));
    }
    assertEquals(mark, room.get(room.capacity() - 1));
  }

  @Test
  void aPartHoldsTheBufferItIsOf() {
    TransitPool pool = pool(MEBI);
    TransitBuffer whole = take(pool, 300);
    whole.startsAt(64);
    whole.memory().set(ValueLayout.JAVA_BYTE, 100, (byte) 7);
    TransitBuffer part = whole.part(100, 50);
    whole.release();
    assertEquals(50, part.memory().byteSize());
    assertEquals(7, part.memory().get(ValueLayout.JAVA_BYTE, 0));
    assertEquals(16L * KIBI, pool.usedBytes());
    part.retain();
    part.release();
    assertEquals(16L * KIBI, pool.usedBytes());
    part.release();
    assertEquals(0, pool.usedBytes());
    assertThrows(IllegalStateException.class, part::retain);
  }
}
