package io.forebay.storage.disk;

import io.forebay.storage.layout.DeviceHeader;
import io.forebay.storage.layout.DirectoryPage;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Records on their way to one region: one large write for them, one for their directory pages.
 * Filled under the device's lock; once sealed it does not change until it has been written.
 * Tombstones have pages of their own, so that the sweep may write the other pages again. Those are
 * written twice, because what they kill lies elsewhere and would come back.
 */
final class WriteBatch {
  /** How often a page of tombstones is written. */
  static final int COPIES = 2;

  private final ByteBuffer data;
  private final MemorySegment memory;
  private final List<ByteBuffer> pages = new ArrayList<>();
  private final List<ByteBuffer> tombstones = new ArrayList<>();

  /** The second copies of the pages of tombstones. */
  private final List<ByteBuffer> copies = new ArrayList<>();

  private int region = -1;
  private int generation;
  private long age;
  private int start;
  private int firstPage;
  private int length;

  WriteBatch(int capacity) {
    data = ByteBuffer.allocateDirect(capacity);
    memory = MemorySegment.ofBuffer(data);
  }

  void begin(int newRegion, int newGeneration, long newAge, int newStart, int newFirstPage) {
    region = newRegion;
    generation = newGeneration;
    age = newAge;
    start = newStart;
    firstPage = newFirstPage;
    length = 0;
    pages.clear();
    tombstones.clear();
    copies.clear();
  }

  int region() {
    return region;
  }

  int generation() {
    return generation;
  }

  long age() {
    return age;
  }

  int start() {
    return start;
  }

  int length() {
    return length;
  }

  int end() {
    return start + length;
  }

  int firstPage() {
    return firstPage;
  }

  int pageCount() {
    return pages.size() + COPIES * tombstones.size();
  }

  /** How many pages of tombstones it has, copies not counted. */
  int tombstonePageCount() {
    return tombstones.size();
  }

  boolean isEmpty() {
    return pages.isEmpty() && tombstones.isEmpty();
  }

  boolean fits(int recordLength) {
    return length + Layouts.roundUp(recordLength, RecordHeader.ALIGNMENT) <= data.capacity();
  }

  /** Whether the entry of a record needs a page that is not there yet. */
  boolean needsPage(int entryLength) {
    return isFull(pages, entryLength);
  }

  /** Whether a tombstone does. */
  boolean needsTombstonePage() {
    return isFull(tombstones, DirectoryPage.ENTRY_LENGTH);
  }

  private static boolean isFull(List<ByteBuffer> pages, int entryLength) {
    return pages.isEmpty() || pages.getLast().remaining() < entryLength;
  }

  /** Copies a record in; returns its offset in the region. */
  int put(MemorySegment from, long record, int recordLength, int entryLength, int storageClass) {
    int at = length;
    MemorySegment.copy(from, record, memory, at, recordLength);
    memory.set(Layouts.INT, at + RecordHeader.GENERATION_OFFSET, generation);
    RecordHeader.classOnDisk(memory, at, storageClass);
    int rounded = Layouts.roundUp(recordLength, RecordHeader.ALIGNMENT);
    memory.asSlice(at + (long) recordLength, rounded - recordLength).fill((byte) 0);
    length += rounded;
    DirectoryPages.put(
        page(pages, entryLength), from, record, recordLength, start + at, storageClass);
    return start + at;
  }

  void put(Tombstone dead) {
    DirectoryPages.putTombstone(page(tombstones, DirectoryPage.ENTRY_LENGTH), dead);
  }

  private static ByteBuffer page(List<ByteBuffer> pages, int entryLength) {
    if (isFull(pages, entryLength)) {
      pages.add(DirectoryPages.begin());
    }
    return pages.getLast();
  }

  boolean holds(int ofRegion, int offset, int ofLength) {
    return region == ofRegion && offset >= start && offset + ofLength <= end();
  }

  void copy(int offset, ByteBuffer into) {
    into.put(data.duplicate().clear().slice(offset - start, into.remaining()));
  }

  /**
   * Ends the pages; the writer's, once it is known what was written before.
   *
   * @param firstTombstonePage how many pages of tombstones were written to the region before
   */
  void seal(long device, int firstTombstonePage, RecentRegions trail) {
    copies.clear();
    for (ByteBuffer page : tombstones) {
      copies.add(DirectoryPages.copy(page));
    }
    int number = firstPage;
    for (ByteBuffer page : pages) {
      DirectoryPages.seal(
          page, device, generation, number++, age, end(), DirectoryPage.NO_TOMBSTONES, trail);
    }
    for (List<ByteBuffer> each : List.of(tombstones, copies)) {
      int tombstonePage = firstTombstonePage;
      for (ByteBuffer page : each) {
        DirectoryPages.seal(page, device, generation, number++, age, end(), tombstonePage++, trail);
      }
    }
  }

  private List<ByteBuffer> all() {
    List<ByteBuffer> all = new ArrayList<>(pages);
    all.addAll(tombstones);
    all.addAll(copies);
    return all;
  }

  /** The records, up to the end of their last page: whole pages need not be read to be written. */
  ByteBuffer data() {
    int end = Layouts.roundUp(length, DeviceHeader.PAGE);
    memory.asSlice(length, end - length).fill((byte) 0);
    return data.duplicate().clear().limit(end);
  }

  /** The tombstones in it, told of one after the other. */
  void forEachTombstone(DirectoryPages.Visitor visitor) {
    PageEntry entry = new PageEntry();
    for (ByteBuffer page : tombstones) {
      DirectoryPages.forEach(page, entry, visitor);
    }
  }

  /** The pages as they lie on the device: the last one first. */
  ByteBuffer pages() {
    ByteBuffer written = ByteBuffer.allocate(pageCount() * DirectoryPage.LENGTH);
    for (ByteBuffer page : all().reversed()) {
      written.put(page.duplicate().clear());
    }
    return written.flip();
  }
}
