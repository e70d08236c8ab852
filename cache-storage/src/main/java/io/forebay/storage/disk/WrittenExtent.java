package io.forebay.storage.disk;

import io.forebay.storage.layout.DirectoryPage;
import java.nio.ByteBuffer;

/**
 * How far a region has been written in one of its lives: what is not there of that, or can't be
 * read, is damaged.
 *
 * @param region -1 for none
 * @param pages of its directory
 * @param tombstonePages how many different pages of tombstones are among them
 */
record WrittenExtent(int region, int generation, long age, int pages, int tombstonePages) {
  static final WrittenExtent NONE = new WrittenExtent(-1, 0, 0, 0, 0);

  static WrittenExtent read(ByteBuffer from, int at) {
    return new WrittenExtent(
        from.getInt(at + DirectoryPage.REACH_REGION),
        from.getInt(at + DirectoryPage.REACH_GENERATION),
        from.getLong(at + DirectoryPage.REACH_AGE),
        from.getInt(at + DirectoryPage.REACH_PAGES),
        from.getInt(at + DirectoryPage.REACH_TOMBSTONE_PAGES));
  }

  void write(ByteBuffer into, int at) {
    into.putInt(at + DirectoryPage.REACH_REGION, region);
    into.putInt(at + DirectoryPage.REACH_GENERATION, generation);
    into.putLong(at + DirectoryPage.REACH_AGE, age);
    into.putInt(at + DirectoryPage.REACH_PAGES, pages);
    into.putInt(at + DirectoryPage.REACH_TOMBSTONE_PAGES, tombstonePages);
  }
}
