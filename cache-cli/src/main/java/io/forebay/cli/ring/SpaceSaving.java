package io.forebay.cli.ring;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The heaviest keys of a stream in bounded memory (Metwally, Agrawal, El Abbadi: Space-Saving,
 * 2005). A key that is not among the counted ones takes the place of the lightest and inherits its
 * weight as its possible error. Every key heavier than the total divided by the capacity is among
 * them.
 *
 * <pre>
 *  heap by weight: [0] is the lightest; each Counter knows its place in it
 * </pre>
 */
final class SpaceSaving {
  private final int capacity;
  private final Map<String, Counter> byKey = new HashMap<>();
  private final List<Counter> heap = new ArrayList<>();
  private long total;

  /** A key and what is known of it. */
  static final class Counter {
    private String key;
    private long weight;
    private long error;
    private long requests;
    private long hits;
    private long bytes;
    private int place;

    private Counter(String key, int place) {
      this.key = key;
      this.place = place;
    }

    String key() {
      return key;
    }

    /** Never less than it really is, and more by {@link #error} at most. */
    long weight() {
      return weight;
    }

    long error() {
      return error;
    }

    /** Since the key is counted, as are hits and bytes. */
    long requests() {
      return requests;
    }

    long hits() {
      return hits;
    }

    long bytes() {
      return bytes;
    }
  }

  SpaceSaving(int capacity) {
    this.capacity = capacity;
  }

  void add(String key, long weight, boolean isHit, long bytes) {
    Counter counter = byKey.get(key);
    if (counter == null) {
      counter = heap.size() < capacity ? added(key) : replaced(key);
      byKey.put(key, counter);
    }
    total += weight;
    counter.weight += weight;
    counter.requests++;
    counter.hits += isHit ? 1 : 0;
    counter.bytes += bytes;
    sinkToLeaves(counter.place);
  }

  private Counter added(String key) {
    Counter counter = new Counter(key, heap.size());
    heap.add(counter);
    // Of weight 0: the lightest.
    while (counter.place > 0) {
      swap(counter.place, (counter.place - 1) / 2);
    }
    return counter;
  }

  private Counter replaced(String key) {
    Counter lightest = heap.getFirst();
    byKey.remove(lightest.key);
    lightest.key = key;
    lightest.error = lightest.weight;
    lightest.requests = 0;
    lightest.hits = 0;
    lightest.bytes = 0;
    return lightest;
  }

  private void sinkToLeaves(int from) {
    int at = from;
    while (true) {
      int lightest = at;
      for (int child = 2 * at + 1; child <= 2 * at + 2 && child < heap.size(); child++) {
        if (heap.get(child).weight < heap.get(lightest).weight) {
          lightest = child;
        }
      }
      if (lightest == at) {
        return;
      }
      swap(at, lightest);
      at = lightest;
    }
  }

  private void swap(int one, int other) {
    Counter moved = heap.get(one);
    heap.set(one, heap.get(other));
    heap.set(other, moved);
    heap.get(one).place = one;
    moved.place = other;
  }

  /** The heaviest keys, the heaviest first. */
  List<Counter> top(int most) {
    return heap.stream()
        .sorted(Comparator.comparingLong(Counter::weight).reversed().thenComparing(Counter::key))
        .limit(most)
        .toList();
  }

  /** Of all that was added. */
  long total() {
    return total;
  }
}
