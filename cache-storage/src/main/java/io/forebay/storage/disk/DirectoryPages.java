package io.forebay.storage.disk;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.layout.DirectoryPage;
import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Writes and reads directory pages. */
final class DirectoryPages {
  private DirectoryPages() {}

  static ByteBuffer begin() {
    ByteBuffer page = ByteBuffer.allocate(DirectoryPage.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    return page.position(DirectoryPage.ENTRIES_OFFSET);
  }

  static ByteBuffer copy(ByteBuffer page) {
    return ByteBuffer.allocate(DirectoryPage.LENGTH)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(page.duplicate().clear())
        .clear();
  }

  /** Entry length for a record, or -1 if it has more scopes than a page can hold. */
  static int entryLength(MemorySegment memory, long record) {
    int words = isHead(memory, record) ? scopes(memory, record) : 0;
    return words > DirectoryPage.MAX_WORDS ? -1 : DirectoryPage.ENTRY_LENGTH + words * Long.BYTES;
  }

  private static boolean isHead(MemorySegment memory, long record) {
    return memory.get(Layouts.INT, record + RecordHeader.KIND_OFFSET) != RecordHeader.KIND_SLICE;
  }

  private static int scopes(MemorySegment memory, long record) {
    return memory.get(Layouts.INT, record + HeadRecord.SCOPE_COUNT_OFFSET);
  }

  /** Appends the entry of a record that lies in memory. */
  static void put(
      ByteBuffer page,
      MemorySegment memory,
      long record,
      int length,
      int offset,
      int storageClass) {
    int at = page.position();
    page.put(
        at + DirectoryPage.KIND, (byte) memory.get(Layouts.INT, record + RecordHeader.KIND_OFFSET));
    page.put(at + DirectoryPage.STORAGE_CLASS, (byte) storageClass);
    page.putInt(at + DirectoryPage.RECORD_LENGTH, length);
    page.putInt(at + DirectoryPage.OFFSET, offset);
    int words = 0;
    if (isHead(memory, record)) {
      words = scopes(memory, record);
      page.putLong(at + DirectoryPage.KEY_HIGH, word(memory, record, HeadRecord.KEY_HIGH_OFFSET));
      page.putLong(at + DirectoryPage.KEY_LOW, word(memory, record, HeadRecord.KEY_LOW_OFFSET));
      page.putLong(at + DirectoryPage.BIRTH, word(memory, record, HeadRecord.BIRTH_OFFSET));
      page.putLong(
          at + DirectoryPage.BODY_BIRTH, word(memory, record, HeadRecord.BODY_BIRTH_OFFSET));
      page.putLong(at + DirectoryPage.OBJECT, word(memory, record, HeadRecord.OBJECT_OFFSET));
      page.putInt(
          at + DirectoryPage.EXPIRES,
          IndexValue.seconds(word(memory, record, HeadRecord.EXPIRES_OFFSET)));
      page.putInt(
          at + DirectoryPage.TOTAL,
          DirectoryPage.total(word(memory, record, HeadRecord.TOTAL_LENGTH_OFFSET)));
      for (int n = 0; n < words; n++) {
        page.putLong(
            at + DirectoryPage.ENTRY_LENGTH + n * Long.BYTES,
            word(memory, record, HeadRecord.SCOPES_OFFSET + n * Long.BYTES));
      }
    } else {
      long objectId = word(memory, record, SliceRecord.OBJECT_OFFSET);
      int slice = memory.get(Layouts.INT, record + SliceRecord.SLICE_OFFSET);
      long birth = word(memory, record, SliceRecord.BIRTH_OFFSET);
      page.putLong(at + DirectoryPage.KEY_HIGH, SliceRecord.keyHigh(objectId));
      page.putLong(at + DirectoryPage.KEY_LOW, SliceRecord.keyLow(objectId, slice));
      page.putInt(at + DirectoryPage.SLICE, slice);
      page.putLong(at + DirectoryPage.BIRTH, birth);
      page.putLong(at + DirectoryPage.BODY_BIRTH, birth);
      page.putLong(at + DirectoryPage.OBJECT, objectId);
    }
    page.putShort(at + DirectoryPage.WORDS, (short) words);
    page.position(at + DirectoryPage.ENTRY_LENGTH + words * Long.BYTES);
    count(page);
  }

  static void putTombstone(ByteBuffer page, Tombstone dead) {
    int at = page.position();
    page.put(at + DirectoryPage.KIND, DirectoryPage.KIND_TOMBSTONE);
    page.putLong(at + DirectoryPage.KEY_HIGH, dead.high());
    page.putLong(at + DirectoryPage.KEY_LOW, dead.low());
    page.putLong(at + DirectoryPage.BIRTH, dead.birth());
    page.position(at + DirectoryPage.ENTRY_LENGTH);
    count(page);
  }

  /** Marks an entry of a page dead; the page is then sealed again. */
  static void markDead(ByteBuffer page, int at) {
    int offset = page.getInt(at + DirectoryPage.OFFSET);
    page.putInt(at + DirectoryPage.OFFSET, DirectoryPage.deadOffset(offset));
  }

  private static void count(ByteBuffer page) {
    page.putInt(DirectoryPage.COUNT_OFFSET, page.getInt(DirectoryPage.COUNT_OFFSET) + 1);
  }

  static long keyHigh(MemorySegment memory, long record) {
    return isHead(memory, record)
        ? word(memory, record, HeadRecord.KEY_HIGH_OFFSET)
        : SliceRecord.keyHigh(word(memory, record, SliceRecord.OBJECT_OFFSET));
  }

  static long keyLow(MemorySegment memory, long record) {
    return isHead(memory, record)
        ? word(memory, record, HeadRecord.KEY_LOW_OFFSET)
        : SliceRecord.keyLow(
            word(memory, record, SliceRecord.OBJECT_OFFSET),
            memory.get(Layouts.INT, record + SliceRecord.SLICE_OFFSET));
  }

  static long objectId(MemorySegment memory, long record) {
    return word(
        memory,
        record,
        isHead(memory, record) ? HeadRecord.OBJECT_OFFSET : SliceRecord.OBJECT_OFFSET);
  }

  static long birth(MemorySegment memory, long record) {
    return word(
        memory,
        record,
        isHead(memory, record) ? HeadRecord.BIRTH_OFFSET : SliceRecord.BIRTH_OFFSET);
  }

  private static long word(MemorySegment memory, long record, int offset) {
    return memory.get(Layouts.LONG, record + offset);
  }

  /** Ends a page: after this it is ready to be written from its start to its end. */
  static void seal(
      ByteBuffer page,
      long device,
      int generation,
      int number,
      long age,
      int dataEnd,
      int tombstonePage,
      RecentRegions trail) {
    page.putInt(DirectoryPage.MAGIC_OFFSET, DirectoryPage.MAGIC);
    page.putInt(DirectoryPage.GENERATION_OFFSET, generation);
    page.putInt(DirectoryPage.NUMBER_OFFSET, number);
    page.putLong(DirectoryPage.AGE_OFFSET, age);
    page.putInt(DirectoryPage.DATA_END_OFFSET, dataEnd);
    page.putInt(DirectoryPage.TOMBSTONE_PAGE_OFFSET, tombstonePage);
    trail.before().write(page, DirectoryPage.BEFORE_OFFSET);
    trail.beforeThat().write(page, DirectoryPage.BEFORE_OFFSET + DirectoryPage.REACH_LENGTH);
    reseal(page, device);
  }

  /** Ends a page that has been changed: after this it is ready to be written from its start. */
  static void reseal(ByteBuffer page, long device) {
    page.clear();
    page.putInt(DirectoryPage.CRC_OFFSET, checksum(page, device));
  }

  /** Salted with the device's identity: pages of an earlier life of the file are of no device. */
  private static int checksum(ByteBuffer page, long device) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, device));
    crc.update(
        page.slice(
            DirectoryPage.GENERATION_OFFSET,
            DirectoryPage.LENGTH - DirectoryPage.GENERATION_OFFSET));
    return (int) crc.getValue();
  }

  /** Whether 4096 bytes are a whole page of that device and number. */
  static boolean isWhole(ByteBuffer page, long device, int number) {
    return page.getInt(DirectoryPage.MAGIC_OFFSET) == DirectoryPage.MAGIC
        && page.getInt(DirectoryPage.NUMBER_OFFSET) == number
        && page.getInt(DirectoryPage.CRC_OFFSET) == checksum(page, device);
  }

  /**
   * Whether 4096 bytes have the header of a page of that generation and number, whole or not. A
   * page of which a rewrite was cut off has it, because a rewrite changes only the checksum there.
   */
  static boolean isHeaderOf(ByteBuffer page, int generation, int number) {
    return page.getInt(DirectoryPage.MAGIC_OFFSET) == DirectoryPage.MAGIC
        && page.getInt(DirectoryPage.NUMBER_OFFSET) == number
        && page.getInt(DirectoryPage.GENERATION_OFFSET) == generation;
  }

  /** Told of one entry after the other; the entry is reused. */
  interface Visitor {
    void visit(PageEntry entry);
  }

  static void forEach(ByteBuffer page, PageEntry entry, Visitor visitor) {
    int at = DirectoryPage.ENTRIES_OFFSET;
    int count = page.getInt(DirectoryPage.COUNT_OFFSET);
    for (int n = 0; n < count && at + DirectoryPage.ENTRY_LENGTH <= page.capacity(); n++) {
      entry.wrap(page, at);
      int length = entry.length();
      if (entry.wordCount() < 0 || at + length > page.capacity()) {
        return;
      }
      visitor.visit(entry);
      at += length;
    }
  }
}
