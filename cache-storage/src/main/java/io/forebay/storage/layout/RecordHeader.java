package io.forebay.storage.layout;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/**
 * The layout of the header of every record. The CRC covers everything from {@link #COVERED_OFFSET}
 * on (first the body, because it arrives first, then the bytes before it), so moving a record to
 * another region changes no covered byte.
 *
 * <pre>
 *  0       4       8       12      16      20      24
 *  +-------+-------+-------+-------+-------+-------+----------
 *  | magic | gene- | length| CRC32C| entry | kind  | covered by the CRC ...
 *  |       | ration|       |       |       |       |
 *  +-------+-------+-------+-------+-------+-------+----------
 * </pre>
 *
 * The entry is that of the record in its region's directory. On a disk, where it has none of that
 * kind, a record of a storage class has the number of the class there.
 */
public final class RecordHeader {
  public static final int MAGIC = 0x4352_4246; // "FBRC"

  /** Records start at multiples of this. */
  public static final int ALIGNMENT = 64;

  public static final int MAGIC_OFFSET = 0;
  public static final int GENERATION_OFFSET = MAGIC_OFFSET + Integer.BYTES;
  public static final int LENGTH_OFFSET = GENERATION_OFFSET + Integer.BYTES;
  public static final int CRC_OFFSET = LENGTH_OFFSET + Integer.BYTES;
  public static final int ENTRY_OFFSET = CRC_OFFSET + Integer.BYTES;
  public static final int KIND_OFFSET = ENTRY_OFFSET + Integer.BYTES;
  public static final int COVERED_OFFSET = KIND_OFFSET + Integer.BYTES;

  public static final byte KIND_OBJECT = 1;
  public static final byte KIND_MARKER = 2;
  public static final byte KIND_SLICE = 3;

  /** Above every entry number, so that what an entry number has left there is no class. */
  private static final int CLASS_MARK = 0x4C43_4600;

  private RecordHeader() {}

  /** Notes the storage class of a record that is on its way to a disk. */
  public static void classOnDisk(MemorySegment memory, long record, int storageClass) {
    if (storageClass != 0) {
      memory.set(Layouts.INT, record + ENTRY_OFFSET, CLASS_MARK | storageClass);
    }
  }

  /** The storage class of a record as it lies on a disk; 0 where it has none. */
  public static int classOnDisk(MemorySegment memory, long record) {
    int word = memory.get(Layouts.INT, record + ENTRY_OFFSET);
    int storageClass = word ^ CLASS_MARK;
    return storageClass > 0 && storageClass <= DirectoryEntry.MAX_CLASS ? storageClass : 0;
  }

  /** The CRC of a whole record, read from memory. */
  public static int checksum(MemorySegment memory, long record, int bodyOffset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(memory.asSlice(record + bodyOffset, length - bodyOffset).asByteBuffer());
    crc.update(memory.asSlice(record + COVERED_OFFSET, bodyOffset - COVERED_OFFSET).asByteBuffer());
    return (int) crc.getValue();
  }

  /** Ends a checksum that has already taken the body in. */
  public static int seal(CRC32C bodyCrc, MemorySegment memory, long record, int bodyOffset) {
    bodyCrc.update(
        memory.asSlice(record + COVERED_OFFSET, bodyOffset - COVERED_OFFSET).asByteBuffer());
    return (int) bodyCrc.getValue();
  }

  /**
   * Whether the bytes at {@code record} are a record of this generation that ends before a limit.
   */
  public static boolean isRecord(MemorySegment memory, long record, int generation, int room) {
    if (room < SliceRecord.LENGTH
        || memory.get(Layouts.INT, record + MAGIC_OFFSET) != MAGIC
        || memory.get(Layouts.INT, record + GENERATION_OFFSET) != generation) {
      return false;
    }
    int length = memory.get(Layouts.INT, record + LENGTH_OFFSET);
    if (length < SliceRecord.LENGTH || length > room) {
      return false;
    }
    return switch (memory.get(Layouts.INT, record + KIND_OFFSET)) {
      case KIND_SLICE -> true;
      case KIND_OBJECT, KIND_MARKER -> HeadRecord.isWellFormed(memory, record, length);
      default -> false;
    };
  }

  public static int lengthOf(MemorySegment memory, long record) {
    return memory.get(Layouts.INT, record + LENGTH_OFFSET);
  }

  /** Whether the bytes may begin a record of this generation that is longer than what is there. */
  public static boolean isCut(MemorySegment memory, long record, int generation, int room) {
    return memory.get(Layouts.INT, record + MAGIC_OFFSET) == MAGIC
        && memory.get(Layouts.INT, record + GENERATION_OFFSET) == generation
        && lengthOf(memory, record) > room;
  }

  /** Whether a record's bytes are those that were written. */
  public static boolean isIntact(MemorySegment memory, long record) {
    int length = memory.get(Layouts.INT, record + LENGTH_OFFSET);
    int bodyOffset =
        memory.get(Layouts.INT, record + KIND_OFFSET) == KIND_SLICE
            ? SliceRecord.LENGTH
            : memory.get(Layouts.INT, record + HeadRecord.BODY_OFFSET);
    return checksum(memory, record, bodyOffset, length)
        == memory.get(Layouts.INT, record + CRC_OFFSET);
  }
}
