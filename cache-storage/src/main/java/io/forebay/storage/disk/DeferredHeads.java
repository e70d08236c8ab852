package io.forebay.storage.disk;

import io.forebay.storage.layout.DirectoryPage;
import io.forebay.storage.layout.RecordHeader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Heads of bodies that lie in slices, on their way into the index at a start: a queue of bounded
 * length. Regions are read from the youngest on, so the slices of a head may follow it; named
 * before them, it would have the origin asked for slices that the disk has. Most slices lie within
 * some regions of their head, so few are missing once a head has waited for a queue's length.
 *
 * <p>It has copies of the entries, with the first two of their words, and takes no memory before
 * the first one. The writer's.
 */
final class DeferredHeads {
  static final int CAPACITY = 1 << 16;

  private static final int ENTRY = DirectoryPage.ENTRY_LENGTH + 2 * Long.BYTES;
  private static final int REGION = ENTRY;
  private static final int GENERATION = REGION + Integer.BYTES;
  private static final int CELL = GENERATION + Integer.BYTES;

  private final int capacity;
  private final Visitor visitor;
  private final PageEntry entry = new PageEntry();
  private ByteBuffer cells = ByteBuffer.allocate(0);
  private int begin;
  private int size;

  /** Told of the head that has waited longest. */
  interface Visitor {
    void visit(PageEntry head, int region, int generation);
  }

  /**
   * @param capacity how many may wait, at least 1
   * @param visitor told of each head when its time has come
   */
  DeferredHeads(int capacity, Visitor visitor) {
    this.capacity = capacity;
    this.visitor = visitor;
  }

  /** Whether a record is the head of a body that does not lie in it. */
  static boolean hasSlices(PageEntry one) {
    return one.kind() == RecordHeader.KIND_OBJECT && one.totalBytes() > one.recordLength();
  }

  /** Takes a head; without room, the one that has waited longest goes. */
  void add(PageEntry head, int region, int generation) {
    if (cells.capacity() == 0) {
      cells = ByteBuffer.allocate(capacity * CELL).order(ByteOrder.LITTLE_ENDIAN);
    }
    if (size == capacity) {
      release();
    }
    int at = (begin + size) % capacity * CELL;
    head.copyTo(cells, at, ENTRY);
    cells.putInt(at + REGION, region);
    cells.putInt(at + GENERATION, generation);
    size++;
  }

  /** All that wait go. */
  void flush() {
    while (size > 0) {
      release();
    }
    cells = ByteBuffer.allocate(0);
    begin = 0;
  }

  private void release() {
    int at = begin * CELL;
    begin = (begin + 1) % capacity;
    size--;
    entry.wrap(cells, at);
    visitor.visit(entry, cells.getInt(at + REGION), cells.getInt(at + GENERATION));
  }
}
