package io.forebay.storage;

import java.nio.file.Path;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How to open a store. A size of 0 means: derive it from the size of the memory tier.
 *
 * @param dataDirectory what outlives a reboot: the purge journal and the lock
 * @param memoryBytes of the memory tier's regions
 * @param memoryDirectory a mounted tmpfs (or the like); null for the default place, or, where that
 *     has no room, memory that does not outlive the process
 * @param lanes how many event loops there are
 * @param clockMillis wall clock
 * @param regionBytes a multiple of 4096
 * @param indexEntries bound of the index
 * @param nearEntries of each lane, a power of two
 * @param protectedShare of the regions that records proven useful may take
 * @param purgeScopes bound of the purge table
 * @param purgeRetireMillis how long a purge stays in the table at least, unless that fills up
 * @param fillDeadlineMillis after how long without progress an unfinished object loses its space
 * @param journalCompactBytes above which length the purge journal is written anew
 * @param lockMemory try to keep the memory tier from being swapped
 * @param threads makes the store's own threads
 * @param stepped the caller steps the store's work; no threads are started
 * @param disks devices of the disk tier
 */
public record StoreSettings(
    Path dataDirectory,
    long memoryBytes,
    @Nullable Path memoryDirectory,
    int lanes,
    LongSupplier clockMillis,
    int regionBytes,
    long indexEntries,
    int nearEntries,
    double protectedShare,
    int purgeScopes,
    long purgeRetireMillis,
    long fillDeadlineMillis,
    long journalCompactBytes,
    boolean lockMemory,
    ThreadFactory threads,
    boolean stepped,
    DiskSettings disks) {

  private static final int MIN_REGIONS = 8;
  private static final int PREFERRED_REGIONS = 128;
  private static final int SMALLEST_REGION = 4 << 20;
  private static final int LARGEST_REGION = 64 << 20;
  private static final int TINY_REGION = 64 << 10;

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
        8192,
        0.5,
        65_536,
        60_000,
        600_000,
        4L << 20,
        true,
        task -> Thread.ofPlatform().daemon(true).unstarted(task),
        false,
        DiskSettings.NONE);
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
    change.nearEntries = newNearEntries;
    return change.done();
  }

  public StoreSettings withProtectedShare(double share) {
    Change change = new Change(this);
    change.protectedShare = share;
    return change.done();
  }

  public StoreSettings withPurges(int scopes, long retireMillis, long compactBytes) {
    Change change = new Change(this);
    change.purgeScopes = scopes;
    change.purgeRetireMillis = retireMillis;
    change.journalCompactBytes = compactBytes;
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

  /** Devices of the disk tier. */
  public StoreSettings withDisks(DiskSettings newDisks) {
    Change change = new Change(this);
    change.disks = newDisks;
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
    private int nearEntries;
    private double protectedShare;
    private int purgeScopes;
    private long purgeRetireMillis;
    private long fillDeadlineMillis;
    private long journalCompactBytes;
    private boolean lockMemory;
    private ThreadFactory threads;
    private boolean stepped;
    private DiskSettings disks;

    Change(StoreSettings from) {
      dataDirectory = from.dataDirectory;
      memoryBytes = from.memoryBytes;
      memoryDirectory = from.memoryDirectory;
      lanes = from.lanes;
      clockMillis = from.clockMillis;
      regionBytes = from.regionBytes;
      indexEntries = from.indexEntries;
      nearEntries = from.nearEntries;
      protectedShare = from.protectedShare;
      purgeScopes = from.purgeScopes;
      purgeRetireMillis = from.purgeRetireMillis;
      fillDeadlineMillis = from.fillDeadlineMillis;
      journalCompactBytes = from.journalCompactBytes;
      lockMemory = from.lockMemory;
      threads = from.threads;
      stepped = from.stepped;
      disks = from.disks;
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
          nearEntries,
          protectedShare,
          purgeScopes,
          purgeRetireMillis,
          fillDeadlineMillis,
          journalCompactBytes,
          lockMemory,
          threads,
          stepped,
          disks);
    }
  }

  /** These settings with every size filled in. */
  StoreSettings resolved() throws StoreException {
    int region = regionBytes;
    if (region == 0) {
      long wanted = Long.highestOneBit(Math.max(1, memoryBytes / PREFERRED_REGIONS));
      wanted = Math.clamp(wanted, SMALLEST_REGION, LARGEST_REGION);
      if (memoryBytes / wanted < 2L * MIN_REGIONS) {
        wanted = Math.max(TINY_REGION, Long.highestOneBit(memoryBytes / (2L * MIN_REGIONS)));
      }
      region = (int) wanted;
    }
    if (region < TINY_REGION || region % 4096 != 0) {
      throw bad("a region of " + region + " bytes: at least " + TINY_REGION + ", in steps of 4096");
    }
    if (memoryBytes / region < MIN_REGIONS) {
      throw bad(
          String.format(
              "a memory tier of %d bytes holds fewer than %d regions of %d: give it more",
              memoryBytes, MIN_REGIONS, region));
    }
    if (memoryBytes / region > 1 << 20) {
      throw bad("more than a million regions: make them larger");
    }
    if (lanes < 1 || protectedShare < 0 || protectedShare > 0.9 || purgeScopes < 16) {
      throw bad("lanes at least 1, protected share 0 to 0.9, purge scopes at least 16");
    }
    long entries =
        indexEntries == 0
            ? Math.max(16_384, (memoryBytes >> 12) + (disks.bytes() >> 15))
            : indexEntries;
    return withSizes(region, entries, nearEntries);
  }

  int regionCount() {
    return (int) (memoryBytes / regionBytes);
  }

  private static StoreException bad(String message) {
    return new StoreException(StoreException.Kind.BAD_SETTINGS, message);
  }
}
