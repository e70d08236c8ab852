package io.forebay.storage;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.file.DefaultMemoryDirectory;
import io.forebay.storage.file.PrivateFiles;
import io.forebay.storage.file.UnsafeFileException;
import io.forebay.storage.index.ChronicleIndex;
import io.forebay.storage.index.DiskIndex;
import io.forebay.storage.index.IndexChecksum;
import io.forebay.storage.index.TieredIndex;
import io.forebay.storage.layout.CheckedLong;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.lock.DirectoryInUseException;
import io.forebay.storage.lock.DirectoryLock;
import io.forebay.storage.memory.ForeignFileException;
import io.forebay.storage.memory.Headroom;
import io.forebay.storage.memory.TierFile;
import io.forebay.storage.memory.TierMemory;
import io.forebay.storage.placement.StorageClassNumbers;
import io.forebay.storage.placement.StorageClasses;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.region.Regions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Deque;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens or creates the files of a store: lock, journal, memory tier and index, and decides how far
 * their contents are trusted. If anything is doubtful, a tier opens empty and the index is rebuilt.
 */
final class StoreFiles {
  private static final Logger LOG = LoggerFactory.getLogger(ObjectStore.class);

  static final String JOURNAL_FILE = "purge.journal";
  private static final String INDEX_FILE = "index.map";

  /** Beside a number of entries: what lies on a disk only is in a table of that disk. */
  private static final long TABLES = 1L << 62;

  /** What the tier was left as. */
  enum Opening {
    EMPTY,
    CLEAN,
    UNCLEAN
  }

  private final StoreSettings settings;
  private final Purges purges;
  private final StorageClassNumbers classNumbers;
  private final StorageClasses classes;
  private final TierMemory tier;
  private final String place;
  private final Opening opening;
  private final Regions regions;
  private final @Nullable Path mapFile;
  private final long newestMillis;
  private final int epoch;
  private final TieredIndex index;
  private final boolean isWarm;

  /** Only to ask how long it is; null for an index that is no file. */
  private final @Nullable FileChannel indexFile;

  private final long indexFileBytes;

