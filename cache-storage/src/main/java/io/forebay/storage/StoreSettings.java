package io.forebay.storage;

import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.evict.Tuning;
import io.forebay.storage.placement.StorageClass;
import io.forebay.storage.purge.PurgeMatcher;
import io.forebay.storage.region.RegionPart;
import io.forebay.storage.region.TierGeometry;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Settings for opening a store. A size of 0 is derived from the size of the memory tier.
 *
 * @param dataDirectory what outlives a reboot: the purge journal and the lock
 * @param memoryBytes of the memory tier's regions
 * @param memoryDirectory a mounted tmpfs (or the like); null for the default place, or, where that
 *     has no room, memory that does not outlive the process
 * @param lanes how many event loops there are
 * @param clockMillis wall clock
 * @param regionBytes a multiple of 4096
 * @param indexEntries bound of the index; in settings that are resolved, or that have diskEntries,
 *     of what has a copy in memory
 * @param diskEntries of the tables of all disks; 0: a share of indexEntries
 * @param nearEntries of each lane, a power of two; 0 to derive it from the lanes and the index
 * @param eviction how it is set, or that it is tuned
 * @param purgeScopes bound of the purge table
 * @param purgeUndoMillis for how long a soft purge can be undone, unless the table fills up; 0:
 *     never
 * @param purgeRetireMillis how long a purge stays in the table at least, unless that fills up
 * @param fillDeadlineMillis after how long without progress an unfinished object loses its space
 * @param journalCompactBytes above which length the purge journal is written anew
 * @param lockMemory try to keep the memory tier from being swapped
 * @param threads makes the store's own threads
 * @param stepped the caller steps the store's work; no threads are started
 * @param scrubBytesPerSecond of the memory tier that are checked; 0: none
 * @param disks devices of the disk tier
 * @param predicates reads the texts of predicate purges
 * @param classes storage classes of records besides the default one
 * @param tiers byte-addressable tiers between the memory tier and the disks, in this order
 * @param cells the division of the memory tier; empty: it is one
 */
