package io.forebay.storage.inspect;

import io.forebay.storage.inspect.Tier.Segment;
import io.forebay.storage.inspect.Tier.State;
import io.forebay.storage.placement.StorageClasses;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The totals of a walk over every directory. Its size is bounded, whatever the store contains. */
public final class StoreCensus {
  /** Upper bounds of the size classes in bytes; one class more for what is larger. */
  static final long[] SIZES = {
    1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20
  };

  /** Upper bounds of the classes of time in seconds; one class more for what is longer. */
  static final long[] SECONDS = {
    60, 600, 3_600, 6 * 3_600, 86_400, 7 * 86_400, 30 * 86_400, 365 * 86_400
  };

  private static final int MAX_GROUPS = 10_000;

  private final List<Cell> cells = new ArrayList<>();
  private final List<Part> parts = new ArrayList<>();
  private final Map<String, long[]> groups = new HashMap<>();
  private final long[] otherGroups = new long[2];
  private final long[][] classes = new long[StorageClasses.COUNT][4];
  private boolean isComplete = true;

  /**
   * A region.
   *
   * @param usedBytes of records and directory
   * @param liveBytes of records that can still be served
   * @param touchedBytes of live records that were asked for since they were written or moved
   * @param lostPages directory pages that are damaged
   */
  public record Cell(
      String tier,
      int region,
      State state,
      Segment segment,
      long age,
      int regionBytes,
      int usedBytes,
      long liveBytes,
      long touchedBytes,
      int records,
      int lostPages) {}

  /** A segment of memory, or a disk. Counters are of live records unless they say otherwise. */
  public static final class Part {
    private final String tier;
    private final Segment segment;
    long regions;
    long openRegions;
    long objects;
    long markers;
    long slices;
    long liveBytes;
    long deadBytes;
    long deadRecords;
    long usedBytes;
    long capacityBytes;
    long withdrawnRegions;
    long withdrawnBytes;
    long touchedBytes;
    final long[] sizes = new long[SIZES.length + 1];
    final long[] ages = new long[SECONDS.length + 1];
    final long[] expiries = new long[SECONDS.length + 2];

    Part(String tier, Segment segment) {
      this.tier = tier;
      this.segment = segment;
    }

    public String tier() {
      return tier;
    }

    public Segment segment() {
      return segment;
    }

    public long regions() {
      return regions;
    }

    public long openRegions() {
      return openRegions;
    }

    public long objects() {
      return objects;
    }

    public long markers() {
      return markers;
    }

    public long slices() {
      return slices;
    }

    public long liveBytes() {
      return liveBytes;
    }

    public long deadBytes() {
      return deadBytes;
    }

    public long deadRecords() {
      return deadRecords;
    }

    public long usedBytes() {
      return usedBytes;
    }

    public long capacityBytes() {
      return capacityBytes;
    }

    /** Regions of memory that were given back to the kernel; they are not among the regions. */
    public long withdrawnRegions() {
      return withdrawnRegions;
    }

    public long withdrawnBytes() {
      return withdrawnBytes;
    }

    public long touchedBytes() {
      return touchedBytes;
    }

    /** In memory of objects by the length of their bodies, on a disk of records by their own. */
    public long[] sizes() {
      return sizes.clone();
    }

    /** Of objects in memory, by how long ago they came. */
    public long[] ages() {
      return ages.clone();
    }

    /** Of objects, by when they expire; the first class has expired. */
    public long[] expiries() {
      return expiries.clone();
    }
  }

  /** A host or whatever else the caller groups objects by. */
  public record Group(String name, long objects, long memoryBytes) {}

  /**
   * Live records of a storage class. An object that is in memory and on a disk counts in both.
   *
   * @param number 0 for the default class
   * @param memoryObjects heads in memory, markers not counted
   * @param diskObjects heads on disks
   */
  public record OfClass(
      int number, long memoryObjects, long memoryBytes, long diskObjects, long diskBytes) {}

  void countClass(Entry entry) {
    long[] sums = classes[entry.storageClass()];
    int tier = entry.in().isMemory() ? 0 : 2;
    sums[tier] += entry.isSlice() || entry.isMarker() ? 0 : 1;
    sums[tier + 1] += entry.length();
  }

  /** Classes of which something is stored, by number. */
  public List<OfClass> classes() {
    List<OfClass> counted = new ArrayList<>();
    for (int n = 0; n < classes.length; n++) {
      long[] sums = classes[n];
      if (sums[1] + sums[3] > 0) {
        counted.add(new OfClass(n, sums[0], sums[1], sums[2], sums[3]));
      }
    }
    return counted;
  }

  void add(Cell cell) {
    cells.add(cell);
  }

  void cut() {
    isComplete = false;
  }

  /** What segments and disks there are, in the order in which they are shown. */
  void expect(Tier tier) {
    if (tier.isMemory()) {
      parts.add(new Part(tier.name(), Segment.PROBATION));
      parts.add(new Part(tier.name(), Segment.PROTECTED));
    }
    parts.add(new Part(tier.name(), Segment.NONE));
  }

  Part part(String tier, Segment segment) {
    for (Part part : parts) {
      if (part.tier.equals(tier) && part.segment == segment) {
        return part;
      }
    }
    throw new IllegalArgumentException("no " + segment + " in " + tier);
  }

  void count(String group, long memoryBytes) {
    long[] sums =
        groups.size() < MAX_GROUPS
            ? groups.computeIfAbsent(group, key -> new long[2])
            : groups.getOrDefault(group, otherGroups);
    sums[0]++;
    sums[1] += memoryBytes;
  }

  static int sizeClass(long bytes) {
    return above(SIZES, bytes);
  }

  static int timeClass(long seconds) {
    return above(SECONDS, seconds);
  }

  private static int above(long[] bounds, long value) {
    int n = 0;
    while (n < bounds.length && value > bounds[n]) {
      n++;
    }
    return n;
  }

  public static long[] sizeBounds() {
    return SIZES.clone();
  }

  public static long[] secondBounds() {
    return SECONDS.clone();
  }

  /** Every region that was looked at, tier by tier. */
  public List<Cell> cells() {
    return List.copyOf(cells);
  }

  /** Segments of memory (with what is free as the last one), then disks. */
  public List<Part> parts() {
    return List.copyOf(parts);
  }

  /** Those with the most objects. */
  public List<Group> topGroups(int most) {
    return groups.entrySet().stream()
        .map(one -> new Group(one.getKey(), one.getValue()[0], one.getValue()[1]))
        .sorted((one, other) -> Long.compare(other.objects(), one.objects()))
        .limit(most)
        .toList();
  }

  /** Objects of groups that were too many to be told apart. */
  public long ungrouped() {
    return otherGroups[0];
  }

  /** False if it took too long, so that not every region was looked at. */
  public boolean isComplete() {
    return isComplete;
  }
}
