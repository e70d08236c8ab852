package io.forebay.storage.transit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Runs of units in a word. */
final class SlabBitmapTest {
  private final SlabBitmap map = new SlabBitmap(2);

  @Test
  void ofAClosedWordNothingIsTaken() {
    assertEquals(-1, map.takeFirst(0, 1));
    assertEquals(-1, map.takeLastByte(0));
  }

  @Test
  void takesTheFirstRunThatIsLongEnough() {
    map.open(1, 0b10_0100L);
    assertEquals(0, map.takeFirst(1, 2));
    assertEquals(6, map.takeFirst(1, 3));
    assertEquals(3, map.takeFirst(1, 2));
    assertEquals(9, map.takeFirst(1, 55));
    assertEquals(-1, map.takeFirst(1, 1));
    assertEquals(-1, map.takeFirst(0, 1));
  }

  @Test
  void aRunMayBeTheWholeWord() {
    map.open(0, 0);
    assertEquals(0, map.takeFirst(0, 64));
    assertEquals(0, map.giveBack(0, 0, 64));
    assertEquals(0, map.takeFirst(0, 63));
    assertEquals(63, map.takeFirst(0, 1));
    assertEquals(1L << 63, map.giveBack(0, 0, 63));
  }

  @Test
  void takesTheLastByteOfWhichNothingIsTaken() {
    map.open(0, 1L << 60 | 1L << 47);
    assertEquals(6, map.takeLastByte(0));
    assertEquals(4, map.takeLastByte(0));
    for (int n = 3; n >= 0; n--) {
      assertEquals(n, map.takeLastByte(0));
    }
    assertEquals(-1, map.takeLastByte(0));
  }

  @Test
  void isClosedOnlyWithoutARun() {
    map.open(0, 1L << 63);
    int first = map.takeFirst(0, 3);
    assertFalse(map.close(0, 1L << 63));
    assertEquals(1L << 63, map.giveBack(0, first, 3));
    assertTrue(map.close(0, 1L << 63));
    assertEquals(-1, map.takeFirst(0, 1));
  }
}