public record StoreSettings(
    Path dataDirectory,
    long memoryBytes,
    @Nullable Path memoryDirectory,
    int lanes,
    LongSupplier clockMillis,
    int regionBytes,
    long indexEntries,
    long diskEntries,
    int nearEntries,
    Tuning eviction,
    int purgeScopes,
    long purgeRetireMillis,
    long purgeUndoMillis,
    long fillDeadlineMillis,
    long journalCompactBytes,
    boolean lockMemory,
    ThreadFactory threads,
    boolean stepped,
    long scrubBytesPerSecond,
    DiskSettings disks,
    PurgeMatcher.Compiler predicates,
    List<StorageClass> classes,
    List<MiddleTier> tiers,
    List<Cell> cells) {

  /**
   * A tier between the memory tier and the disks: a file of regions that is mapped and served from
   * in place.
   *
   * @param directory on a tmpfs, hugetlbfs or DAX mount
   * @param bytes of its regions
   */
  public record MiddleTier(Path directory, long bytes) {}

  /**
   * A part of the memory tier: what some lanes write lies there, while there is room. All cells
   * have the same share of the tier. A tier with too few regions has fewer cells.
   *
   * @param node the NUMA node that its memory comes from; negative: any
   * @param lanes that write there; a lane that no cell names writes in the first one
   */
  public record Cell(int node, List<Integer> lanes) {
    public Cell {
      lanes = List.copyOf(lanes);
    }
  }

  private static final int MIN_INDEX_ENTRIES = 256;

  /**
   * Near-index entries, 64 bytes each: lanes share so many, within what each has at least or most.
   */
  private static final int ALL_NEAR_ENTRIES = 524_288;

  private static final int MIN_NEAR_ENTRIES = 8192;
  private static final int MAX_NEAR_ENTRIES = 65_536;

  /** All defaults. */
  public static StoreSettings of(
      Path dataDirectory, long memoryBytes, int lanes, LongSupplier clockMillis) {
    return new StoreSettings(
        dataDirectory,
        memoryBytes,
        null,
        lanes,
        clockMillis,
        0,
        0,
        0,
        0,
        Tuning.AUTO,
        131_072,
        60_000,
        0,
        600_000,
        4L << 20,
        true,
        task -> Thread.ofPlatform().daemon(true).unstarted(task),
        false,
        0,
        DiskSettings.NONE,
        PurgeMatcher.Compiler.NONE,
        List.of(),
        List.of(),
        List.of());
  }

  public StoreSettings withMemoryDirectory(@Nullable Path directory) {
    Change change = new Change(this);
    change.memoryDirectory = directory;
    return change.done();
  }

  /** Sizes other than those that follow from the size of the memory tier. */
  public StoreSettings withSizes(int newRegionBytes, long newIndexEntries, int newNearEntries) {
    Change change = new Change(this);
    change.regionBytes = newRegionBytes;
    change.indexEntries = newIndexEntries;
    change.diskEntries = 0;
    change.nearEntries = newNearEntries;
    return change.done();
  }

  /** A bound of the whole index other than that which follows from the sizes. */
  public StoreSettings withIndexEntries(long entries) {
    return withSizes(regionBytes, entries, nearEntries);
  }

  /** Bounds of the index other than those which follow from the sizes of memory and disks. */
  public StoreSettings withIndex(IndexCapacity capacity) {
    Change change = new Change(this);
    change.indexEntries = capacity.memoryEntries();
    change.diskEntries = capacity.diskEntries();
    return change.done();
  }

  public StoreSettings withEviction(Tuning tuning) {
    Change change = new Change(this);
    change.eviction = tuning;
    return change.done();
  }

  public StoreSettings withPurges(int scopes, long retireMillis, long compactBytes) {
    Change change = new Change(this);
    change.purgeScopes = scopes;
    change.purgeRetireMillis = retireMillis;
    change.journalCompactBytes = compactBytes;
    return change.done();
  }

  /** For how long soft purges can be undone. */
  public StoreSettings withPurgeUndo(long millis) {
    Change change = new Change(this);
    change.purgeUndoMillis = millis;
    return change.done();
  }

  public StoreSettings withFillDeadlineMillis(long millis) {
    Change change = new Change(this);
    change.fillDeadlineMillis = millis;
    return change.done();
  }

  public StoreSettings withLockMemory(boolean lock) {
    Change change = new Change(this);
    change.lockMemory = lock;
    return change.done();
  }

  /** How much of the memory tier is checked in a second. */
  public StoreSettings withScrub(long bytesPerSecond) {
    Change change = new Change(this);
    change.scrubBytesPerSecond = bytesPerSecond;
    return change.done();
  }

  /** Devices of the disk tier. */
  public StoreSettings withDisks(DiskSettings newDisks) {
    Change change = new Change(this);
    change.disks = newDisks;
    return change.done();
  }

  /** What the texts of predicate purges mean. */
  public StoreSettings withPredicates(PurgeMatcher.Compiler compiler) {
    Change change = new Change(this);
    change.predicates = compiler;
    return change.done();
  }

  /** Storage classes besides the default one. */
  public StoreSettings withClasses(List<StorageClass> newClasses) {
    Change change = new Change(this);
    change.classes = List.copyOf(newClasses);
    return change.done();
  }

  /** Byte-addressable tiers between the memory tier and the disks. */
  public StoreSettings withTiers(List<MiddleTier> newTiers) {
    Change change = new Change(this);
    change.tiers = List.copyOf(newTiers);
    return change.done();
  }

  /** The division of the memory tier; none or one: it is not divided. */
  public StoreSettings withCells(List<Cell> newCells) {
    Change change = new Change(this);
    change.cells = List.copyOf(newCells);
    return change.done();
  }

  public StoreSettings withClock(LongSupplier newClockMillis) {
    Change change = new Change(this);
    change.clockMillis = newClockMillis;
    return change.done();
  }

  /** Threads made by the caller, or none: then the caller calls {@link ObjectStore#step}. */
  public StoreSettings withThreads(ThreadFactory factory, boolean isStepped) {
    Change change = new Change(this);
    change.threads = factory;
    change.stepped = isStepped;
    return change.done();
  }

  /** A copy in the making. */
  private static final class Change {
    private final Path dataDirectory;
    private final long memoryBytes;
    private @Nullable Path memoryDirectory;
    private final int lanes;
    private LongSupplier clockMillis;
    private int regionBytes;
    private long indexEntries;
    private long diskEntries;
    private int nearEntries;
    private Tuning eviction;
    private int purgeScopes;
    private long purgeRetireMillis;
    private long purgeUndoMillis;
    private long fillDeadlineMillis;
    private long journalCompactBytes;
    private boolean lockMemory;
    private ThreadFactory threads;
    private boolean stepped;
    private long scrubBytesPerSecond;
    private DiskSettings disks;
    private PurgeMatcher.Compiler predicates;
    private List<StorageClass> classes;
    private List<MiddleTier> tiers;
    private List<Cell> cells;

    Change(StoreSettings from) {
      dataDirectory = from.dataDirectory;
      memoryBytes = from.memoryBytes;
      memoryDirectory = from.memoryDirectory;
      lanes = from.lanes;
      clockMillis = from.clockMillis;
      regionBytes = from.regionBytes;
      indexEntries = from.indexEntries;
      diskEntries = from.diskEntries;
      nearEntries = from.nearEntries;
      eviction = from.eviction;
      purgeScopes = from.purgeScopes;
      purgeRetireMillis = from.purgeRetireMillis;
      purgeUndoMillis = from.purgeUndoMillis;
      fillDeadlineMillis = from.fillDeadlineMillis;
      journalCompactBytes = from.journalCompactBytes;
      lockMemory = from.lockMemory;
      threads = from.threads;
      stepped = from.stepped;
      scrubBytesPerSecond = from.scrubBytesPerSecond;
      disks = from.disks;
      predicates = from.predicates;
      classes = from.classes;
      tiers = from.tiers;
      cells = from.cells;
    }

    StoreSettings done() {
      return new StoreSettings(
          dataDirectory,
          memoryBytes,
          memoryDirectory,
          lanes,
          clockMillis,
          regionBytes,
          indexEntries,
          diskEntries,
          nearEntries,
          eviction,
          purgeScopes,
          purgeRetireMillis,
          purgeUndoMillis,
          fillDeadlineMillis,
          journalCompactBytes,
          lockMemory,
          threads,
          stepped,
          scrubBytesPerSecond,
          disks,
          predicates,
          classes,
          tiers,
          cells);
    }
  }

  /** These settings with every size filled in. */
  StoreSettings resolved() throws StoreException {
    TierGeometry standard = TierGeometry.of(memoryBytes);
    int region = regionBytes == 0 ? standard.regionBytes() : regionBytes;
    int least = TierGeometry.TINY_REGION;
    if (region < least || region % 4096 != 0) {
      throw bad("a region of " + region + " bytes: at least " + least + ", in steps of 4096");
    }
    if (memoryBytes / region < TierGeometry.MIN_REGIONS) {
      throw bad(
          String.format(
              "a memory tier of %d bytes holds fewer than %d regions of %d: enlarge it",
              memoryBytes, TierGeometry.MIN_REGIONS, region));
    }
    if (memoryBytes / region > 1 << 20) {
      throw bad("more than a million regions: use larger regions");
    }
    long regions = memoryBytes / region;
    for (MiddleTier tier : tiers) {
      if (tier.bytes() / region < TierGeometry.MIN_REGIONS) {
        throw bad(
            String.format(
                "the tier of %d bytes in %s holds fewer than %d regions of %d: enlarge it",
                tier.bytes(), tier.directory(), TierGeometry.MIN_REGIONS, region));
      }
      regions += tier.bytes() / region;
    }
    if (regions > 1 << 20) {
      throw bad("more than a million regions in all tiers: use larger regions");
    }
    if (lanes < 1 || !eviction.isValid() || purgeScopes < 16) {
      throw bad(
          "lanes at least 1, protected share at most 0.95, touch threshold 1 or 2, purge scopes at"
              + " least 16");
    }
    for (Cell cell : cells) {
      if (cell.lanes().stream().anyMatch(lane -> lane < 0 || lane >= lanes)) {
        throw bad("a cell names lanes " + cell.lanes() + ", and there are " + lanes);
      }
    }
    if (indexEntries != 0 && indexEntries < MIN_INDEX_ENTRIES) {
      throw bad("an index of " + indexEntries + " entries: the minimum is " + MIN_INDEX_ENTRIES);
    }
    Change change = new Change(this);
    change.regionBytes = region;
    if (diskEntries == 0) {
      IndexCapacity capacity =
          IndexCapacity.of(
              memoryBytes,
              tierBytes(),
              disks.bytes(),
              indexEntries,
              IndexCapacity.Learned.NOTHING,
              0);
      change.indexEntries = capacity.memoryEntries();
      change.diskEntries = capacity.diskEntries();
    }
    change.nearEntries = nearEntries == 0 ? nearEntries(lanes, change.indexEntries) : nearEntries;
    return change.done();
  }

  /** Many where lanes are few, for they lie in the heap; no more than there are objects. */
  private static int nearEntries(int lanes, long indexEntries) {
    int share = Math.clamp(ALL_NEAR_ENTRIES / lanes, MIN_NEAR_ENTRIES, MAX_NEAR_ENTRIES);
    return Integer.highestOneBit((int) Math.min(share, indexEntries));
  }

  /** Of settings whose sizes are filled in. */
  TierGeometry shape() {
    return TierGeometry.of(memoryBytes, regionBytes, indexEntries);
  }

  /** Of all middle tiers. */
  long tierBytes() {
    return tiers.stream().mapToLong(MiddleTier::bytes).sum();
  }

  /** Of the first tier. */
  int regionCount() {
    return (int) (memoryBytes / regionBytes);
  }

  /** The regions of each cell. */
  List<RegionPart> cellParts() {
    return RegionPart.cells(regionCount(), Math.max(1, cells.size()));
  }

  /** The node of a cell, negative for any. */
  int nodeOf(int cell) {
    return cell < cells.size() ? cells.get(cell).node() : -1;
  }

  /** The cell of each lane, where there are so many. */
  int[] cellOfLane(int cellCount) {
    int[] cellOfLane = new int[lanes];
    for (int cell = 0; cell < cells.size(); cell++) {
      for (int lane : cells.get(cell).lanes()) {
        cellOfLane[lane] = cell % cellCount;
      }
    }
    return cellOfLane;
  }

  private static StoreException bad(String message) {
    return new StoreException(StoreException.Kind.BAD_SETTINGS, message);
  }
}
