package io.forebay.server.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class RequestIdsTest {
  @Test
  void theHashOfAnIdNeedsNoText() {
    RequestIds ids = new RequestIds(1_772_600_767_089L, 3);
    for (long number : new long[] {1, 9, 15, 16, 255, 256, 4097, 1L << 40, Long.MAX_VALUE}) {
      assertEquals(RequestIds.hash(ids.text(number)), ids.hash(number));
    }
    String next = ids.next();
    assertEquals(RequestIds.hash(next), ids.hash(1));
  }

  @Test
  void idsThatFollowEachOtherAreSpread() {
    RequestIds ids = new RequestIds(1, 0);
    int[] buckets = new int[100];
    for (long number = 1; number <= 100_000; number++) {
      buckets[(int) ((ids.hash(number) >>> 1) % 100)]++;
    }
    for (int count : buckets) {
      assertTrue(count > 800 && count < 1200, count + " of 1000");
    }
  }
}
