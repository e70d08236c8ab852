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
import io.forebay.storage.memory.AddressRange;
import io.forebay.storage.memory.ForeignFileException;
import io.forebay.storage.memory.Headroom;
import io.forebay.storage.memory.MiddleTierMemory;
import io.forebay.storage.memory.NodeBinding;
import io.forebay.storage.memory.TierFile;
import io.forebay.storage.memory.TierMemory;
import io.forebay.storage.placement.StorageClassNumbers;
import io.forebay.storage.placement.StorageClasses;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.region.RegionPart;
import io.forebay.storage.region.Regions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens or creates the files of a store: lock, journal, memory tiers and index, and decides how far
 * their contents are trusted. If anything is doubtful, a tier opens empty and the index is rebuilt.
 */
final class StoreFiles {
  private static final Logger LOG = LoggerFactory.getLogger(ObjectStore.class);

  static final String JOURNAL_FILE = "purge.journal";
  private static final String INDEX_FILE = "index.map";

  /** Beside a number of entries: what lies on a disk only is in a table of that disk. */
  private static final long TABLES = 1L << 62;

  /** Beside it: the map names regions of middle tiers, too; with a mark of how many there are. */
  private static final long TIERS = 1L << 61;

  private static final long TIERS_MASK = (1L << 29) - 1;

  /** What a tier was left as. */
  enum Opening {
    EMPTY,
    CLEAN,
    UNCLEAN
  }

  private final StoreSettings settings;
  private final Purges purges;
  private final StorageClassNumbers classNumbers;
  private final StorageClasses classes;
  private final MiddleTiers middle;
  private final TierMemory tier;
  private final @Nullable Path directory;
  private final String place;

