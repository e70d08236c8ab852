package io.forebay.server;

import io.forebay.server.config.MemorySize;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.TierConfig;
import io.forebay.storage.IndexCapacity;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.memory.MachineMemory;
import io.forebay.storage.memory.MiddleTierMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Plans the memory of this process: the sum of all its parts, compared with the available memory.
 * If the memory tier is configured as a share, its size is chosen so that the sum fits.
 *
 * <pre>
 *  |<------------------------- what the process can have ------------------------->|
 *  +-------------+-------+--------------+------+--------+-----+-------------------+
 *  | memory tier | index | disk buffers | heap | direct | JVM | reserve, not ours |
 *  +-------------+-------+--------------+------+--------+-----+-------------------+
 *    share of the whole    bounds that are only reached under full load
 * </pre>
 *
 * <p>Middle tiers on a tmpfs or hugetlbfs lie beside the memory tier; those on other file systems
 * take no memory, but the index names what lies there.
 *
 * @param heapBytes the most the heap may grow to
 * @param directBytes the most that buffers of connections may grow to
 * @param diskBytes of the disks; the index names what lies there
 * @param indexEntries of the index as set, 0: not set
 * @param indexPercent of what the process can have, at most for an index without a setting
 * @param learnedEntries that an earlier run would have needed
 * @param bufferBytes of the disks
 * @param placeBytes of the file system for the memory tier; 0 where that is not known
 * @param middleBytes of all middle tiers
 * @param middleMemoryBytes of those that take memory of the machine
 * @param ringBytes of the request rings of this process and the one before
 */
