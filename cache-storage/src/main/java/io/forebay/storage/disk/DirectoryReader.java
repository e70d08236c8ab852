package io.forebay.storage.disk;

import io.forebay.storage.layout.DirectoryPage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.BitSet;

/**
 * Reads the directory of a region as a whole, in reads of up to {@value #BYTES} bytes.
 *
 * <pre>
 *  region:  records ->                 | page 511 ... page 1 | page 0 |
 *                                      '------ one read -------------'
 * </pre>
 *
 * <p>A directory is visited more than once: the pages of the last read are kept, and most
 * directories are one read. One thread's; entries are reused.
 */
final class DirectoryReader {
  /** Of one read. */
  static final int BYTES = DeviceSettings.MAX_RECORD;

  private static final int PAGES = BYTES / DirectoryPage.LENGTH;

  /** How far beyond the pages that must be there a read goes. */
  private static final int BEYOND = 16;

  private final BlockFile file;
  private final DeviceHeaderPages head;
  private final int regionBytes;
  private final PageEntry entry = new PageEntry();
  private final ByteBuffer buffer;

  // What the buffer has.
  private int region = -1;
  private int first;
  private int count;

  /**
   * @param buffer of {@value #BYTES} bytes, for this reader alone as long as it is used
   */
  DirectoryReader(BlockFile file, DeviceHeaderPages head, int regionBytes, ByteBuffer buffer) {
    this.file = file;
    this.head = head;
    this.regionBytes = regionBytes;
    this.buffer = buffer;
  }

  /** Where some pages of a directory begin in the file, the last of them first. */
  static long at(int region, int regionBytes, int firstPage, int count) {
    return DeviceDirectory.base(region, regionBytes)
        + regionBytes
        - ((long) firstPage + count) * DirectoryPage.LENGTH;
  }

  /** A directory that may have changed since is read anew. */
  void begin() {
    region = -1;
  }

  /**
   * What a region holds, in the order in which it was written.
   *
   * @param known so many pages must be there, whatever is damaged
   */
  DeviceDirectory.Reading forEach(
      int ofRegion, int generation, int known, DirectoryPages.Visitor visitor) throws IOException {
    int torn = 0;
    int whole = 0;
    int knownTombstonePages = 0;
    BitSet tombstonePages = new BitSet();
    int most = regionBytes / DirectoryPage.LENGTH;
    for (int number = 0;
        number < most && (number < known || torn < DeviceDirectory.TORN_PAGES);
        number++) {
      ByteBuffer page = page(ofRegion, number, Math.min(most, known + BEYOND));
      if (!DirectoryPages.isWhole(page, head.device(), number)
          || page.getInt(DirectoryPage.GENERATION_OFFSET) != generation) {
        torn += DirectoryPages.isHeaderOf(page, generation, number) ? 0 : 1;
        continue;
      }
      torn = 0;
      whole = number + 1;
      int tombstonePage = page.getInt(DirectoryPage.TOMBSTONE_PAGE_OFFSET);
      if (tombstonePage >= 0 && tombstonePage < most && !tombstonePages.get(tombstonePage)) {
        tombstonePages.set(tombstonePage);
        knownTombstonePages += number < known ? 1 : 0;
      }
      DirectoryPages.forEach(page, entry, visitor);
    }
    return new DeviceDirectory.Reading(whole, tombstonePages.cardinality(), knownTombstonePages);
  }

  /**
   * A page, whole or not.
   *
   * @param end up to where a read goes, if it is behind the page
   */
  private ByteBuffer page(int ofRegion, int number, int end) throws IOException {
    if (ofRegion != region || number < first || number >= first + count) {
      // Nothing is there if the read fails in the middle.
      region = -1;
      int most = regionBytes / DirectoryPage.LENGTH - number;
      int length = Math.min(Math.clamp((long) end - number, BEYOND, PAGES), most);
      file.read(
          buffer.clear().limit(length * DirectoryPage.LENGTH),
          at(ofRegion, regionBytes, number, length));
      region = ofRegion;
      first = number;
      count = length;
    }
    return buffer
        .slice((count - 1 - (number - first)) * DirectoryPage.LENGTH, DirectoryPage.LENGTH)
        .order(ByteOrder.LITTLE_ENDIAN);
  }
}