  /** Of each tier, the first one's first. */
  private final Opening[] openings;

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
            settings.purgeUndoMillis(),
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
    // Its locks and addresses outlast the first tier, which lies in these addresses.
    this.middle = new MiddleTiers(settings, tierBytes, owned, made);
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
        owned.push(made);
      }
    }
    if (mapped == null) {
      mapped = anonymous(tierBytes);
    }
    this.tier = mapped;
    owned.push(mapped);
    middle.map(owned, made);
    this.directory = directory;
    this.place = directory == null ? "memory of this process" : directory.toString();

    this.openings = inspect();
    AddressRange all = middle.range();
    this.regions =
        new Regions(
            all == null ? mapped.memory() : all.segment(),
            settings.regionBytes(),
            middle.regionCounts(),
            middle.headers());
    this.newestMillis = findNewestMillis();
    Path mapFile = directory == null ? null : directory.resolve(INDEX_FILE);
    this.mapFile = mapFile;
    ChronicleIndex opened = null;
    boolean isIndexThere = mapFile != null && PrivateFiles.check(mapFile);
    boolean isClean = Arrays.stream(openings).allMatch(one -> one == Opening.CLEAN);
    if (isClean && mapFile != null && isIndexThere && areRegionsSound()) {
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

  /** Where tier and index lie; null for memory of this process. */
  @Nullable Path directory() {
    return directory;
  }

  /** Where tier and index lie, for people. */
  String place() {
    return place;
  }

  /** Whether all tiers opened empty. */
  boolean isEmpty() {
    return Arrays.stream(openings).allMatch(one -> one == Opening.EMPTY);
  }

  /** Whether one tier did. */
  boolean isEmpty(int tierNumber) {
    return openings[tierNumber] == Opening.EMPTY;
  }

  MiddleTiers middle() {
    return middle;
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
        directory.resolve(TierFile.NAME),
        tierBytes,
        new Headroom(),
        settings.lockMemory(),
        middle.range(),
        nodes());
  }

  private TierMemory anonymous(long tierBytes) throws IOException {
    AddressRange range = middle.range();
    return range == null
        ? TierMemory.anonymous(tierBytes, new Headroom(), settings.lockMemory(), nodes())
        : TierMemory.anonymous(tierBytes, new Headroom(), settings.lockMemory(), nodes(), range);
  }

  /** Where the pages of each cell come from. */
  private NodeBinding nodes() {
    List<RegionPart> parts = settings.cellParts();
    return parts.size() == 1
        ? NodeBinding.NONE
        : NodeBinding.ofRegions(
            settings.regionBytes(),
            parts.stream().map(RegionPart::end).toList(),
            IntStream.range(0, parts.size()).mapToObj(settings::nodeOf).toList());
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

  /** What the tiers' first pages say of what lies behind them. Doubt means empty. */
  private Opening[] inspect() {
    Opening[] found = new Opening[1 + middle.count()];
    boolean isFirstNew = tier.isNew() || !tier.outlivesProcess();
    found[0] = isFirstNew ? Opening.EMPTY : inspect(tier.memory(), settings.regionCount(), place);
    boolean wasSeveral = isFirstNew ? middle.isKnown() : TierHeader.isOneOfSeveral(tier.memory());
    if (wasSeveral && middle.isKnown() && !isFirstNew && !middle.wasThere(tier.memory())) {
      LOG.info("the memory tier in {} missed a start of this store: it opens empty", place);
      found[0] = Opening.EMPTY;
    }
    for (int n = 0; n < middle.count(); n++) {
      MemorySegment header = middle.tier(n).header();
      String where = middle.directory(n).toString();
      if (middle.tier(n).isNew()) {
        found[n + 1] = Opening.EMPTY;
      } else if (!wasSeveral || !middle.wasThere(header)) {
        LOG.info("the tier in {} missed a start of this store: it opens empty", where);
        found[n + 1] = Opening.EMPTY;
      } else {
        found[n + 1] = inspect(header, middle.regions(n), where);
      }
    }
    if (middle.isKnown() && Arrays.asList(found).contains(Opening.EMPTY)) {
      emptyUnsettled(found);
    }
    return found;
  }

  /**
   * A tier that is gone takes along what it knew of older records in another one. That matters only
   * if the index was not complete: all else has been marked dead where it lies.
   */
  private void emptyUnsettled(Opening[] found) {
    for (int n = 0; n < found.length; n++) {
      MemorySegment header = header(n);
      if (found[n] != Opening.EMPTY
          && CheckedLong.read(header, TierHeader.SETTLED_AGE_OFFSET, 0) != TierHeader.ALL_SETTLED) {
        LOG.info(
            "another tier is empty, and the index was not complete: the tier in {} opens empty",
            n == 0 ? place : middle.directory(n - 1));
        found[n] = Opening.EMPTY;
      }
    }
  }

  private MemorySegment header(int tierNumber) {
    return tierNumber == 0 ? tier.memory() : middle.tier(tierNumber - 1).header();
  }

  private int regionCount(int tierNumber) {
    return tierNumber == 0 ? settings.regionCount() : middle.regions(tierNumber - 1);
  }

  private Opening inspect(MemorySegment memory, int regionCount, String where) {
    ByteBuffer identity = ByteBuffer.wrap(purges.identity()).order(ByteOrder.LITTLE_ENDIAN);
    boolean isOurs =
        memory.get(Layouts.LONG, TierHeader.MAGIC_OFFSET) == TierHeader.MAGIC
            && TierHeader.isSupported(memory.get(Layouts.INT, TierHeader.VERSION_OFFSET))
            && memory.get(Layouts.INT, TierHeader.LENGTH_OFFSET) == TierHeader.LENGTH
            && memory.get(Layouts.LONG, TierHeader.IDENTITY_OFFSET) == identity.getLong(0)
            && memory.get(Layouts.LONG, TierHeader.IDENTITY_OFFSET + Long.BYTES)
                == identity.getLong(Long.BYTES)
            && memory.get(Layouts.INT, TierHeader.REGION_BYTES_OFFSET) == settings.regionBytes()
            && memory.get(Layouts.INT, TierHeader.REGION_COUNT_OFFSET) == regionCount
            && memory.get(Layouts.INT, TierHeader.CRC_OFFSET) == TierHeader.checksum(memory);
    if (!isOurs) {
      LOG.info(
          "the memory tier in {} belongs to another store or has another geometry: it opens empty",
          where);
      return Opening.EMPTY;
    }
    if (TierHeader.mayHaveClasses(memory) && !classNumbers.isSound()) {
      LOG.warn("the numbers of storage classes are lost: the memory tier in {} opens empty", where);
      return Opening.EMPTY;
    }
    // A tier that was away while purges were swept and forgotten can't know what they killed.
    if (CheckedLong.read(memory, TierHeader.SWEPT_THROUGH_OFFSET, -1) < purges.retiredThrough()) {
      LOG.info("the memory tier in {} missed purges: it opens empty", where);
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
          "the memory tier in {} did not survive a stop of the machine: it opens empty", where);
      return Opening.EMPTY;
    }
    return Opening.UNCLEAN;
  }

  private long findNewestMillis() {
    long newest = 0;
    for (int n = 0; n < openings.length; n++) {
      if (openings[n] != Opening.EMPTY) {
        newest = Math.max(newest, CheckedLong.read(header(n), TierHeader.NEWEST_MILLIS_OFFSET, 0));
      }
    }
    return newest;
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
  private void prepare() throws IOException {
    for (int n = 0; n < openings.length; n++) {
      prepare(n);
    }
    middle.begin(tier.memory());
    MemorySegment memory = tier.memory();
    memory.set(Layouts.LONG, TierHeader.INDEX_ENTRIES_OFFSET, notedEntries());
    memory.set(Layouts.LONG, TierHeader.INDEX_SEAL_OFFSET, IndexChecksum.NONE);
  }

  private void prepare(int tierNumber) {
    MemorySegment memory = header(tierNumber);
    TierHeader.markUnclean(memory);
    if (openings[tierNumber] == Opening.EMPTY) {
      memory.set(Layouts.LONG, TierHeader.MAGIC_OFFSET, 0);
      memory.set(Layouts.INT, TierHeader.VERSION_OFFSET, TierHeader.VERSION);
      memory.set(Layouts.INT, TierHeader.LENGTH_OFFSET, TierHeader.LENGTH);
      ByteBuffer identity = ByteBuffer.wrap(purges.identity()).order(ByteOrder.LITTLE_ENDIAN);
      memory.set(Layouts.LONG, TierHeader.IDENTITY_OFFSET, identity.getLong(0));
      memory.set(
          Layouts.LONG, TierHeader.IDENTITY_OFFSET + Long.BYTES, identity.getLong(Long.BYTES));
      memory.set(Layouts.INT, TierHeader.REGION_BYTES_OFFSET, settings.regionBytes());
      memory.set(Layouts.INT, TierHeader.REGION_COUNT_OFFSET, regionCount(tierNumber));
      CheckedLong.write(memory, TierHeader.SWEPT_THROUGH_OFFSET, purges.retiredThrough());
      CheckedLong.write(memory, TierHeader.NEWEST_MILLIS_OFFSET, 0);
      // It holds nothing that is not settled; the others say how far they are.
      CheckedLong.write(memory, TierHeader.SETTLED_AGE_OFFSET, TierHeader.ALL_SETTLED);
      memory.set(Layouts.INT, TierHeader.CRC_OFFSET, TierHeader.checksum(memory));
    }
    if (!settings.classes().isEmpty()) {
      TierHeader.allowClasses(memory);
    }
    if (!middle.isEmpty()) {
      TierHeader.allowTiers(memory);
    }
    if (TierHeader.mayHaveClasses(memory)) {
      regions.classes().use();
    }
    UUID boot = bootIdentity();
    memory.set(Layouts.LONG, TierHeader.BOOT_OFFSET, boot.getMostSignificantBits());
    memory.set(Layouts.LONG, TierHeader.BOOT_OFFSET + Long.BYTES, boot.getLeastSignificantBits());
  }

  /**
   * Whether a region of a tier that was there has no pages for all of its bytes. The page with its
   * header it has from here on.
   *
   * @throws IOException where there is no page left
   */
  boolean lacksPages(int region) throws IOException {
    if (tier.isNew() || !regions.isFirst(region)) {
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
    for (int n = 0; n < openings.length; n++) {
      TierHeader.allowClasses(header(n));
    }
    regions.classes().use();
  }

  /** Last of all: from here on what lies in the tiers counts. */
  void finishFormat() {
    for (int n = 0; n < openings.length; n++) {
      if (openings[n] == Opening.EMPTY) {
        Layouts.longVolatile(header(n), TierHeader.MAGIC_OFFSET, TierHeader.MAGIC);
      }
    }
  }

  /** What is missing of the files that are mapped; null while they are whole. */
  @Nullable String loss() {
    try {
      if (!tier.isWhole()) {
        return place + "/" + TierFile.NAME + " was truncated";
      }
      String lost = middle.loss();
      if (lost != null) {
        return lost;
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
      middle.discardAtNextStart();
      if (tier.isWhole()) {
        tier.memory().set(Layouts.LONG, TierHeader.MAGIC_OFFSET, 0);
      }
    } catch (IOException e) {
      LOG.warn("the memory tier in {}: {}", place, e.toString());
    }
  }

  void noteClock(long millis) {
    for (int n = 0; n < openings.length; n++) {
      CheckedLong.write(header(n), TierHeader.NEWEST_MILLIS_OFFSET, millis);
    }
  }

  /** The next start may attach to the tiers: there are no more writes to them or the index. */
  void markClean() {
    try {
      for (int n = 0; n < middle.count(); n++) {
        MiddleTierMemory one = middle.tier(n);
        one.force();
        TierHeader.markClean(one.header());
        one.force();
      }
      if (tier.outlivesProcess()) {
        tier.memory().set(Layouts.LONG, TierHeader.INDEX_SEAL_OFFSET, seal());
        tier.force();
        TierHeader.markClean(tier.memory());
        tier.force();
      }
    } catch (IOException e) {
      LOG.warn("the next start rebuilds the index: {}", FileErrors.oneLine(e));
    }
  }

  /**
   * The bound of the map. A version that has what lies on disks in the map as well must not take it
   * for its own.
   */
  private long notedEntries() {
    return settings.indexEntries() | (hasDisks() ? TABLES : 0) | tiersMark();
  }

  /** The map names regions of all tiers by number, so it is used only if these are the same. */
  private long tiersMark() {
    long mixed = 0;
    for (int count : middle.regionCounts()) {
      mixed = Layouts.mix(mixed ^ count);
    }
    return middle.isEmpty() ? 0 : TIERS | (mixed & TIERS_MASK) << 32;
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
