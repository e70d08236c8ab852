package io.forebay.benchmarks.trace;

import java.util.Arrays;

/**
 * Doubly linked lists over dense object numbers, each object on at most one of them, with the bytes
 * that each list holds.
 */
final class Lists {
  private static final byte NONE = -1;

  private final int[] before;
  private final int[] after;
  private final byte[] where;
  private final long[] size;
  private final int objectCount;
  private final long[] bytes;

  Lists(int objectCount, int listCount) {
    this.objectCount = objectCount;
    before = new int[objectCount + listCount];
    after = new int[objectCount + listCount];
    where = new byte[objectCount];
    size = new long[objectCount];
    bytes = new long[listCount];
    Arrays.fill(where, NONE);
    for (int list = 0; list < listCount; list++) {
      before[objectCount + list] = objectCount + list;
      after[objectCount + list] = objectCount + list;
    }
  }

  boolean isOn(int id, int list) {
    return where[id] == list;
  }

  boolean isAnywhere(int id) {
    return where[id] != NONE;
  }

  long bytes(int list) {
    return bytes[list];
  }

  long size(int id) {
    return size[id];
  }

  /** The one that was put on the list first, or -1. */
  int oldest(int list) {
    int id = before[objectCount + list];
    return id >= objectCount ? -1 : id;
  }

  /** Puts an object on a list as its youngest, away from where it was. */
  void push(int id, long newSize, int list) {
    remove(id);
    int head = objectCount + list;
    int next = after[head];
    before[id] = head;
    after[id] = next;
    after[head] = id;
    before[next] = id;
    where[id] = (byte) list;
    size[id] = newSize;
    bytes[list] += newSize;
  }

  void remove(int id) {
    if (where[id] == NONE) {
      return;
    }
    after[before[id]] = after[id];
    before[after[id]] = before[id];
    bytes[where[id]] -= size[id];
    where[id] = NONE;
  }
}
