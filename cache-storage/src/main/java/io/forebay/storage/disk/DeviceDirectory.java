package io.forebay.storage.disk;

import io.forebay.storage.layout.DeviceHeader;
import io.forebay.storage.layout.DirectoryPage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/** Reads the directories of one device's regions. The writer's; pages and entries are reused. */
final class DeviceDirectory {
  /** After so many pages that are not whole the rest of a directory is taken for empty. */
  static final int TORN_PAGES = 4;

  private final BlockFile file;
  private final DeviceHead head;
  private final int regionBytes;
  private final PageEntry entry = new PageEntry();
  private final ByteBuffer page =
      ByteBuffer.allocateDirect(DirectoryPage.LENGTH).order(ByteOrder.LITTLE_ENDIAN);

  DeviceDirectory(BlockFile file, DeviceHead head, int regionBytes) {
    this.file = file;
    this.head = head;
    this.regionBytes = regionBytes;
  }

  /** Where a region begins. */
  static long base(int region, int regionBytes) {
    return DeviceHeader.LENGTH + (long) region * regionBytes;
  }

  /** What a region holds, in the order in which it was written. */
  void forEach(int region, int generation, Pages.Visitor visitor) throws IOException {
    int torn = 0;
    int most = regionBytes / DirectoryPage.LENGTH;
    for (int number = 0; number < most && torn < TORN_PAGES; number++) {
      ByteBuffer next = page(region, number);
      if (next == null || next.getInt(DirectoryPage.GENERATION_OFFSET) != generation) {
        torn++;
        continue;
      }
      torn = 0;
      Pages.forEach(next, entry, visitor);
    }
  }

  /** What a page holds that was just read. */
  void forEach(ByteBuffer read, Pages.Visitor visitor) {
    Pages.forEach(read, entry, visitor);
  }

  /** A page if it is whole, until the next one is read. */
  @Nullable ByteBuffer page(int region, int number) throws IOException {
    long end = base(region, regionBytes) + regionBytes;
    file.read(page.clear(), end - (number + 1L) * DirectoryPage.LENGTH);
    page.clear();
    return Pages.isWhole(page, head.device(), number) ? page : null;
  }
}
