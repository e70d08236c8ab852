package io.forebay.server.fill;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.fill.history.FillKey;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

final class VariantListTest {

  private static FillKey key(long number) {
    return new FillKey(-number, number);
  }

  private static VariantList of(int count, int limit) {
    VariantList list = VariantList.EMPTY;
    for (int i = 1; i <= count; i++) {
      list = list.with(key(i), limit);
    }
    return list;
  }

  private static VariantList reread(VariantList list) {
    byte[] bytes = list.bytes();
    byte[] record = new byte[bytes.length + 7];
    System.arraycopy(bytes, 0, record, 3, bytes.length);
    return VariantList.read(MemorySegment.ofArray(record), 3, bytes.length);
  }

  private static boolean isDueToMove(VariantList list, long number, int limit) {
    byte[] bytes = list.bytes();
    FillKey key = key(number);
    return VariantList.isDueToMove(
        MemorySegment.ofArray(bytes), 0, bytes.length, key.hi(), key.lo(), limit);
  }

  @Test
  void theVariantAskedForLastStandsInFrontAndTheLimitHolds() {
    VariantList list = of(5, 3);
    assertEquals(List.of(key(5), key(4), key(3)), list.keys());
    assertEquals(List.of(key(3), key(5), key(4)), list.with(key(3), 3).keys());
    assertEquals(List.of(key(9)), list.with(key(9), 1).keys());
  }

  @Test
  void whatIsWrittenIsRead() {
    assertEquals(VariantList.EMPTY, reread(VariantList.EMPTY));
    VariantList list = of(256, 256).withUnvaried();
    assertEquals(list, reread(list));
    assertTrue(reread(list).hasUnvaried());
  }

  @Test
  void nothingOrTooLittleIsAnEmptyList() {
    MemorySegment memory = MemorySegment.ofArray(of(2, 4).bytes());
    assertEquals(VariantList.EMPTY, VariantList.read(memory, 0, 0));
    assertEquals(List.of(key(2)), VariantList.read(memory, 0, 4 + 16 + 15).keys());
  }

  @Test
  void aVariantIsDueToMoveOnlyWhereTheListIsHalfFullAndItIsNearTheEnd() {
    VariantList list = of(8, 8);
    // In front stands 8, at the end 1.
    for (long number = 3; number <= 8; number++) {
      assertFalse(isDueToMove(list, number, 8), "variant " + number);
    }
    assertTrue(isDueToMove(list, 2, 8));
    assertTrue(isDueToMove(list, 1, 8));
    assertTrue(isDueToMove(list, 99, 8), "it is not in the list");
    assertFalse(isDueToMove(list, 1, 17), "there is room for as many again");
    assertFalse(isDueToMove(VariantList.EMPTY, 1, 1));
  }
}
