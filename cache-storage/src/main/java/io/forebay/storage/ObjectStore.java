package io.forebay.storage;

import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.disk.Promoter;
import io.forebay.storage.evict.Demotion;
import io.forebay.storage.evict.Eviction;
import io.forebay.storage.evict.GhostFilter;
import io.forebay.storage.evict.Reclaimer;
import io.forebay.storage.evict.Sample;
import io.forebay.storage.evict.SampleRing;
import io.forebay.storage.evict.SegmentPolicy;
import io.forebay.storage.evict.Shadow;
import io.forebay.storage.evict.Sweeper;
import io.forebay.storage.index.ChronicleIndex;
import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.layout.Words;
import io.forebay.storage.memory.ForeignFileException;
import io.forebay.storage.memory.Headroom;
import io.forebay.storage.memory.NoRoomException;
import io.forebay.storage.memory.TierFile;
import io.forebay.storage.memory.TierMemory;
import io.forebay.storage.purge.ActiveBirths;
import io.forebay.storage.purge.PurgeLog;
import io.forebay.storage.purge.PurgeProbe;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.purge.PurgesFullException;
import io.forebay.storage.recover.OwnedException;
import io.forebay.storage.recover.OwnerLock;
import io.forebay.storage.recover.Rebuild;
import io.forebay.storage.region.Pins;
import io.forebay.storage.region.Regions;
import io.forebay.storage.region.Space;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store: bytes at rest, and what purges say of them.
 *
 * <p>Event loops use it through their {@link StoreLane}; administration through the methods here.
 * Two threads of its own: {@code reclaim} (regions, rebuild, sweep) and {@code journal} (sequences
 * ahead of need, notes that may be late).
 */