record MemoryPlan(
    MachineMemory.Reading machine,
    long heapBytes,
    long directBytes,
    long diskBytes,
    long indexEntries,
    int indexPercent,
    IndexCapacity.Learned learnedEntries,
    long bufferBytes,
    long placeBytes,
    long middleBytes,
    long middleMemoryBytes,
    long ringBytes) {

  /** Code, classes, stacks of threads, the collector's tables: seen to be 110 to 150 MiB. */
  static final long JVM_BYTES = 160L << 20;

  private static final long MIN_TIER_BYTES = 16L << 20;

  private static final Path DEFAULT_PLACE = Path.of("/dev/shm");

  /** Of a file system that holds the tier and its index, what is left alone. */
  private static final double PLACE_SHARE = 0.98;

  static MemoryPlan of(ServerConfig config, MachineMemory machine) {
    MachineMemory.Reading reading = machine.read();
    List<DeviceSettings> disks =
        config.stores().stream()
            .map(disk ->
                DeviceSettings.of(disk.name(), disk.path(), disk.bytes())
                    .withReaders(disk.readers())
                    .withTransit(ConfiguredDisks.transitBytes(disk, config, reading.limitBytes())))
            .toList();
    return new MemoryPlan(
        reading,
        Runtime.getRuntime().maxMemory(),
        io.netty.util.internal.PlatformDependent.maxDirectMemory(),
        disks.stream().mapToLong(DeviceSettings::bytes).sum(),
        config.store().indexEntries(),
        config.store().indexMemoryPercent(),
        IndexCapacity.learned(config.store().data()),
        DiskTier.bufferBytes(disks),
        placeBytes(config.store().memoryDirectory()),
        config.store().tiers().stream().mapToLong(TierConfig::bytes).sum(),
        config.store().tiers().stream()
            .filter(tier -> MiddleTierMemory.isMemoryOfMachine(tier.path()))
            .mapToLong(TierConfig::bytes)
            .sum(),
        ringBytes(config));
  }

  private static long ringBytes(ServerConfig config) {
    int set = config.threads().loops();
    int loops = set > 0 ? set : Runtime.getRuntime().availableProcessors();
    return 2L * loops * config.accessLog().ringBytes();
  }

  private static long placeBytes(@Nullable Path named) {
    Path place = named != null ? named.toAbsolutePath() : DEFAULT_PLACE;
    while (place != null && !Files.exists(place)) {
      place = place.getParent();
    }
    try {
      return place == null ? 0 : Files.getFileStore(place).getTotalSpace();
    } catch (IOException e) {
      return 0;
    }
  }

  /** What lies beside tier and index. */
  private long besideBytes() {
    return middleMemoryBytes + ringBytes + bufferBytes + heapBytes + directBytes + JVM_BYTES;
  }

  /** For the kernel's own tables, and for whatever else is started here. */
  private long reserveBytes() {
    return (32L << 20) + machine.limitBytes() / 50;
  }

  /**
   * The size of the memory tier.
   *
   * @throws StartException when a share leaves none
   */
  long tierBytes(MemorySize size, boolean isPlaceNamed) throws StartException {
    if (!size.isShare()) {
      return size.bytes();
    }
    if (machine.limitBytes() == 0) {
      throw refused(size, "the amount of memory cannot be determined: set a size, such as 2GiB");
    }
    long wanted = machine.limitBytes() / 100 * size.percent();
    long fitting = withoutIndex(machine.limitBytes() - reserveBytes() - besideBytes());
    long bytes = Math.min(wanted, fitting);
    long placeable = withoutIndex((long) (placeBytes * PLACE_SHARE));
    // The default place of a container is so small that memory which dies with the process is
    // better; a place that is only somewhat smaller is not given up for that.
    if (placeBytes > 0 && (isPlaceNamed || placeable >= bytes / 2)) {
      bytes = Math.min(bytes, placeable);
    }
    bytes = rounded(bytes);
    if (bytes < MIN_TIER_BYTES) {
      throw refused(
          size,
          String.format(
              Locale.ROOT,
              "of %s (%s) heap, direct memory and the rest take %s: raise that limit, or reduce the"
                  + " JVM's share (-Xmx, -XX:MaxDirectMemorySize)",
              mebibytes(machine.limitBytes()),
              machine.limitedBy(),
              mebibytes(besideBytes() + reserveBytes())));
    }
    return bytes;
  }

  private static StartException refused(MemorySize size, String why) {
    return new StartException(
        StartException.NO_RESOURCE, List.of("store.memory: " + size + ": " + why));
  }

  /** Of so many bytes for tier and index, those for the tier. */
  private long withoutIndex(long bytes) {
    long least = index(MIN_TIER_BYTES).bytes();
    long left = Math.max(0, bytes - least);
    if (indexEntries != 0) {
      return left;
    }
    long sample = 1L << 40;
    double perByte =
        (double) IndexCapacity.of(sample, 0, 0, IndexCapacity.Learned.NOTHING, 0).bytes() / sample;
    return (long) (left / (1 + perByte));
  }

  /** The index of a memory tier of this size, and of the disks. */
  IndexCapacity index(long tierBytes) {
    return IndexCapacity.of(
        tierBytes,
        middleBytes,
        diskBytes,
        indexEntries,
        learnedEntries,
        machine.limitBytes() / 100 * indexPercent);
  }

  /** Which part of the disks the index can name, in one line; empty without disks. */
  String indexLine(long tierBytes) {
    if (diskBytes == 0) {
      return "";
    }
    IndexCapacity index = index(tierBytes);
    return String.format(
        Locale.ROOT,
        "%d entries in %s, %d of them for objects on disks only, can name %s of the disks if objects"
            + " have 32 KB, %s at 100 KB, %s at 1 MB",
        index.entries(),
        mebibytes(index.bytes()),
        index.diskEntries(),
        percent(index.diskShare(32_000)),
        percent(index.diskShare(100_000)),
        percent(index.diskShare(1_000_000)));
  }

  private static String percent(double share) {
    return String.format(Locale.ROOT, share < 0.1 ? "%.1f %%" : "%.0f %%", share * 100);
  }

  /** What to tell the operator of the index; null if nothing. */
  @Nullable String indexWarning(long tierBytes) {
    IndexCapacity index = index(tierBytes);
    if (!index.isLimitedByMemory()) {
      return null;
    }
    return String.format(
        Locale.ROOT,
        "the index has %d entries (%s, %d%% of memory) instead of %d: the disks fill up only"
            + " if an object or MiB of a body takes %d KiB on average; below that the oldest"
            + " objects are evicted although there is space (store.index-memory,"
            + " store.index-entries)",
        index.entries(),
        mebibytes(index.bytes()),
        indexPercent,
        index.wanted(),
        index.diskBytesPerEntry() >> 10);
  }

  /**
   * Refuses what can't fit where it is to lie, before anything is allocated.
   *
   * @param named the directory that the configuration names; null for the default place
   * @throws StartException when memory tier and index are larger than their place
   */
  void requirePlace(long tierBytes, @Nullable Path named) throws StartException {
    long indexBytes = index(tierBytes).bytes();
    if (named != null && placeBytes > 0 && tierBytes + indexBytes > placeBytes) {
      throw new StartException(
          StartException.NO_RESOURCE,
          List.of(
              String.format(
                  Locale.ROOT,
                  "store.memory-directory: memory tier (%s) and index (%s) need more than the file"
                      + " system of %s has (%s): enlarge it, or reduce store.memory or"
                      + " store.index-entries",
                  mebibytes(tierBytes),
                  mebibytes(indexBytes),
                  named,
                  mebibytes(placeBytes))));
    }
  }

  /** The sum before a store is open, with what the index is expected to take. */
  Sum expectedSum(long tierBytes) {
    return sum(
        new ObjectStore.MemoryParts(
            tierBytes, middleMemoryBytes, index(tierBytes).bytes(), bufferBytes, ""));
  }

  /** In steps of a thirty-second or finer, so that a few pages more or less are the same size. */
  private static long rounded(long bytes) {
    long step = Math.max(1 << 20, Long.highestOneBit(Math.max(1, bytes)) / 32);
    return bytes / step * step;
  }

  /** How a share was turned into a size, for the log; null where a size was given. */
  @Nullable String choice(MemorySize size, long tierBytes) {
    if (!size.isShare()) {
      return null;
    }
    long wanted = machine.limitBytes() / 100 * size.percent();
    return String.format(
        Locale.ROOT,
        "store.memory: %s of %s (%s) are %s, and the memory tier takes %s%s",
        size,
        mebibytes(machine.limitBytes()),
        machine.limitedBy(),
        mebibytes(wanted),
        mebibytes(tierBytes),
        tierBytes < wanted - wanted / 16
            ? ": more does not fit beside heap, direct memory and index, or into its directory"
            : "");
  }

  /** The sum with what the store has really taken. */
  Sum sum(ObjectStore.MemoryParts store) {
    return new Sum(
        store.tierBytes(),
        store.middleBytes(),
        store.indexBytes(),
        store.bufferBytes(),
        heapBytes,
        directBytes,
        ringBytes,
        machine.limitBytes(),
        machine.limitedBy());
  }

  /** What everything may add up to, and what the process can have. */
  record Sum(
      long tierBytes,
      long middleBytes,
      long indexBytes,
      long bufferBytes,
      long heapBytes,
      long directBytes,
      long ringBytes,
      long limitBytes,
      String limitedBy) {

    long bytes() {
      return tierBytes
          + middleBytes
          + indexBytes
          + bufferBytes
          + heapBytes
          + directBytes
          + ringBytes
          + JVM_BYTES;
    }

    boolean fits() {
      return limitBytes == 0 || bytes() <= limitBytes;
    }

    /** What to say where it does not fit. */
    String warning() {
      return "memory: "
          + line()
          + ": under full load the kernel may kill this process; reduce the memory tier, the heap"
          + " (-Xmx) or direct memory (-XX:MaxDirectMemorySize)";
    }

    /** The arithmetic in one line. */
    String line() {
      return String.format(
          Locale.ROOT,
          "%s = tier %s%s + index %s + disk buffers %s + heap %s + direct %s%s + JVM %s, %s",
          mebibytes(bytes()),
          number(tierBytes),
          middleBytes == 0 ? "" : " + middle tiers " + number(middleBytes),
          number(indexBytes),
          number(bufferBytes),
          number(heapBytes),
          number(directBytes),
          ringBytes == 0 ? "" : " + request rings " + number(ringBytes),
          number(JVM_BYTES),
          limitBytes == 0
              ? "of an unknown limit"
              : (fits() ? "of " : "MORE THAN ") + mebibytes(limitBytes) + " (" + limitedBy + ")");
    }

    private static String number(long bytes) {
      return Long.toString((bytes + (1 << 19)) >> 20);
    }
  }

  static String mebibytes(long bytes) {
    return (bytes >> 20) + " MiB";
  }
}
