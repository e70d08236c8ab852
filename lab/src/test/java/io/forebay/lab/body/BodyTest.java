package io.forebay.lab.body;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BodyTest {
  private static final long TABLE = 4_194_301;

  /** Windows of random length, one after the other, as a response is sent. */
  private static byte[] streamed(Body body, long offset, int length, SplittableRandom random) {
    byte[] bytes = new byte[length];
    for (int at = 0; at < length; ) {
      int max = Math.min(length - at, 1 + random.nextInt(100_000));
      ByteBuf window = body.window(offset + at, max);
      int count = window.readableBytes();
      assertTrue(count >= 1 && count <= max, "a window of " + count + ", at most " + max);
      window.readBytes(bytes, at, count);
      window.release();
      at += count;
    }
    return bytes;
  }

  @Test
  void singleBytesAreThoseOfTheStream() {
    Body body = Body.of(7, "/o/9MB/a");
    long[] offsets = {0, 5, 15, 16, 17, TABLE - 20_000, 3 * TABLE - 10, 900_000_000_000L};
    for (long offset : offsets) {
      byte[] bytes = streamed(body, offset, 40_000, new SplittableRandom(offset));
      for (int i = 0; i < bytes.length; i++) {
        assertEquals(bytes[i], body.at(offset + i), "at " + (offset + i));
      }
    }
  }

  @Test
  void aStreamThatPassesTheEndOfTheTableGoesOnAtItsFront() {
    Body body = Body.of(1, "/o/9MB/b");
    byte[] bytes = streamed(body, 0, (int) TABLE + 1000, new SplittableRandom(3));
    for (int i = 16; i < 1000; i++) {
      assertEquals(bytes[i], bytes[i + (int) TABLE]);
    }
  }

  @Test
  void theSameBytesMatchWhereverTheyAreCut() {
    Body body = Body.of(1, "/o/5MB/c");
    byte[] bytes = streamed(body, 0, 5_000_000, new SplittableRandom(4));
    assertTrue(body.matches(Unpooled.wrappedBuffer(bytes), 0));
    assertTrue(body.matches(Unpooled.wrappedBuffer(bytes, 3, 100), 3));
    assertTrue(body.matches(Unpooled.wrappedBuffer(bytes, 4_000_000, 900_000), 4_000_000));
    assertTrue(body.matches(Unpooled.EMPTY_BUFFER, 12));
    assertFalse(body.matches(Unpooled.wrappedBuffer(bytes, 3, 100), 4));
  }

  @Test
  void oneWrongByteIsFoundWhereverItIs() {
    Body body = Body.of(1, "/o/100KB/d");
    byte[] bytes = streamed(body, 0, 100_000, new SplittableRandom(5));
    for (int at : new int[] {0, 15, 16, 17, 50_001, 99_999}) {
      bytes[at] ^= 1;
      assertFalse(body.matches(Unpooled.wrappedBuffer(bytes), 0), "wrong at " + at);
      bytes[at] ^= 1;
    }
    assertTrue(body.matches(Unpooled.wrappedBuffer(bytes), 0));
  }

  @Test
  void pathsAndSeedsDifferInTheFirstBytes() {
    Set<String> beginnings = new HashSet<>();
    int count = 0;
    for (int seed = 0; seed < 4; seed++) {
      for (int number = 0; number < 2_000; number++) {
        beginnings.add(Body.of(seed, "/o/1KB/" + number).tag());
        count++;
      }
    }
    assertEquals(count, beginnings.size());
    assertEquals(Body.of(3, "/o/1KB/1").tag(), Body.of(3, "/o/1KB/1").tag());
  }

  /** What a cache would send that confused two slices. */
  @Test
  void slicesOfOneBodyAndOfTwoPathsDiffer() {
    Body body = Body.of(1, "/o/50MB/e");
    Body other = Body.of(1, "/o/50MB/f");
    for (int mebibytes = 1; mebibytes <= 48; mebibytes++) {
      long at = (long) mebibytes << 20;
      ByteBuf slice = Unpooled.wrappedBuffer(streamed(body, at, 64, new SplittableRandom(1)));
      assertTrue(body.matches(slice, at));
      assertFalse(body.matches(slice, at - (1 << 20)), "like the slice before it: " + at);
      assertFalse(other.matches(slice, at));
    }
  }
}
