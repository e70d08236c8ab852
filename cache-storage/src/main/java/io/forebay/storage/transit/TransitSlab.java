package io.forebay.storage.transit;

import io.forebay.storage.memory.HugePageMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memory that transit buffers are cut from, as much as each needs: 8 MiB, so that seven slices of 1
 * MiB with their headers fill pages of 2 MiB.
 *
 * <pre>
 *   64 units of 128 KiB
 *   | slice of 1 MiB | slice of 1 MiB | tail |  free           | block  | block  |
 *     first free run ──►                                                ◄── last free 8 units
 *
 *   a block: 1 MiB in 64 units of 16 KiB, for what is short; given back when all of it is free
 *   | object | slice  | object | object |  free                |
 * </pre>
 */
final class TransitSlab {
  static final int BLOCK_BYTES = 1 << 20;
  static final int MAX_BYTES = 8 << 20;

  private static final int UNIT = MAX_BYTES / SlabBitmap.UNITS;
  private static final int SHORT_UNIT = BLOCK_BYTES / SlabBitmap.UNITS;
  private static final int BLOCKS = MAX_BYTES / BLOCK_BYTES;

  /** A block has room for three of these: longer ones would leave too much of it. */
  private static final int MAX_SHORT_BYTES = SlabBitmap.UNITS / 3 * SHORT_UNIT;

  /** The word of the slab's units, behind those of its blocks. */
  private static final int WHOLE = BLOCKS;

  private final HugePageMemory memory;
  private final ByteBuffer bytes;
  private final SlabBitmap units = new SlabBitmap(BLOCKS + 1);

  /** Units that a slab of less than 8 MiB does not have. */
  private final long missing;

  /** Whether anything was taken since the last {@link #wasUsed}. */
  private volatile boolean isUsed;

  /**
   * Allocates a slab.
   *
   * @param length whole blocks
   */
  TransitSlab(int length) throws IOException {
    this.memory = new HugePageMemory(length);
    this.bytes = memory.segment().asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    int count = length / UNIT;
    this.missing = count == SlabBitmap.UNITS ? 0 : -1L << count;
    units.open(WHOLE, missing);
  }

  /** What a buffer takes of a slab. */
  static int roomFor(int length) {
    int unit = length <= MAX_SHORT_BYTES ? SHORT_UNIT : UNIT;
    return (length + unit - 1) / unit * unit;
  }

  /**
   * Takes a part; where it begins, or -1 if there is none.
   *
   * @param room of {@link #roomFor}
   */
  int take(int room) {
    int at = room <= MAX_SHORT_BYTES ? takeShort(room / SHORT_UNIT) : takeLong(room / UNIT);
    if (at >= 0 && !isUsed) {
      isUsed = true;
    }
    return at;
  }

  private int takeLong(int count) {
    int first = count > SlabBitmap.UNITS ? -1 : units.takeFirst(WHOLE, count);
    return first < 0 ? -1 : first * UNIT;
  }

  private int takeShort(int count) {
    for (int block = BLOCKS - 1; block >= 0; block--) {
      int first = units.takeFirst(block, count);
      if (first >= 0) {
        return block * BLOCK_BYTES + first * SHORT_UNIT;
      }
    }
    int block = units.takeLastByte(WHOLE);
    if (block < 0) {
      return -1;
    }
    units.open(block, SlabBitmap.run(0, count));
    return block * BLOCK_BYTES;
  }

  /** Gives a part back that was taken. */
  void giveBack(int at, int room) {
    if (room > MAX_SHORT_BYTES) {
      long ignored = units.giveBack(WHOLE, at / UNIT, room / UNIT);
      return;
    }
    int block = at / BLOCK_BYTES;
    long left = units.giveBack(block, at % BLOCK_BYTES / SHORT_UNIT, room / SHORT_UNIT);
    // Another thread may have taken from it again, or be closing it.
    if (left == 0 && units.close(block, 0)) {
      long ignored = units.giveBack(WHOLE, block * Byte.SIZE, Byte.SIZE);
    }
  }

  /** Frees the memory if no part of it is taken; false if one is. */
  boolean free() {
    if (!units.close(WHOLE, missing)) {
      return false;
    }
    memory.close();
    return true;
  }

  /** Whether anything was taken since this was asked last. */
  boolean wasUsed() {
    boolean was = isUsed;
    isUsed = false;
    return was;
  }

  MemorySegment memory() {
    return memory.segment();
  }

  /** All of it; shared, so only for absolute access and as what views are made of. */
  ByteBuffer bytes() {
    return bytes;
  }

  long hugeBytes() {
    return memory.hugeBytes();
  }
}
