package io.forebay.storage.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.layout.DirectoryPage;
import io.forebay.storage.layout.RecordHeader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Heads that wait for their slices leave in their order, and with what the index needs. */
class DeferredHeadsTest {
  private final List<String> gone = new ArrayList<>();

  private static PageEntry entry(int n, int words, byte kind, int recordLength, long total) {
    ByteBuffer page = ByteBuffer.allocate(DirectoryPage.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    page.put(DirectoryPage.KIND, kind);
    page.putShort(DirectoryPage.WORDS, (short) words);
    page.putInt(DirectoryPage.RECORD_LENGTH, recordLength);
    page.putLong(DirectoryPage.KEY_HIGH, n);
    page.putLong(DirectoryPage.KEY_LOW, ~n);
    page.putLong(DirectoryPage.BIRTH, n * 7L);
    page.putLong(DirectoryPage.OBJECT, n * 11L);
    page.putInt(DirectoryPage.OFFSET, n * 64);
    page.putInt(DirectoryPage.EXPIRES, n);
    page.putInt(DirectoryPage.TOTAL, DirectoryPage.total(total));
    for (int word = 0; word < words; word++) {
      page.putLong(DirectoryPage.ENTRY_LENGTH + word * Long.BYTES, n * 100L + word);
    }
    PageEntry entry = new PageEntry();
    entry.wrap(page, 0);
    return entry;
  }

  private static PageEntry head(int n, int words) {
    return entry(n, words, RecordHeader.KIND_OBJECT, 500, 1 << 20);
  }

  private static String told(int n, int words) {
    return n
        + " "
        + ~n
        + " "
        + n * 7
        + " "
        + n * 11
        + " "
        + n * 64
        + " "
        + n
        + " 500 "
        + (words > 0 ? n * 100 : 0)
        + " "
        + (words > 1 ? n * 100 + 1 : 0)
        + " in "
        + n * 2
        + "/"
        + n * 3;
  }

  private void note(PageEntry one, int region, int generation) {
    gone.add(
        one.keyHigh()
            + " "
            + one.keyLow()
            + " "
            + one.birth()
            + " "
            + one.objectId()
            + " "
            + one.offset()
            + " "
            + one.expiresSeconds()
            + " "
            + one.recordLength()
            + " "
            + one.word(0)
            + " "
            + one.word(1)
            + " in "
            + region
            + "/"
            + generation);
  }

  @Test
  void theOneThatHasWaitedLongestLeavesWhenThereIsNoRoom() {
    DeferredHeads heads = new DeferredHeads(3, this::note);
    List<String> expected = new ArrayList<>();
    for (int n = 1; n <= 10; n++) {
      int words = n % 4;
      heads.add(head(n, words), n * 2, n * 3);
      expected.add(told(n, words));
      assertEquals(expected.subList(0, Math.max(0, n - 3)), gone);
    }
    heads.flush();
    assertEquals(expected, gone);
    heads.add(head(11, 2), 22, 33);
    heads.flush();
    assertEquals(told(11, 2), gone.getLast());
  }

  @Test
  void onlyHeadsOfBodiesThatLieElsewhereWait() {
    assertTrue(DeferredHeads.hasSlices(head(1, 2)));
    assertFalse(DeferredHeads.hasSlices(entry(1, 2, RecordHeader.KIND_OBJECT, 5_000, 4_000)));
    assertFalse(DeferredHeads.hasSlices(entry(1, 2, RecordHeader.KIND_MARKER, 500, 1 << 20)));
    assertFalse(DeferredHeads.hasSlices(entry(1, 0, RecordHeader.KIND_SLICE, 500, 1 << 20)));
  }
}