  /**
   * @param owned takes what has to be closed again, the newest first, also when this fails
   * @param made what this start makes in memory
   * @param onJournalWork rung when the journal has something to do
   */
  StoreFiles(
      StoreSettings settings, Deque<AutoCloseable> owned, StartCleanup made, Runnable onJournalWork)
      throws IOException {
    this.settings = settings;
    Path data = settings.dataDirectory();
    PrivateFiles.createDirectories(data);
    owned.push(DirectoryLock.take(data));
    this.purges =
        Purges.read(
            data.resolve(JOURNAL_FILE),
            settings.purgeScopes(),
            settings.journalCompactBytes(),
            settings.clockMillis(),
            new SecureRandom(),
            settings.predicates(),
            onJournalWork);
    owned.push(purges);
    this.classNumbers = StorageClassNumbers.read(data);
    this.classes = new StorageClasses(classNumbers);
    classes.prepare(settings.classes());
    classes.configure(settings.classes());

    long tierBytes = TierHeader.LENGTH + (long) settings.regionCount() * settings.regionBytes();
    Path directory = null;
    TierMemory mapped = null;
    if (settings.memoryDirectory() != null) {
      directory = settings.memoryDirectory();
      boolean isNewDirectory = !Files.isDirectory(directory);
      PrivateFiles.createDirectories(directory);
      if (!Files.isSameFile(directory, data)) {
        owned.push(DirectoryLock.take(directory));
      }
      owned.push(made);
      if (isNewDirectory) {
        made.add(directory.resolve(DirectoryLock.NAME));
        made.add(directory);
      }
      mapped = map(directory, tierBytes);
      if (mapped.isNew()) {
        made.addFirst(directory.resolve(TierFile.NAME));
      }
    } else {
      try {
        directory = takeDefault(data, owned);
        mapped = map(directory, tierBytes);
        owned.push(made);
        if (mapped.isNew()) {
          made.addDefault(directory, data);
        }
      } catch (ForeignFileException e) {
        throw e;
      } catch (UnsafeFileException e) {
        throw e;
      } catch (IOException e) {
        LOG.warn(
            "the memory tier does not survive a restart of this process: {}",
            FileErrors.oneLine(e));
        if (directory != null) {
          giveUpDefault(directory, data, owned);
        }
        directory = null;
      }
    }
    if (mapped == null) {
      mapped = TierMemory.anonymous(tierBytes, new Headroom(), settings.lockMemory());
    }
    this.tier = mapped;
    owned.push(mapped);
    this.place = directory == null ? "memory of this process" : directory.toString();

    this.opening = inspect();
    MemorySegment memory = mapped.memory();
    this.regions = new Regions(memory, settings.regionBytes(), settings.regionCount());
    this.newestMillis =
        opening == Opening.EMPTY ? 0 : CheckedLong.read(memory, TierHeader.NEWEST_MILLIS_OFFSET, 0);
    Path mapFile = directory == null ? null : directory.resolve(INDEX_FILE);
    this.mapFile = mapFile;
    ChronicleIndex opened = null;
    boolean isIndexThere = mapFile != null && PrivateFiles.check(mapFile);
    if (opening == Opening.CLEAN && mapFile != null && isIndexThere && areRegionsSound()) {
      opened = attach(mapFile);
    }
    this.isWarm = opened != null;
    this.epoch = newEpoch();
    prepare();
    if (opened == null) {
      if (mapFile == null) {
        opened = ChronicleIndex.anonymous(settings.indexEntries());
      } else {
        // Tables are as old as the map, or as useless.
        for (Path table : TieredIndex.files(Objects.requireNonNull(directory))) {
          Files.delete(table);
        }
        // Made here, so that it has its mode from the beginning and no link is followed.
        PrivateFiles.createNew(mapFile).close();
        if (mapped.isNew()) {
          made.addFirst(mapFile);
        }
        new Headroom()
            .require(
                Objects.requireNonNull(directory),
                ChronicleIndex.estimatedBytes(settings.indexEntries()) + tableBytes(),
                "the index of " + (settings.indexEntries() + settings.diskEntries()) + " entries");
        opened = ChronicleIndex.persisted(mapFile, settings.indexEntries());
      }
    }
    TierMemory tierMemory = mapped;
    this.index =
        new TieredIndex(
            opened,
            hasDisks() ? settings.disks().keyHash() : null,
            directory,
            isWarm,
            file -> {
              if (tierMemory.isNew()) {
                made.addFirst(file);
              }
            });
    // Sealed after the map, which is closed before that.
    owned.push(index::closeTables);
    FileChannel watched = mapFile == null ? null : PrivateFiles.openToRead(mapFile);
    this.indexFile = watched;
    this.indexFileBytes = watched == null ? 0 : watched.size();
    if (watched != null) {
      owned.push(watched);
    }
    // Closed before what watches it: closing any channel of a file gives up the map's own locks.
    owned.push(index);
  }

  private boolean hasDisks() {
    return !settings.disks().devices().isEmpty();
  }

  /** What the tables of the disks may take. */
  private long tableBytes() {
    long sum = 0;
    for (DeviceSettings disk : settings.disks().devices()) {
      double share = (double) disk.bytes() / Math.max(1, settings.disks().bytes());
      sum += DiskIndex.bytes((long) (settings.diskEntries() * share));
    }
    return sum;
  }

  Purges purges() {
    return purges;
  }

  StorageClasses classes() {
    return classes;
  }

  TierMemory tier() {
    return tier;
  }

  /** Where tier and index lie, for people. */
  String place() {
    return place;
  }

  boolean isEmpty() {
    return opening == Opening.EMPTY;
  }

  /** Whether the index is complete as it is. */
  boolean isWarm() {
    return isWarm;
  }

