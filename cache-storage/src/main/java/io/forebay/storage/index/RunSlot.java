package io.forebay.storage.index;

import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;

/**
 * A slot of a {@link DiskIndex} that names a run: slices of one object, of one birth, that lie one
 * behind the other in one region. The slices of an object are in groups of {@value #SLICES}, and a
 * run is of one group. Slices may leave a run, and come back, in any order.
 *
 * <pre>
 *  the two words, from the lowest bit on
 *  0      2       3         4          8        23                     64
 *  +------+-------+---------+----------+--------+----------------------+
 *  | 0    |touched|alternate|generation| length | place of the group's |
 *  |      |       |         | mod 16   | of last| first slice, / 64    |
 *  +------+-------+---------+----------+--------+----------------------+
 *  0          12       16                                             64
 *  +----------+--------+-----------------------------------------------+
 *  | slices   | whole  |  birth                                        |
 *  | 1 bit a  | slice  |                                               |
 *  +----------+--------+-----------------------------------------------+
 * </pre>
 *
 * <p>All slices have the same length but the last one, which may be shorter, because it ends the
 * body. A whole slice has {@value #LEAST_SLICE} bytes times a power of two, which is the number
 * behind the slices. The place of the group's first slice is where it would be if it is not in the
 * run; that may be before the disk's first region, so places are taken modulo 2^41.
 */
final class RunSlot {
  /** Of a group. */
  static final int SLICES = 12;

  /** In place of a kind. */
  static final int KIND = 0;

  private static final int SLICES_MASK = (1 << SLICES) - 1;
  private static final int WHOLE_MASK = 15;
  private static final int LEAST_SLICE = 4096;

  private RunSlot() {}

  static boolean isRun(long first) {
    return (first & DiskIndex.KIND_MASK) == KIND;
  }

  static boolean has(long second, int slice) {
    return (second >>> slice & 1) != 0;
  }

  /** Whether no slice is left. */
  static boolean isEmpty(long second) {
    return (second & SLICES_MASK) == 0;
  }

  private static int last(long second) {
    return Integer.SIZE - 1 - Integer.numberOfLeadingZeros((int) second & SLICES_MASK);
  }

  /** One of its slices. */
  static int any(long second) {
    return Integer.numberOfTrailingZeros((int) second & SLICES_MASK);
  }

  /** What a whole slice takes, in units of the alignment of records. */
  private static int wholeUnits(long second) {
    int slice = LEAST_SLICE << ((int) second >>> SLICES & WHOLE_MASK);
    return (slice + SliceRecord.LENGTH) / RecordHeader.ALIGNMENT;
  }

  /** Where a slice is, in units of the alignment of records. */
  static long place(long first, long second, int slice) {
    return (first >>> DiskIndex.PLACE_SHIFT) + (long) slice * wholeUnits(second)
        & DiskIndex.MAX_PLACE;
  }

  /** Length of a slice's record, less one, in units of the alignment of records. */
  static int length(long first, long second, int slice) {
    return slice == last(second)
        ? (int) (first >>> DiskIndex.LENGTH_SHIFT) & DiskIndex.LENGTH_MASK
        : wholeUnits(second) - 1;
  }

  /** Whether a run may begin with a record of this length: one that tells where the next is. */
  static boolean mayBegin(int length) {
    int slice = length - SliceRecord.LENGTH;
    return slice >= LEAST_SLICE
        && Integer.bitCount(slice) == 1
        && whole(length) <= WHOLE_MASK
        && length <= (DiskIndex.LENGTH_MASK + 1) * RecordHeader.ALIGNMENT;
  }

  private static int whole(int length) {
    return Integer.numberOfTrailingZeros((length - SliceRecord.LENGTH) / LEAST_SLICE);
  }

  /** The second word of a run of one slice. */
  static long second(long plainSecond, int slice, int length) {
    return plainSecond >>> DiskIndex.BIRTH_SHIFT << DiskIndex.BIRTH_SHIFT
        | (long) whole(length) << SLICES
        | 1L << slice;
  }

  /**
   * The first word of a run of one slice.
   *
   * @param plainFirst that of the slice by itself
   * @param second of the run
   */
  static long first(long plainFirst, long second, int slice) {
    long place =
        (plainFirst >>> DiskIndex.PLACE_SHIFT) - (long) slice * wholeUnits(second)
            & DiskIndex.MAX_PLACE;
    long rest = plainFirst & (1L << DiskIndex.PLACE_SHIFT) - 1 & ~(long) DiskIndex.KIND_MASK;
    return place << DiskIndex.PLACE_SHIFT | rest | KIND;
  }

  /**
   * Whether a slice lies where this run would have it. The caller looks whether it is in the same
   * region.
   *
   * @param plainFirst the words of the slice by itself
   */
  static boolean isOf(long first, long second, long plainFirst, long plainSecond, int slice) {
    int generations = DiskIndex.GENERATION_MASK << DiskIndex.GENERATION_SHIFT;
    int length = (int) (plainFirst >>> DiskIndex.LENGTH_SHIFT) & DiskIndex.LENGTH_MASK;
    int whole = wholeUnits(second) - 1;
    int last = last(second);
    boolean mayBeShort = slice >= last;
    boolean mayBeBehind = slice <= last || length(first, second, last) == whole;
    return ((first ^ plainFirst) & generations) == 0
        && (second ^ plainSecond) >>> DiskIndex.BIRTH_SHIFT == 0
        && place(first, second, slice) == plainFirst >>> DiskIndex.PLACE_SHIFT
        && (length == whole || (mayBeShort && length < whole))
        && mayBeBehind;
  }

  /** The first word once a slice that {@link #isOf} it has come. */
  static long firstWith(long first, long second, long plainFirst, int slice) {
    long touched = plainFirst & DiskIndex.TOUCHED;
    return slice < last(second)
        ? first | touched
        : withLength(first, (int) (plainFirst >>> DiskIndex.LENGTH_SHIFT) & DiskIndex.LENGTH_MASK)
            | touched;
  }

  static long secondWith(long second, int slice) {
    return second | 1L << slice;
  }

  /** The first word once a slice has left, others being there: the one before it is whole. */
  static long firstWithout(long first, long second, int slice) {
    return slice == last(second) ? withLength(first, wholeUnits(second) - 1) : first;
  }

  static long secondWithout(long second, int slice) {
    return second & ~(1L << slice);
  }

  private static long withLength(long first, int length) {
    long others = first & ~((long) DiskIndex.LENGTH_MASK << DiskIndex.LENGTH_SHIFT);
    return others | (long) length << DiskIndex.LENGTH_SHIFT;
  }
}
