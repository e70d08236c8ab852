package io.forebay.storage.disk;

import io.forebay.storage.layout.DirectoryPage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which regions an earlier life of the store left on a device, and what must be there of
 * each. It goes from the youngest region to the one that was opened before it, and so on: each page
 * names two of them, so a region of which page 0 is damaged is found as well. Regions that no
 * younger one leads to hold nothing: what would kill their records may be what is missing.
 */
final class DeviceScan {
  private final DeviceDirectory directory;
  private final int regionBytes;
  private final @Nullable Head[] heads;

  /** What a page says of its region, and of those before it. */
  private record Head(int generation, long age, WrittenExtent before, WrittenExtent beforeThat) {
    static Head of(ByteBuffer page) {
      return new Head(
          page.getInt(DirectoryPage.GENERATION_OFFSET),
          page.getLong(DirectoryPage.AGE_OFFSET),
          WrittenExtent.read(page, DirectoryPage.BEFORE_OFFSET),
          WrittenExtent.read(page, DirectoryPage.BEFORE_OFFSET + DirectoryPage.REACH_LENGTH));
    }

    boolean isOf(WrittenExtent reach) {
      return generation == reach.generation() && age == reach.age();
    }
  }

  DeviceScan(DeviceDirectory directory, int regionCount, int regionBytes) {
    this.directory = directory;
    this.regionBytes = regionBytes;
    this.heads = new Head[regionCount];
  }

  /**
   * Reads the first page of each of some regions. Several threads may do this, for different
   * regions; what they found is seen by who learns from them that they are done.
   *
   * @param by the directories as this thread reads them
   */
  void read(int from, int to, DeviceDirectory by) throws IOException {
    for (int region = from; region < to; region++) {
      ByteBuffer first = by.page(region, 0);
      heads[region] = first == null ? null : Head.of(first);
    }
  }

  /**
   * The regions that count, the youngest first, once the first page of each has been read.
   *
   * @param written what the device's header says was written and forced last
   */
  List<WrittenExtent> regions(RecentRegions written) throws IOException {
    List<WrittenExtent> found = new ArrayList<>();
    WrittenExtent next = youngest(written.last());
    WrittenExtent afterNext = next.equals(written.last()) ? written.before() : WrittenExtent.NONE;
    long limit = Long.MAX_VALUE;
    while (isPossible(next, limit)) {
      Head head = heads[next.region()];
      if (head != null && !head.isOf(next)) {
        // It has been written over since; and so has all that is older.
        break;
      }
      if (head == null) {
        head = laterHead(next);
      }
      found.add(next);
      limit = next.age();
      next = head == null ? afterNext : head.before();
      afterNext = head == null ? WrittenExtent.NONE : head.beforeThat();
    }
    return found;
  }

  private boolean isPossible(WrittenExtent one, long limit) {
    return one.region() >= 0
        && one.region() < heads.length
        && one.age() < limit
        && one.pages() >= 0
        && one.pages() <= regionBytes / DirectoryPage.LENGTH;
  }

  /** What was opened after the header was written has no pages that must be there. */
  private WrittenExtent youngest(WrittenExtent written) {
    WrittenExtent youngest = written;
    for (int region = 0; region < heads.length; region++) {
      Head head = heads[region];
      if (head != null && head.age() > youngest.age()) {
        youngest = new WrittenExtent(region, head.generation(), head.age(), 0, 0);
      }
    }
    return youngest;
  }

  /** What another page says of a region that has lost the first one. */
  private @Nullable Head laterHead(WrittenExtent extent) throws IOException {
    for (int number = 1; number < extent.pages(); number++) {
      ByteBuffer page = directory.page(extent.region(), number);
      Head head = page == null ? null : Head.of(page);
      if (head != null && head.isOf(extent)) {
        return head;
      }
    }
    return null;
  }
}