public final class ObjectStore implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ObjectStore.class);

  private static final Path DEFAULT_MEMORY = Path.of("/dev/shm");
  static final String JOURNAL_FILE = "purge.journal";
  private static final String INDEX_FILE = "index.map";

  private static final long PAUSE_NANOS = 20_000_000;

  private static final long CLOCK_NOTE_MILLIS = 1_000;

  /** Above this many directory entries an exact purge does not count what it matched. */
  private static final long COUNT_LIMIT = 2_000_000;

  private final StoreSettings settings;
  private final Deque<AutoCloseable> owned;
  private final TierMemory tier;
  private final String place;
  private final Core core;
  private final ChronicleIndex index;
  private final StoreInspection inspection;
  private final StoreLane[] lanes;
  private final ByteBuffer[] windows;
  private final DiskTier disk;
  private final Demotion demotion;
  private final Reclaimer reclaimer;
  private final Sweeper sweeper;
  private final Shadow shadow;
  private final List<SampleRing> samples;
  private final Rebuild rebuild;
  private final RecoveryState.Phase atOpen;
  private final long newestAtOpen;
  private final @Nullable Thread reclaimThread;
  private final @Nullable Thread journalThread;
  private final AtomicBoolean isEstimating = new AtomicBoolean();
  private boolean isSettled;
  private long notedMillis;
  private volatile boolean isClosing;

  /** What has to be known of the threads before they exist: whom to wake. */
  private static final class Bell {
    private volatile @Nullable Thread sleeper;

    void ring() {
      Thread thread = sleeper;
      if (thread != null) {
        LockSupport.unpark(thread);
      }
    }
  }

  private final Bell reclaimBell;
  private final Bell journalBell;

  /** Opens a store, or says in one line why it can't be opened. */
  public static ObjectStore open(StoreSettings given) throws StoreException {
    StoreSettings settings = given.resolved();
    Deque<AutoCloseable> owned = new ArrayDeque<>();
    boolean done = false;
    try {
      ObjectStore store = new ObjectStore(settings, owned);
      done = true;
      return store;
    } catch (OwnedException e) {
      throw new StoreException(StoreException.Kind.OWNED, oneLine(e), e);
    } catch (NoRoomException e) {
      throw new StoreException(StoreException.Kind.NO_ROOM, oneLine(e), e);
    } catch (ForeignFileException e) {
      throw new StoreException(StoreException.Kind.FOREIGN_FORMAT, oneLine(e), e);
    } catch (FileSystemException e) {
      throw new StoreException(
          StoreException.Kind.NOT_WRITABLE,
          "can't write " + e.getFile() + " (" + reason(e) + "): check its permissions",
          e);
    } catch (IOException e) {
      throw new StoreException(
          StoreException.Kind.NOT_WRITABLE,
          "can't write in " + settings.dataDirectory() + ": " + oneLine(e),
          e);
    } finally {
      if (!done) {
        closeAll(owned);
      }
    }
  }

  private static String reason(FileSystemException e) {
    String reason = e.getReason();
    return reason != null ? reason : e.getClass().getSimpleName().replace("Exception", "");
  }

  private ObjectStore(StoreSettings settings, Deque<AutoCloseable> owned) throws IOException {
    this.settings = settings;
    this.owned = owned;
    this.reclaimBell = new Bell();
    this.journalBell = new Bell();
    Path data = settings.dataDirectory();
    Files.createDirectories(data);
    owned.push(OwnerLock.take(data));
    Purges purges =
        new Purges(
            data.resolve(JOURNAL_FILE),
            settings.purgeScopes(),
            settings.journalCompactBytes(),
            settings.clockMillis(),
            new SecureRandom(),
            settings.predicates(),
            journalBell::ring);
    owned.push(purges);

    long tierBytes = TierHeader.LENGTH + (long) settings.regionCount() * settings.regionBytes();
    Path directory = null;
    TierMemory mapped = null;
    if (settings.memoryDirectory() != null) {
      directory = settings.memoryDirectory();
      Files.createDirectories(directory);
      if (!Files.isSameFile(directory, data)) {
        owned.push(OwnerLock.take(directory));
      }
      mapped = map(directory, tierBytes);
    } else {
      try {
        directory = defaultMemoryDirectory(data);
        Files.createDirectories(directory);
        owned.push(OwnerLock.take(directory));
        mapped = map(directory, tierBytes);
      } catch (OwnedException e) {
        throw e;
      } catch (ForeignFileException e) {
        throw e;
      } catch (IOException e) {
        LOG.warn("the memory tier will not outlive this process: {}", oneLine(e));
        directory = null;
      }
    }
    if (mapped == null) {
      mapped = TierMemory.anonymous(tierBytes, new Headroom(), settings.lockMemory());
    }
    this.tier = mapped;
    owned.push(mapped);
    this.place = directory == null ? "memory of this process" : directory.toString();

    Regions regions = new Regions(mapped.memory(), settings.regionBytes(), settings.regionCount());
    Opening opening = inspect(mapped, purges);
    MemorySegment memory = mapped.memory();
    this.newestAtOpen =
        opening == Opening.EMPTY ? 0 : memory.get(Words.LONG, TierHeader.NEWEST_MILLIS_OFFSET);
    Path indexFile = directory == null ? null : directory.resolve(INDEX_FILE);
    ChronicleIndex opened = null;
    if (opening == Opening.CLEAN && indexFile != null && Files.exists(indexFile)) {
      opened = attach(indexFile);
    }
    boolean isWarm = opened != null;
    int epoch = prepare(memory, opening, purges);
    if (opened == null) {
      if (indexFile == null) {
        opened = ChronicleIndex.anonymous(settings.indexEntries());
      } else {
        Files.deleteIfExists(indexFile);
        new Headroom()
            .require(
                Objects.requireNonNull(directory),
                ChronicleIndex.estimatedBytes(settings.indexEntries()),
                "the index of " + settings.indexEntries() + " entries");
        opened = ChronicleIndex.persisted(indexFile, settings.indexEntries());
      }
    }
    this.index = opened;
    owned.push(opened);

    TierShape shape = settings.shape();
    Space space = new Space(regions, shape.spareRegions(), reclaimBell::ring);
    for (int region = 0; region < regions.count(); region++) {
      if (opening == Opening.EMPTY || !regions.adopt(region)) {
        regions.state(region, 0, Regions.NONE, Regions.FREE);
      } else {
        space.ageAtLeast(regions.age(region) + 1);
      }
    }
    if (opening == Opening.EMPTY) {
      finishFormat(memory);
    }
    Pins pins = new Pins(settings.lanes() + StoreInspection.LANES, regions.count());
    Promoter promoter = new Promoter(regions, space, opened, purges, epoch);
    this.disk =
        DiskTier.open(
            settings.disks().devices(),
            new DiskTier.Host(opened, purges, promoter, settings.clockMillis()),
            isWarm,
            settings.disks().opener(),
            settings.stepped() ? null : settings.threads());
    owned.push(disk);
    ActiveBirths births = new ActiveBirths(settings.lanes());
    Eviction eviction =
        new Eviction(
            new SegmentPolicy(settings.eviction().initial()),
            new GhostFilter(
                (long) regions.count() * regions.regionBytes(), settings.indexEntries()),
            new Sample());
    this.core =
        new Core(
            regions,
            pins,
            space,
            opened,
            disk,
            settings.disks().keepMillis(),
            purges,
            births,
            settings.clockMillis(),
            eviction,
            shape,
            epoch);
    this.inspection =
        new StoreInspection(core, settings.disks().devices(), settings.lanes(), settings.threads());
    this.lanes = new StoreLane[settings.lanes()];
    for (int lane = 0; lane < lanes.length; lane++) {
      lanes[lane] = new StoreLane(core, lane, settings.nearEntries());
    }
    this.samples = Arrays.stream(lanes).map(StoreLane::samples).toList();
    this.shadow =
        new Shadow(
            shape.usableBytes(),
            shape.regionBytes(),
            shape.sliceBytes(),
            shape.inlineBytes(),
            settings.eviction(),
            eviction);
    this.windows = new ByteBuffer[regions.count()];
    for (int region = 0; region < windows.length; region++) {
      windows[region] = memory.asSlice(regions.base(region), regions.regionBytes()).asByteBuffer();
    }
    this.demotion =
        new Demotion(
            regions,
            opened,
            disk,
            settings.disks().admission() == DiskSettings.Admission.SECOND_HIT,
            settings.disks().bytesPerDay(),
            settings.clockMillis());
    this.reclaimer =
        new Reclaimer(
            regions,
            pins,
            space,
            opened,
            purges,
            core.unfinished,
            core.growing,
            disk,
            demotion,
            eviction,
            settings.fillDeadlineMillis());
    this.sweeper =
        new Sweeper(regions, opened, disk, purges, births, promoter, settings.purgeRetireMillis());
    this.atOpen =
        opening == Opening.EMPTY
            ? RecoveryState.Phase.EMPTY
            : isWarm ? RecoveryState.Phase.WARM : RecoveryState.Phase.REBUILDING;
    Rebuild.settle(regions, opening == Opening.EMPTY);
    this.rebuild = new Rebuild(regions, opened, disk, purges);
    core.isRebuilt = atOpen != RecoveryState.Phase.REBUILDING;
    boolean hasSpares = reclaimer.renewFree();
    LOG.info(
        "memory tier in {}: {} regions of {} KiB, {}, {}{}",
        place,
        regions.count(),
        regions.regionBytes() >> 10,
        mapped.lockState(),
        atOpen.name().toLowerCase(Locale.ROOT),
        hasSpares ? "" : ", no spare region yet");
    if (settings.stepped()) {
      reclaimThread = null;
      journalThread = null;
    } else {
      reclaimThread = settings.threads().newThread(this::runReclaim);
      reclaimThread.setName("reclaim");
      journalThread = settings.threads().newThread(this::runJournal);
      journalThread.setName("journal");
      reclaimBell.sleeper = reclaimThread;
      journalBell.sleeper = journalThread;
      reclaimThread.start();
      journalThread.start();
    }
  }

  private enum Opening {
    EMPTY,
    CLEAN,
    UNCLEAN
  }

  private TierMemory map(Path directory, long tierBytes) throws IOException {
    return TierMemory.map(
        directory.resolve(TierFile.NAME), tierBytes, new Headroom(), settings.lockMemory());
  }

  private static String oneLine(IOException e) {
    return e instanceof FileSystemException f
        ? f.getFile() + ": " + reason(f)
        : Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
  }

  /** A directory of this data directory's own in shared memory. */
  static Path defaultMemoryDirectory(Path data) throws IOException {
    if (!Files.isDirectory(DEFAULT_MEMORY)) {
      throw new IOException("there is no " + DEFAULT_MEMORY);
    }
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(data.toRealPath().toString().getBytes(StandardCharsets.UTF_8));
      return DEFAULT_MEMORY.resolve("forebay-" + HexFormat.of().formatHex(digest, 0, 8));
    } catch (NoSuchAlgorithmException e) {
      throw new IOException(e);
    }
  }

  /** What the tier's first page says of what lies behind it. Doubt means empty. */
  private Opening inspect(TierMemory mapped, Purges purges) {
    MemorySegment memory = mapped.memory();
    if (mapped.isNew() || !mapped.outlivesProcess()) {
      return Opening.EMPTY;
    }
    ByteBuffer identity = ByteBuffer.wrap(purges.identity()).order(ByteOrder.LITTLE_ENDIAN);
    boolean isOurs =
        memory.get(Words.LONG, TierHeader.MAGIC_OFFSET) == TierHeader.MAGIC
            && memory.get(Words.INT, TierHeader.VERSION_OFFSET) == TierHeader.VERSION
            && memory.get(Words.INT, TierHeader.LENGTH_OFFSET) == TierHeader.LENGTH
            && memory.get(Words.LONG, TierHeader.IDENTITY_OFFSET) == identity.getLong(0)
            && memory.get(Words.LONG, TierHeader.IDENTITY_OFFSET + Long.BYTES)
                == identity.getLong(Long.BYTES)
            && memory.get(Words.INT, TierHeader.REGION_BYTES_OFFSET) == settings.regionBytes()
            && memory.get(Words.INT, TierHeader.REGION_COUNT_OFFSET) == settings.regionCount()
            && memory.get(Words.INT, TierHeader.CRC_OFFSET) == TierHeader.checksum(memory);
    if (!isOurs) {
      LOG.info("the memory tier in {} is of another store or shape: it opens empty", place);
      return Opening.EMPTY;
    }
    // A tier that was away while purges were swept and forgotten can't know what they killed.
    if (memory.get(Words.LONG, TierHeader.SWEPT_THROUGH_OFFSET) < purges.retiredThrough()) {
      LOG.info("the memory tier in {} was away during purges: it opens empty", place);
      return Opening.EMPTY;
    }
    if (memory.get(Words.INT, TierHeader.CLEAN_OFFSET) == 1) {
      return Opening.CLEAN;
    }
    UUID boot = bootIdentity();
    boolean isThisBoot =
        memory.get(Words.LONG, TierHeader.BOOT_OFFSET) == boot.getMostSignificantBits()
            && memory.get(Words.LONG, TierHeader.BOOT_OFFSET + Long.BYTES)
                == boot.getLeastSignificantBits();
    if (!isThisBoot) {
      // What of it reached a disk before the machine stopped is anybody's guess.
      LOG.info(
          "the memory tier in {} did not survive a stop of the machine: it opens empty", place);
      return Opening.EMPTY;
    }
    return Opening.UNCLEAN;
  }

  private @Nullable ChronicleIndex attach(Path indexFile) {
    if (tier.memory().get(Words.LONG, TierHeader.INDEX_ENTRIES_OFFSET) != settings.indexEntries()) {
      return null;
    }
    try {
      return ChronicleIndex.persisted(indexFile, settings.indexEntries());
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} can't be used and will be made anew: {}", indexFile, e.toString());
      return null;
    }
  }

  /** Writes what this start says of itself; returns its epoch. */
  private int prepare(MemorySegment memory, Opening opening, Purges purges) {
    int epoch = 1;
    if (opening == Opening.EMPTY) {
      memory.set(Words.LONG, TierHeader.MAGIC_OFFSET, 0);
      memory.set(Words.INT, TierHeader.VERSION_OFFSET, TierHeader.VERSION);
      memory.set(Words.INT, TierHeader.LENGTH_OFFSET, TierHeader.LENGTH);
      ByteBuffer identity = ByteBuffer.wrap(purges.identity()).order(ByteOrder.LITTLE_ENDIAN);
      memory.set(Words.LONG, TierHeader.IDENTITY_OFFSET, identity.getLong(0));
      memory.set(Words.LONG, TierHeader.IDENTITY_OFFSET + Long.BYTES, identity.getLong(Long.BYTES));
      memory.set(Words.INT, TierHeader.REGION_BYTES_OFFSET, settings.regionBytes());
      memory.set(Words.INT, TierHeader.REGION_COUNT_OFFSET, settings.regionCount());
      memory.set(Words.LONG, TierHeader.SWEPT_THROUGH_OFFSET, purges.retiredThrough());
      memory.set(Words.LONG, TierHeader.NEWEST_MILLIS_OFFSET, 0);
      memory.set(Words.INT, TierHeader.CRC_OFFSET, TierHeader.checksum(memory));
    } else {
      epoch = memory.get(Words.INT, TierHeader.EPOCH_OFFSET);
      if (opening == Opening.UNCLEAN) {
        epoch++;
      }
    }
    UUID boot = bootIdentity();
    memory.set(Words.LONG, TierHeader.BOOT_OFFSET, boot.getMostSignificantBits());
    memory.set(Words.LONG, TierHeader.BOOT_OFFSET + Long.BYTES, boot.getLeastSignificantBits());
    memory.set(Words.INT, TierHeader.EPOCH_OFFSET, epoch);
    memory.set(Words.LONG, TierHeader.INDEX_ENTRIES_OFFSET, settings.indexEntries());
    Words.intRelease(memory, TierHeader.CLEAN_OFFSET, 0);
    return epoch;
  }

  private static void finishFormat(MemorySegment memory) {
    Words.longVolatile(memory, TierHeader.MAGIC_OFFSET, TierHeader.MAGIC);
  }

  private static UUID bootIdentity() {
    try {
      return UUID.fromString(Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).trim());
    } catch (IOException | IllegalArgumentException e) {
      // Never the same twice: an unclean tier then opens empty.
      return UUID.randomUUID();
    }
  }

  /** The way in of one event loop. */
  public StoreLane lane(int laneIndex) {
    return lanes[laneIndex];
  }

  /** Looking at what is stored; for administration. */
  public StoreInspection inspection() {
    return inspection;
  }

  /** Sixteen bytes that only this store knows, for hashing keys. */
  public byte[] secret() {
    return core.purges.secret();
  }

  /** The next number of the sequence; any thread, never blocks; -1 if none is reserved. */
  public long nextBirth() {
    return core.purges.next();
  }

  /** The newest purge in force. */
  public long purgeSequence() {
    return core.purges.sequence();
  }

  /**
   * Purges. Blocks until it is on disk and in force: not for event loops.
   *
   * @throws IllegalArgumentException when it is a predicate that can't be read
   */
  public PurgeReceipt purge(Purge purge) throws PurgeFailedException {
    long start = System.nanoTime();
    long sequence;
    try {
      sequence =
          core.purges.purge(purge.kind().ordinal(), purge.scopes(), purge.soft(), purge.text());
    } catch (IOException e) {
      throw new PurgeFailedException(
          "the purge is not on disk and not in force: " + oneLine(e), false, e);
    } catch (PurgesFullException e) {
      throw new PurgeFailedException(String.valueOf(e.getMessage()), true, e);
    }
    OptionalLong matched = OptionalLong.empty();
    if (purge.kind() == Purge.Kind.EXACT) {
      Core.@Nullable Counted sum = new Core.Counted(0, 0);
      for (long scope : purge.scopes()) {
        Core.Counted one = sum == null ? null : core.count(scope, sequence, COUNT_LIMIT);
        sum =
            sum == null || one == null
                ? null
                : new Core.Counted(sum.objects() + one.objects(), sum.bytes() + one.bytes());
      }
      matched = counted(sequence, sum);
    } else if (purge.kind() == Purge.Kind.EVERYTHING && disk.isEmpty()) {
      matched = counted(sequence, core.count(null, sequence, COUNT_LIMIT));
    }
    return new PurgeReceipt(sequence, sequence, matched, System.nanoTime() - start);
  }

  private OptionalLong counted(long sequence, Core.@Nullable Counted counted) {
    if (counted == null) {
      return OptionalLong.empty();
    }
    core.purges.log().countedAtOnce(sequence, counted.objects(), counted.bytes());
    return OptionalLong.of(counted.objects());
  }

  /** What became of a purge; null if nothing is known of it. */
  public @Nullable PurgeStatus purgeStatus(long id) {
    PurgeLog.Entry entry = core.purges.log().find(id);
    return entry == null ? null : status(entry);
  }

  /** The latest purges, newest first. */
  public List<PurgeStatus> latestPurges(int most) {
    return core.purges.log().latest(most).stream().map(this::status).toList();
  }

  private PurgeStatus status(PurgeLog.Entry entry) {
    Purge.Kind[] kinds = Purge.Kind.values();
    boolean isKnown = entry.kind() >= 0 && entry.kind() < kinds.length;
    // Everything is a floor, which is never forgotten and which nothing is swept for.
    boolean isFloor = entry.kind() == Purges.EVERYTHING;
    boolean isSwept = isFloor || core.purges.retiredThrough() >= entry.id();
    boolean isCounted = !entry.isFromJournal() && (!isFloor || entry.isCountedAtOnce());
    return new PurgeStatus(
        entry.id(),
        isKnown ? kinds[entry.kind()] : null,
        entry.soft(),
        entry.text(),
        entry.scopes(),
        entry.millis(),
        isCounted ? OptionalLong.of(entry.objects()) : OptionalLong.empty(),
        isCounted ? OptionalLong.of(entry.bytes()) : OptionalLong.empty(),
        isSwept);
  }

  /**
   * Counts what a purge would match, and purges nothing. One at a time. Not for event loops.
   *
   * @param mostMillis how long it may take; what it did not come to it says
   * @return null while another one is counted
   * @throws IllegalArgumentException when it is a predicate that can't be read
   */
  public @Nullable PurgeEstimate estimate(Purge purge, long mostMillis) {
    PurgeProbe probe =
        core.purges.probe(purge.kind().ordinal(), purge.scopes(), purge.soft(), purge.text());
    if (!isEstimating.compareAndSet(false, true)) {
      return null;
    }
    try {
      Estimator estimator =
          new Estimator(core, probe, settings.clockMillis(), mostMillis, !settings.stepped());
      if (settings.stepped()) {
        return estimator.estimate();
      }
      // The index is for platform threads, which those of callers need not be.
      FutureTask<PurgeEstimate> task = new FutureTask<>(estimator::estimate);
      Thread thread = settings.threads().newThread(task);
      thread.setName("dry-run");
      thread.start();
      return task.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      isEstimating.set(false);
    }
  }

  public RecoveryState recovery() {
    double fraction = Math.min(rebuild.fraction(), disk.recovered());
    if (!core.isIndexComplete()) {
      return new RecoveryState(RecoveryState.Phase.REBUILDING, fraction, rebuild.records());
    }
    return atOpen == RecoveryState.Phase.REBUILDING
        ? new RecoveryState(RecoveryState.Phase.REBUILT, 1, rebuild.records())
        : new RecoveryState(atOpen, 1, 0);
  }

  /** When the store was last known to be at work before this start; 0 if it opened empty. */
  public long newestStoredMillis() {
    return newestAtOpen;
  }

  public boolean outlivesProcess() {
    return tier.outlivesProcess();
  }

  public int regionCount() {
    return core.regions.count();
  }

  public int regionBytes() {
    return core.regions.regionBytes();
  }

  /** Length of each slice but an object's last. */
  public int sliceBytes() {
    return core.sliceBytes;
  }

  /** Bodies up to this length lie in the head record. */
  public int inlineBytes() {
    return core.inlineBytes;
  }

  public MemorySegment region(int region) {
    return core.memory.asSlice(core.regions.base(region), core.regions.regionBytes());
  }

  /** A window on a region; the same object each time, so take a duplicate to position it. */
  public ByteBuffer regionBuffer(int region) {
    return windows[region];
  }

  /** Of each device of the disk tier. */
  public List<DiskStats> diskStats() {
    return disk.stats();
  }

  /** Stops using a device; what is on it counts as missing. False if it was not in use. */
  public boolean takeOffline(String disk) {
    return this.disk.offline(disk);
  }

  /** Uses a device again, as it was left or, if it missed too much, empty. Blocks for its disk. */
  public void bringOnline(String disk) throws IOException {
    this.disk.online(disk);
  }

  /** Empties a device and uses it. Blocks for its disk. */
  public void reinitialise(String disk) throws IOException {
    this.disk.reinit(disk);
  }

  public StoreStats stats() {
    Regions regions = core.regions;
    int probation = 0;
    int isProtected = 0;
    int limbo = 0;
    long probationBytes = 0;
    long protectedBytes = 0;
    for (int region = 0; region < regions.count(); region++) {
      int state = regions.state(region);
      if (state == Regions.LIMBO) {
        limbo++;
      } else if (state == Regions.OPEN || state == Regions.SEALED) {
        int used =
            regions.recordsEnd(region)
                + regions.slots(region) * io.forebay.storage.layout.DirectoryEntry.LENGTH;
        if (regions.segment(region) == Regions.PROTECTED) {
          isProtected++;
          protectedBytes += used;
        } else {
          probation++;
          probationBytes += used;
        }
      }
    }
    long nearHits = 0;
    long indexHits = 0;
    long misses = 0;
    long busy = 0;
    long installed = 0;
    for (StoreLane lane : lanes) {
      nearHits += lane.nearHits;
      indexHits += lane.indexHits;
      misses += lane.misses;
      busy += lane.busy;
      installed += lane.installed;
    }
    return new StoreStats(
        regions.count(),
        regions.regionBytes(),
        core.space.spareCount(),
        probation,
        isProtected,
        limbo,
        probationBytes,
        protectedBytes,
        index.count(),
        index.capacity(),
        nearHits,
        indexHits,
        misses,
        busy,
        installed,
        core.space.refusals(),
        reclaimer.reclaimed(),
        reclaimer.evicted(),
        reclaimer.moved(),
        reclaimer.dead() + sweeper.killed(),
        reclaimer.revoked(),
        core.unfinished.size(),
        core.unfinishedBytes.get(),
        core.pins.total(),
        core.purges.acknowledged(),
        core.purges.failed(),
        core.purges.invalidations(),
        core.purges.tableSize(),
        core.purges.floor(),
        core.purges.retiredThrough(),
        core.checksumFailures.get(),
        tier.outlivesProcess(),
        recovery(),
        reclaimer.keptWhole(),
        shadow.stats());
  }

  /** Memory outside the heap: the tier, its index, and the disks' buffers. */
  public MemoryParts memoryParts() {
    return new MemoryParts(
        tier.memory().byteSize(), index.offHeapBytes(), disk.bufferBytes(), place);
  }

  /**
   * What the store takes outside the heap.
   *
   * @param place where the first two of them lie
   */
  public record MemoryParts(long tierBytes, long indexBytes, long bufferBytes, String place) {}

  /** The arithmetic of the store's memory, for people. */
  public List<String> budget() {
    long tierBytes = tier.memory().byteSize();
    long indexBytes = index.offHeapBytes();
    long pinBytes =
        (long) (lanes.length + StoreInspection.LANES) * (regionCount() + 64) * Integer.BYTES;
    long nearBytes = (long) lanes.length * settings.nearEntries() * 64;
    long tableBytes = 4L * settings.purgeScopes() * 24;
    long bufferBytes = disk.bufferBytes();
    long evictionBytes = core.eviction.ghosts().heapBytes() + Shadow.heapBytes(lanes.length);
    long sum =
        tierBytes + indexBytes + pinBytes + nearBytes + tableBytes + bufferBytes + evictionBytes;
    List<String> lines = new ArrayList<>();
    for (DiskStats one : disk.stats()) {
      lines.add(
          line("disk", one.bytes())
              + String.format(
                  Locale.ROOT,
                  " = %s, %d regions of %d KiB, %s",
                  one.name(),
                  one.regions(),
                  one.regionBytes() >> 10,
                  one.state()));
    }
    if (!disk.isEmpty()) {
      lines.add(line("disk buffers", bufferBytes));
    }
    lines.addAll(
        List.of(
            line("memory tier", tierBytes)
                + String.format(
                    Locale.ROOT,
                    " = %d regions of %d KiB, in %s",
                    regionCount(),
                    regionBytes() >> 10,
                    place),
            line("index", indexBytes)
                + String.format(Locale.ROOT, " = up to %d entries", index.capacity()),
            line("near-indexes", nearBytes)
                + String.format(
                    Locale.ROOT, " = %d loops of %d entries", lanes.length, settings.nearEntries()),
            line("pins", pinBytes),
            line("ghosts, shadow", evictionBytes) + " at most",
            line("purge table", tableBytes)
                + String.format(Locale.ROOT, " = up to %d scopes", settings.purgeScopes()),
            line("store, sum", sum)));
    return lines;
  }

  private static String line(String name, long bytes) {
    return String.format(Locale.ROOT, "%-14s %9.1f MiB", name, bytes / 1048576.0);
  }

  /**
   * Does a piece of the store's own work; false if there was none. For stores that are stepped by
   * their owner, from one thread at a time.
   */
  public boolean step() {
    if (!settings.stepped()) {
      throw new IllegalStateException("this store's threads do its work");
    }
    core.purges.work();
    return workStep();
  }

  private boolean workStep() {
    long now = settings.clockMillis().getAsLong();
    if (Math.abs(now - notedMillis) >= CLOCK_NOTE_MILLIS) {
      notedMillis = now;
      core.memory.set(Words.LONG, TierHeader.NEWEST_MILLIS_OFFSET, now);
    }
    disk.tick(now);
    if (core.isIndexComplete() && !isSettled) {
      isSettled = true;
      core.regions.settledAge(TierHeader.ALL_SETTLED);
    }
    if (!core.isRebuilt) {
      boolean renewed = reclaimer.renewFree();
      if (reclaimer.hasNoneForLanes() && rebuild.dropOldest()) {
        renewed = true;
        boolean ignored = reclaimer.renewFree();
      }
      boolean rebuilt = rebuild.step();
      if (rebuild.isDone()) {
        onRebuilt();
      }
      boolean stepped = disk.step();
      return rebuilt || renewed || stepped;
    }
    boolean reclaimed = reclaimer.step(now);
    boolean swept = sweeper.step(now);
    boolean copied = demotion.step(now);
    boolean stepped = disk.step();
    boolean sampled = shadow.step(samples);
    return reclaimed || swept || copied || stepped || sampled;
  }

  private void onRebuilt() {
    core.isRebuilt = true;
    LOG.info(
        "the index is rebuilt: {} records, {} given up for room meanwhile",
        rebuild.records(),
        rebuild.dropped());
  }

  private void runReclaim() {
    while (!isClosing) {
      try {
        if (!workStep()) {
          LockSupport.parkNanos(this, PAUSE_NANOS);
        }
      } catch (RuntimeException e) {
        // The store goes on serving; without this thread it would silently stop taking anything in.
        LOG.error("reclaim failed and goes on", e);
        LockSupport.parkNanos(this, PAUSE_NANOS);
      }
    }
  }

  private void runJournal() {
    while (!isClosing) {
      core.purges.work();
      LockSupport.parkNanos(this, PAUSE_NANOS);
    }
  }

  /** Ends cleanly: the next start attaches to what is here. Lanes must not be used any more. */
  @Override
  public void close() {
    if (isClosing) {
      return;
    }
    isClosing = true;
    inspection.close();
    join(reclaimThread);
    join(journalThread);
    copyToDisk();
    MemorySegment memory = tier.memory();
    memory.set(Words.LONG, TierHeader.NEWEST_MILLIS_OFFSET, settings.clockMillis().getAsLong());
    boolean canBeWarm = recovery().isComplete();
    owned.remove(disk);
    closeQuietly(disk);
    index.close();
    owned.remove(index);
    if (canBeWarm && tier.outlivesProcess()) {
      tier.force();
      Words.intRelease(memory, TierHeader.CLEAN_OFFSET, 1);
      tier.force();
    }
    closeAll(owned);
  }

  /** What contradicts the invariants of a store at rest whose index is complete. For tests. */
  List<String> audit() {
    return Audit.of(core);
  }

  /** Ends as a killed process does, as far as files can tell. For tests. */
  void abandon() {
    isClosing = true;
    inspection.close();
    join(reclaimThread);
    join(journalThread);
    owned.remove(disk);
    closeQuietly(disk::abandon);
    closeAll(owned);
  }

  private static void join(@Nullable Thread thread) {
    if (thread == null) {
      return;
    }
    boolean wasInterrupted = false;
    LockSupport.unpark(thread);
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        wasInterrupted = true;
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** What is in memory may be gone at the next start; the disks keep it, while there is time. */
  private void copyToDisk() {
    if (disk.isEmpty() || !recovery().isComplete()) {
      return;
    }
    long begin = System.nanoTime();
    long limitNanos = settings.disks().stopMillis() * 1_000_000;
    while (System.nanoTime() - begin < limitNanos) {
      if (!demotion.stepBeforeEnd()) {
        if (disk.hasRoom() || disk.isIdle()) {
          // All is copied, or no disk takes any more.
          break;
        }
        disk.tick(settings.clockMillis().getAsLong());
        // The writers are behind: they make room, or this takes too long.
        if (!disk.step()) {
          LockSupport.parkNanos(this, PAUSE_NANOS / 20);
        }
      }
    }
    Demotion.Rest rest = demotion.rest();
    long millis = (System.nanoTime() - begin) / 1_000_000;
    if (rest.regions() == 0) {
      LOG.info("what only memory held is on the disks, after {} ms", millis);
    } else {
      LOG.warn(
          "after {} ms {} regions of memory ({} MiB) were not copied to the disks: what of them was"
              + " not written before is lost if memory is",
          millis,
          rest.regions(),
          rest.bytes() >> 20);
    }
  }

  private static void closeQuietly(AutoCloseable closing) {
    try {
      closing.close();
    } catch (Exception e) {
      LOG.warn("closing the store: {}", e.toString());
    }
  }

  private static void closeAll(Deque<AutoCloseable> owned) {
    AutoCloseable next;
    while ((next = owned.poll()) != null) {
      closeQuietly(next);
    }
  }
}
