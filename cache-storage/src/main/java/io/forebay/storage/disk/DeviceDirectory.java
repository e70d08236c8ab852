package io.forebay.storage.disk;

import io.forebay.storage.layout.DeviceHeader;
import io.forebay.storage.layout.DirectoryPage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** Reads the directories of one device's regions. The writer's; pages and entries are reused. */
final class DeviceDirectory {
  /**
   * After so many pages in a row that are not of this life of the region the rest of its directory
   * is taken for empty.
   */
  static final int TORN_PAGES = 4;

  private final BlockFile file;
  private final DeviceHeaderPages head;
  private final int regionBytes;
  private final PageEntry entry = new PageEntry();
  private final ByteBuffer page;

  DeviceDirectory(BlockFile file, DeviceHeaderPages head, int regionBytes) {
    this(
        file,
        head,
        regionBytes,
        ByteBuffer.allocateDirect(DirectoryPage.LENGTH).order(ByteOrder.LITTLE_ENDIAN));
  }

  /**
   * @param page room for a page, little-endian
   */
  DeviceDirectory(BlockFile file, DeviceHeaderPages head, int regionBytes, ByteBuffer page) {
    this.file = file;
    this.head = head;
    this.regionBytes = regionBytes;
    this.page = page;
  }

  /** Where a region begins. */
  static long base(int region, int regionBytes) {
    return DeviceHeader.LENGTH + (long) region * regionBytes;
  }

  /**
   * What was found of a directory.
   *
   * @param pages up to the last one that is whole
   * @param tombstonePages different pages of tombstones
   * @param knownTombstonePages those of them that are among the pages that must be there
   */
  record Reading(int pages, int tombstonePages, int knownTombstonePages) {}

  /**
   * What a region holds, in the order in which it was written.
   *
   * @param known so many pages must be there, whatever is damaged
   */
  Reading forEach(int region, int generation, int known, DirectoryPages.Visitor visitor)
      throws IOException {
    int torn = 0;
    int pages = 0;
    int knownTombstonePages = 0;
    BitSet tombstonePages = new BitSet();
    int most = regionBytes / DirectoryPage.LENGTH;
    for (int number = 0; number < most && (number < known || torn < TORN_PAGES); number++) {
      ByteBuffer next = page(region, number);
      if (next == null || next.getInt(DirectoryPage.GENERATION_OFFSET) != generation) {
        torn += isDamaged(generation, number) ? 0 : 1;
        continue;
      }
      torn = 0;
      pages = number + 1;
      int tombstonePage = next.getInt(DirectoryPage.TOMBSTONE_PAGE_OFFSET);
      if (tombstonePage >= 0 && tombstonePage < most && !tombstonePages.get(tombstonePage)) {
        tombstonePages.set(tombstonePage);
        knownTombstonePages += number < known ? 1 : 0;
      }
      DirectoryPages.forEach(next, entry, visitor);
    }
    return new Reading(pages, tombstonePages.cardinality(), knownTombstonePages);
  }

  /**
   * Whether no record was written at a place: every page that must be there says so.
   *
   * @param known so many pages must be there
   */
  boolean isNowhere(int region, int generation, int known, int offset) throws IOException {
    boolean[] isThere = new boolean[1];
    for (int number = 0; number < known; number++) {
      ByteBuffer next = page(region, number);
      if (next == null || next.getInt(DirectoryPage.GENERATION_OFFSET) != generation) {
        return false;
      }
      DirectoryPages.forEach(
          next,
          entry,
          one ->
              isThere[0] |=
                  !one.isTombstone()
                      && (one.isDead() ? DirectoryPage.deadOffset(one.offset()) : one.offset())
                          == offset);
    }
    return !isThere[0];
  }

  /** What a page holds that was just read. */
  void forEach(ByteBuffer read, DirectoryPages.Visitor visitor) {
    DirectoryPages.forEach(read, entry, visitor);
  }

  /** A page if it is whole, until the next one is read. */
  @Nullable ByteBuffer page(int region, int number) throws IOException {
    file.read(page.clear(), at(region, number));
    page.clear();
    return DirectoryPages.isWhole(page, head.device(), number) ? page : null;
  }

  /** Whether the first page of a region holds nothing but zeros. */
  boolean isBlank(int region) throws IOException {
    file.read(page.clear(), at(region, 0));
    page.clear();
    while (page.hasRemaining()) {
      if (page.getLong() != 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether the page just read, which is not whole, was one of that life of its region: more may
   * follow it, whatever a power cut in the middle of a sweep has done to it and its neighbours.
   */
  boolean isDamaged(int generation, int number) {
    return DirectoryPages.isHeaderOf(page, generation, number);
  }

  /** Seals the page just read, as it was changed, and writes it where it was. */
  void rewrite(int region, int number) throws IOException {
    DirectoryPages.reseal(page, head.device());
    file.write(page, at(region, number));
  }

  private long at(int region, int number) {
    return base(region, regionBytes) + regionBytes - (number + 1L) * DirectoryPage.LENGTH;
  }
}
