package io.forebay.storage.transit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Buffers are bounded in bytes, come back with their last holder, and are used again. */
final class TransitPoolTest {
  private static final int STEP = 16 << 10;

  private static TransitBuffer take(TransitPool pool, int length) {
    return Objects.requireNonNull(pool.take(length));
  }

  @Test
  void givesOutNoMoreBytesThanItMay() {
    TransitPool pool = new TransitPool(3L * STEP, 2 << 20);
    TransitBuffer one = take(pool, 2 * STEP);
    TransitBuffer two = take(pool, 1);
    assertEquals(3L * STEP, pool.usedBytes());
    assertNull(pool.take(1));
    assertEquals(1, pool.exhausted());
    two.release();
    assertNotNull(pool.take(STEP));
    one.release();
    assertEquals(STEP, pool.usedBytes());
    assertEquals(3L * STEP, pool.allocatedBytes());
  }

  @Test
  void aFreeBufferOfAnotherSizeMakesRoom() {
    TransitPool pool = new TransitPool(2L * STEP, 2 << 20);
    take(pool, STEP).release();
    TransitBuffer larger = take(pool, 2 * STEP);
    assertEquals(2L * STEP, pool.allocatedBytes());
    larger.release();
    pool.trim();
    assertEquals(0, pool.allocatedBytes());
  }

  @Test
  void aMuchLargerBufferIsFreedForSmallOnes() {
    TransitPool pool = new TransitPool(64L * STEP, 2 << 20);
    take(pool, 64 * STEP).release();
    for (int n = 0; n < 16; n++) {
      take(pool, 4 * STEP);
    }
    assertEquals(64L * STEP, pool.usedBytes());
    assertEquals(0, pool.exhausted());
  }

  @Test
  void aLargerBufferServesBeforeOneIsFreedForAnother() {
    TransitPool pool = new TransitPool(2L * STEP, 2 << 20);
    TransitBuffer larger = take(pool, 2 * STEP);
    larger.release();
    assertSame(larger, pool.take(100));
    assertEquals(100, larger.memory().byteSize());
    assertEquals(2L * STEP, pool.usedBytes());
  }

  @Test
  void aSliceWithItsHeaderTakesTheSizeOfTheSlice() {
    TransitPool pool = new TransitPool(STEP, 2 << 20);
    TransitBuffer buffer = take(pool, STEP + 4096);
    assertEquals(STEP, pool.usedBytes());
    assertEquals(STEP + 4096, buffer.memory().byteSize());
  }

  @Test
  void aBufferComesBackWithItsLastHolder() {
    TransitPool pool = new TransitPool(STEP, STEP);
    TransitBuffer buffer = take(pool, 100);
    buffer.retain();
    buffer.release();
    assertNull(pool.take(100));
    buffer.release();
    assertSame(buffer, pool.take(200));
    assertEquals(200, buffer.length());
  }

  @Test
  void whoHoldsNothingCanNeitherReleaseNorRetain() {
    TransitPool pool = new TransitPool(STEP, STEP);
    TransitBuffer buffer = take(pool, 100);
    buffer.release();
    assertThrows(IllegalStateException.class, buffer::release);
    assertThrows(IllegalStateException.class, buffer::retain);
  }

  @Test
  void withoutBytesItHasNoBuffers() {
    TransitPool pool = new TransitPool(0, 2 << 20);
    assertNull(pool.take(1));
  }

  @Test
  void whatIsLongerThanTheLongestRecordHasNoBuffer() {
    assertNull(new TransitPool(1 << 20, STEP).take(2 * STEP));
  }

  @Test
  void threadsNeverShareABuffer() throws Exception {
    TransitPool pool = new TransitPool(4L * STEP, 2 * STEP);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int n = 0; n < 4; n++) {
      byte mark = (byte) (n + 1);
      threads.add(
          Thread.ofPlatform()
              .uncaughtExceptionHandler((thread, thrown) -> failure.set(thrown))
              .start(() -> useOften(pool, mark)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertNull(failure.get());
    assertEquals(0, pool.usedBytes());
    assertFalse(pool.allocatedBytes() > 4L * STEP);
  }

  private static void useOften(TransitPool pool, byte mark) {
    for (int round = 0; round < 20_000; round++) {
      TransitBuffer buffer = pool.take(round % 2 == 0 ? 1 : 2 * STEP);
      if (buffer != null) {
        buffer.bytes().put(0, mark);
        buffer.retain();
        buffer.release();
        assertEquals(mark, buffer.bytes().get(0));
        buffer.release();
      }
    }
  }

  @Test
  void aPartHoldsTheBufferItIsOf() {
    TransitPool pool = new TransitPool(4L * STEP, 2 * STEP);
    TransitBuffer whole = Objects.requireNonNull(pool.take(300));
    whole.startsAt(64);
    whole.memory().set(ValueLayout.JAVA_BYTE, 100, (byte) 7);
    TransitBuffer part = whole.part(100, 50);
    whole.release();
    assertEquals(50, part.memory().byteSize());
    assertEquals(7, part.memory().get(ValueLayout.JAVA_BYTE, 0));
    assertEquals(STEP, pool.usedBytes());
    part.retain();
    part.release();
    assertEquals(STEP, pool.usedBytes());
    part.release();
    assertEquals(0, pool.usedBytes());
    assertThrows(IllegalStateException.class, part::retain);
  }
}