  /** When the store was last known to be at work; 0 if it opened empty. */
  long newestMillis() {
    return newestMillis;
  }

  Regions regions() {
    return regions;
  }

  /** Told from that of every other start by chance alone: what is in the tier does not know it. */
  int epoch() {
    return epoch;
  }

  TieredIndex index() {
    return index;
  }

  private TierMemory map(Path directory, long tierBytes) throws IOException {
    return TierMemory.map(
        directory.resolve(TierFile.NAME), tierBytes, new Headroom(), settings.lockMemory());
  }

  /** The parent of default memory directories. */
  static DefaultMemoryDirectory memoryPlace() {
    return DefaultMemoryDirectory.system();
  }

  /**
   * Takes the default memory directory and its lock. This process owns the data directory, so any
   * other holder of that lock has no right to it.
   */
  private static Path takeDefault(Path data, Deque<AutoCloseable> owned) throws IOException {
    DefaultMemoryDirectory places = memoryPlace();
    Path directory = places.take(data);
    try {
      owned.push(DirectoryLock.take(directory));
    } catch (DirectoryInUseException e) {
      LOG.warn("{}. A new memory directory replaces it", e.getMessage());
      directory = places.fresh(data);
      owned.push(DirectoryLock.take(directory));
    }
    return directory;
  }

  /** The directory that was taken last holds no tier: it goes, and its lock with it. */
  private static void giveUpDefault(Path directory, Path data, Deque<AutoCloseable> owned) {
    try {
      if (!PrivateFiles.exists(directory.resolve(TierFile.NAME))) {
        memoryPlace().forget(directory, data);
      }
      owned.pop().close();
    } catch (Exception e) {
      LOG.warn("{} could not be removed: {}", directory, e.toString());
    }
  }

  /** What the tier's first page says of what lies behind it. Doubt means empty. */
  private Opening inspect() {
    MemorySegment memory = tier.memory();
    if (tier.isNew() || !tier.outlivesProcess()) {
      return Opening.EMPTY;
    }
    ByteBuffer identity = ByteBuffer.wrap(purges.identity()).order(ByteOrder.LITTLE_ENDIAN);
    boolean isOurs =
        memory.get(Layouts.LONG, TierHeader.MAGIC_OFFSET) == TierHeader.MAGIC
            && TierHeader.isSupported(memory.get(Layouts.INT, TierHeader.VERSION_OFFSET))
            && memory.get(Layouts.INT, TierHeader.LENGTH_OFFSET) == TierHeader.LENGTH
            && memory.get(Layouts.LONG, TierHeader.IDENTITY_OFFSET) == identity.getLong(0)
            && memory.get(Layouts.LONG, TierHeader.IDENTITY_OFFSET + Long.BYTES)
                == identity.getLong(Long.BYTES)
            && memory.get(Layouts.INT, TierHeader.REGION_BYTES_OFFSET) == settings.regionBytes()
            && memory.get(Layouts.INT, TierHeader.REGION_COUNT_OFFSET) == settings.regionCount()
            && memory.get(Layouts.INT, TierHeader.CRC_OFFSET) == TierHeader.checksum(memory);
    if (!isOurs) {
      LOG.info(
          "the memory tier in {} belongs to another store or has another geometry: it opens empty",
          place);
      return Opening.EMPTY;
    }
    if (TierHeader.mayHaveClasses(memory) && !classNumbers.isSound()) {
      LOG.warn("the numbers of storage classes are lost: the memory tier in {} opens empty", place);
      return Opening.EMPTY;
    }
    // A tier that was away while purges were swept and forgotten can't know what they killed.
    if (CheckedLong.read(memory, TierHeader.SWEPT_THROUGH_OFFSET, -1) < purges.retiredThrough()) {
      LOG.info("the memory tier in {} missed purges: it opens empty", place);
      return Opening.EMPTY;
    }
    if (TierHeader.isClean(memory)) {
      return Opening.CLEAN;
    }
    UUID boot = bootIdentity();
    boolean isThisBoot =
        memory.get(Layouts.LONG, TierHeader.BOOT_OFFSET) == boot.getMostSignificantBits()
            && memory.get(Layouts.LONG, TierHeader.BOOT_OFFSET + Long.BYTES)
                == boot.getLeastSignificantBits();
    if (!isThisBoot) {
      // It is unknown which part of it reached a disk before the machine stopped.
      LOG.info(
          "the memory tier in {} did not survive a stop of the machine: it opens empty", place);
      return Opening.EMPTY;
    }
    return Opening.UNCLEAN;
  }

