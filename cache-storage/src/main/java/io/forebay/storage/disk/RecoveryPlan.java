package io.forebay.storage.disk;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The regions of a device that are taken up at a start, the youngest first, and how far the {@link
 * RecoveryShare}s of the keys have come. The first share is the writer's: it looks whether a region
 * counts, and the others follow it.
 *
 * <pre>
 *   youngest ──────────────────────────────────────────────────► oldest
 *   | share 1 | share 2 |    | verified: by share 0 |   brought into page cache   |
 * </pre>
 *
 * <p>Heads of bodies in slices wait until every share has come to the end once: all slices are
 * known then.
 */
final class RecoveryPlan {
  static final RecoveryPlan NONE = new RecoveryPlan(List.of(), 0);

  private final WrittenExtent[] regions;
  private final boolean[] hasTombstones;

  /** Regions that count. */
  private volatile int end;

  /** Regions of which it is known that they count. */
  private volatile int verified;

  private volatile boolean isAbandoned;

  /** Shares whose slices are not all known. */
  private final AtomicInteger reading;

  /**
   * @param regions the youngest first
   */
  RecoveryPlan(List<WrittenExtent> regions, int shares) {
    this.regions = regions.toArray(new WrittenExtent[0]);
    this.hasTombstones = new boolean[this.regions.length];
    this.end = this.regions.length;
    this.reading = new AtomicInteger(shares);
  }

  int end() {
    return end;
  }

  int verified() {
    return verified;
  }

  WrittenExtent region(int at) {
    return regions[at];
  }

  /** Whether a region that was verified holds tombstones. */
  boolean hasTombstones(int at) {
    return hasTombstones[at];
  }

  /** The next region counts; the writer's. */
  void verify(WrittenExtent found, boolean holdsTombstones) {
    int at = verified;
    regions[at] = found;
    hasTombstones[at] = holdsTombstones;
    verified = at + 1;
  }

  /** A region that was not verified, and those behind it, do not count; the writer's. */
  void cut(int at) {
    end = at;
  }

  /** The regions that count; the writer's. */
  List<WrittenExtent> regions() {
    return List.of(regions).subList(0, end);
  }

  /** A share has come to the end for the first time. */
  void readOnce() {
    int ignored = reading.decrementAndGet();
  }

  /** Whether the slices of all shares are known. */
  boolean hasSlices() {
    return reading.get() <= 0;
  }

  /** Nothing more is to be taken up: the device is emptied. */
  void abandon() {
    isAbandoned = true;
  }

  boolean isAbandoned() {
    return isAbandoned;
  }
}