  /** The index names records by the generations of their regions. */
  private boolean areRegionsSound() {
    for (int region = 0; region < regions.count(); region++) {
      if (!regions.isSound(region)) {
        LOG.warn("the header of region {} in {} is damaged: the index is rebuilt", region, place);
        return false;
      }
    }
    return true;
  }

  private @Nullable ChronicleIndex attach(Path file) {
    MemorySegment memory = tier.memory();
    if (memory.get(Layouts.LONG, TierHeader.INDEX_ENTRIES_OFFSET) != notedEntries()) {
      return null;
    }
    long begin = System.nanoTime();
    try {
      long seal = checksum(file);
      if (memory.get(Layouts.LONG, TierHeader.INDEX_SEAL_OFFSET) != seal) {
        LOG.warn(
            "{}, or the table of a disk beside it, is damaged (checksum): the index is rebuilt",
            file);
        return null;
      }
      LOG.info(
          "{} is unchanged since the last stop: {} MiB checked in {} ms",
          file,
          Files.size(file) >> 20,
          (System.nanoTime() - begin) / 1_000_000);
      return ChronicleIndex.persisted(file, settings.indexEntries());
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} cannot be used and is recreated: {}", file, e.toString());
      return null;
    }
  }

  private static int newEpoch() {
    SecureRandom random = new SecureRandom();
    int drawn;
    do {
      drawn = random.nextInt();
    } while (drawn == 0);
    return drawn;
  }

  /** Writes what this start says of itself. */
  private void prepare() {
    MemorySegment memory = tier.memory();
    TierHeader.markUnclean(memory);
    if (opening == Opening.EMPTY) {
      memory.set(Layouts.LONG, TierHeader.MAGIC_OFFSET, 0);
      memory.set(Layouts.INT, TierHeader.VERSION_OFFSET, TierHeader.VERSION);
      memory.set(Layouts.INT, TierHeader.LENGTH_OFFSET, TierHeader.LENGTH);
      ByteBuffer identity = ByteBuffer.wrap(purges.identity()).order(ByteOrder.LITTLE_ENDIAN);
      memory.set(Layouts.LONG, TierHeader.IDENTITY_OFFSET, identity.getLong(0));
      memory.set(
          Layouts.LONG, TierHeader.IDENTITY_OFFSET + Long.BYTES, identity.getLong(Long.BYTES));
      memory.set(Layouts.INT, TierHeader.REGION_BYTES_OFFSET, settings.regionBytes());
      memory.set(Layouts.INT, TierHeader.REGION_COUNT_OFFSET, settings.regionCount());
      CheckedLong.write(memory, TierHeader.SWEPT_THROUGH_OFFSET, purges.retiredThrough());
      CheckedLong.write(memory, TierHeader.NEWEST_MILLIS_OFFSET, 0);
      memory.set(Layouts.INT, TierHeader.CRC_OFFSET, TierHeader.checksum(memory));
    }
    if (!settings.classes().isEmpty()) {
      TierHeader.allowClasses(memory);
    }
    if (TierHeader.mayHaveClasses(memory)) {
      regions.classes().use();
    }
    UUID boot = bootIdentity();
    memory.set(Layouts.LONG, TierHeader.BOOT_OFFSET, boot.getMostSignificantBits());
    memory.set(Layouts.LONG, TierHeader.BOOT_OFFSET + Long.BYTES, boot.getLeastSignificantBits());
    memory.set(Layouts.LONG, TierHeader.INDEX_ENTRIES_OFFSET, notedEntries());
    memory.set(Layouts.LONG, TierHeader.INDEX_SEAL_OFFSET, IndexChecksum.NONE);
  }

  /**
   * Whether a region of a tier that was there has no pages for all of its bytes. The page with its
   * header it has from here on.
   *
   * @throws IOException where there is no page left
   */
  boolean lacksPages(int region) throws IOException {
    if (tier.isNew()) {
      return false;
    }
    long base = regions.base(region);
    if (!tier.hasHole(base, settings.regionBytes())) {
      return false;
    }
    tier.allocateAnyway(base, Regions.KEPT_BYTES);
    return true;
  }

  /** From here on records may have classes. */
  void allowClasses() {
    TierHeader.allowClasses(tier.memory());
    regions.classes().use();
  }

  /** Last of all: from here on what lies in the tier counts. */
  void finishFormat() {
    if (opening == Opening.EMPTY) {
      Layouts.longVolatile(tier.memory(), TierHeader.MAGIC_OFFSET, TierHeader.MAGIC);
    }
  }

  /** What is missing of the files that are mapped; null while they are whole. */
  @Nullable String loss() {
    try {
      if (!tier.isWhole()) {
        return place + "/" + TierFile.NAME + " was truncated";
      }
      if (!index.isWhole()) {
        return "the table of a disk in " + place + " was truncated";
      }
      FileChannel file = indexFile;
      return file != null && file.size() < indexFileBytes
          ? place + "/" + INDEX_FILE + " was truncated"
          : null;
    } catch (IOException e) {
      return "its files cannot be read: " + FileErrors.oneLine(e);
    }
  }

  /** Has the next start open empty: what is here was not kept up. Not for a tier that was cut. */
  void discardAtNextStart() {
    try {
      if (tier.isWhole()) {
        tier.memory().set(Layouts.LONG, TierHeader.MAGIC_OFFSET, 0);
      }
    } catch (IOException e) {
      LOG.warn("the memory tier in {}: {}", place, e.toString());
    }
  }

  void noteClock(long millis) {
    CheckedLong.write(tier.memory(), TierHeader.NEWEST_MILLIS_OFFSET, millis);
  }

  /** The next start may attach to the tier: there are no more writes to it or the index. */
  void markClean() {
    if (tier.outlivesProcess()) {
      tier.memory().set(Layouts.LONG, TierHeader.INDEX_SEAL_OFFSET, seal());
      tier.force();
      TierHeader.markClean(tier.memory());
      tier.force();
    }
  }

  /**
   * The bound of the map. A version that has what lies on disks in the map as well must not take it
   * for its own.
   */
  private long notedEntries() {
    return settings.indexEntries() | (hasDisks() ? TABLES : 0);
  }

  /** Of the map and of all tables beside it. */
  private long checksum(Path map) throws IOException {
    long sum = IndexChecksum.of(map, settings.threads());
    for (Path table : TieredIndex.files(map.resolveSibling(""))) {
      sum = Layouts.mix(sum) ^ IndexChecksum.of(table, settings.threads());
    }
    return sum;
  }

  private long seal() {
    if (mapFile == null) {
      return IndexChecksum.NONE;
    }
    try {
      index.saveTables();
      return checksum(mapFile);
    } catch (IOException e) {
      LOG.warn("{} cannot be read and is recreated: {}", mapFile, FileErrors.oneLine(e));
      return IndexChecksum.NONE;
    }
  }

  private static UUID bootIdentity() {
    try {
      return UUID.fromString(Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).trim());
    } catch (IOException | IllegalArgumentException e) {
      // Never the same twice: an unclean tier then opens empty.
      return UUID.randomUUID();
    }
  }
}
