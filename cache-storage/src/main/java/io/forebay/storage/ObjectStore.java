package io.forebay.storage;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.disk.Promoter;
import io.forebay.storage.evict.DiskDemoter;
import io.forebay.storage.evict.EvictionState;
import io.forebay.storage.evict.MemoryCheck;
import io.forebay.storage.evict.MemoryReclaim;
import io.forebay.storage.evict.MemoryScrubber;
import io.forebay.storage.evict.Reclaimer;
import io.forebay.storage.evict.ResizeStats;
import io.forebay.storage.evict.SampleFilter;
import io.forebay.storage.evict.SampleRing;
import io.forebay.storage.evict.SegmentPolicy;
import io.forebay.storage.evict.ShadowTuner;
import io.forebay.storage.evict.StorageClassScan;
import io.forebay.storage.evict.Sweeper;
import io.forebay.storage.evict.TierPromotion;
import io.forebay.storage.evict.TierResizer;
import io.forebay.storage.file.NoDirectoryException;
import io.forebay.storage.file.UnsafeFileException;
import io.forebay.storage.ghost.GhostFilter;
import io.forebay.storage.index.TieredIndex;
import io.forebay.storage.inspect.Audit;
import io.forebay.storage.inspect.StoreInspection;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.lane.StoreState;
import io.forebay.storage.lock.DirectoryInUseException;
import io.forebay.storage.memory.ForeignFileException;
import io.forebay.storage.memory.NoSpaceException;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.placement.StorageClass;
import io.forebay.storage.placement.StorageClassStats;
import io.forebay.storage.placement.StorageClasses;
import io.forebay.storage.purge.ActiveBirths;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeEstimate;
import io.forebay.storage.purge.PurgeFailedException;
import io.forebay.storage.purge.PurgeReceipt;
import io.forebay.storage.purge.PurgeStatus;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.purge.ReplicatedPurges;
import io.forebay.storage.purge.UndoRefusedException;
import io.forebay.storage.recover.Rebuild;
import io.forebay.storage.recover.StorageClassRecount;
import io.forebay.storage.region.RecordCheck;
import io.forebay.storage.region.RegionPart;
import io.forebay.storage.region.RegionPins;
import io.forebay.storage.region.Regions;
import io.forebay.storage.region.SpaceAllocator;
import io.forebay.storage.region.TierGeometry;
import io.forebay.storage.region.TierSpace;
import io.forebay.storage.transit.TransitBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The object store: a memory tier, an optional disk tier, the index and the purge journal.
 *
 * <p>Event loops use it through their {@link StoreLane}; administration through the methods here.
 * Two threads of its own: {@code reclaim} (regions, rebuild, sweep) and {@code journal} (sequences
 * ahead of need, notes that may be late).
 */
public final class ObjectStore implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ObjectStore.class);

  private final StoreSettings settings;
  private final Deque<AutoCloseable> owned;
  private final StartCleanup made;
  private final StoreFiles files;
  private final StoreState core;
  private final StoreInspection inspection;
  private final StoreLane[] lanes;
  // Made once: they are asked for on the way to every hit.
  private final MemorySegment[] segments;
  private final ByteBuffer[] windows;
  private final StorePurging purging;
  private final ReplicatedPurges replicatedPurges;
  private final StoreThreads work;
  private final StoreReporter figures;
  private final Rebuild rebuild;
  private final TierResizer resizer;
  private final RecoveryState.Phase atOpen;
  private boolean isClosed;

  /** Opens a store, or says in one line why it can't be opened. */
  public static ObjectStore open(StoreSettings given) throws StoreException {
    StoreSettings settings = given.resolved();
    Deque<AutoCloseable> owned = new ArrayDeque<>();
    StartCleanup made = new StartCleanup();
    boolean done = false;
    try {
      ObjectStore store = new ObjectStore(settings, owned, made);
      made.keep(true);
      done = true;
      return store;
    } catch (DirectoryInUseException e) {
      throw new StoreException(StoreException.Kind.OWNED, FileErrors.oneLine(e), e);
    } catch (NoSpaceException e) {
      throw new StoreException(StoreException.Kind.NO_ROOM, FileErrors.oneLine(e), e);
    } catch (ForeignFileException e) {
      throw new StoreException(StoreException.Kind.FOREIGN_FORMAT, FileErrors.oneLine(e), e);
    } catch (UnsafeFileException e) {
      throw new StoreException(StoreException.Kind.UNSAFE_FILE, FileErrors.oneLine(e), e);
    } catch (NoDirectoryException e) {
      throw new StoreException(StoreException.Kind.NOT_WRITABLE, FileErrors.oneLine(e), e);
    } catch (FileSystemException e) {
      throw new StoreException(
          StoreException.Kind.NOT_WRITABLE,
          "cannot write " + e.getFile() + " (" + FileErrors.reason(e) + "): check its permissions",
          e);
    } catch (IOException e) {
      throw new StoreException(
          StoreException.Kind.NOT_WRITABLE,
          "cannot write in " + settings.dataDirectory() + ": " + FileErrors.oneLine(e),
          e);
    } finally {
      if (!done) {
        closeAll(owned);
      }
    }
  }

  private ObjectStore(StoreSettings settings, Deque<AutoCloseable> owned, StartCleanup made)
      throws IOException {
    this.settings = settings;
    this.owned = owned;
    this.made = made;
    StoreThreads.Wakeup reclaimBell = new StoreThreads.Wakeup();
    StoreThreads.Wakeup journalBell = new StoreThreads.Wakeup();
    this.files = new StoreFiles(settings, owned, made, journalBell::ring);
    Purges purges = files.purges();
    TieredIndex index = files.index();
    Regions regions = files.regions();
    MemorySegment memory = regions.memory();
    int middleTiers = files.middle().count();
    RecordCheck records = new RecordCheck(regions, files.epoch());
    TierGeometry shape = settings.shape();
    TierSpace space = space(settings, regions, reclaimBell::ring);
    for (int tier = 0; tier < regions.tiers(); tier++) {
      for (int region = regions.from(tier); region < regions.end(tier); region++) {
        if (files.isEmpty(tier) || !regions.adopt(region)) {
          regions.state(region, 0, Regions.NONE, Regions.FREE);
        } else {
          // Which all tiers share.
          space.cell(0).ageAtLeast(regions.age(region) + 1);
        }
        if (regions.state(region) == Regions.FREE && files.lacksPages(region)) {
          // Given back in an earlier life, or never touched: not to be touched before it is
          // allocated.
          regions.renew(region);
          regions.withdraw(region);
        }
      }
    }
    RegionPins pins = new RegionPins(settings.lanes() + StoreInspection.LANES, regions.count());
    Promoter promoter = new Promoter(regions, space, index, purges, files.epoch());
    DiskTier disk =
        DiskTier.open(
            settings.disks().devices(),
            new DiskTier.Host(
                index,
                settings.diskEntries(),
                settings.disks().bytes(),
                purges,
                promoter,
                (long) regions.count() * regions.regionBytes(),
                files.isEmpty(),
                files.classes(),
                settings.disks().keepMillis(),
                settings.disks().recoveryThreads(),
                settings.clockMillis()),
            files.isWarm(),
            settings.disks().opener(),
            settings.stepped() ? null : settings.threads());
    owned.push(disk);
    // Not before all is open: what a stop has left counts for the next start that succeeds.
    purges.activate();
    index.removeOthers();
    ActiveBirths births = new ActiveBirths(settings.lanes());
    EvictionState eviction =
        new EvictionState(
            new SegmentPolicy(settings.eviction().initial(shape.sliceBytes())),
            new GhostFilter(
                (long) regions.count() * regions.regionBytes(),
                // What leaves memory is what it remembers, not what leaves the disks.
                Math.min(
                    settings.indexEntries(),
                    TierGeometry.of(settings.memoryBytes() + settings.tierBytes()).indexEntries())),
            new SampleFilter());
    this.core =
        new StoreState(
            regions,
            pins,
            space,
            index,
            disk,
            settings.disks().keepMillis(),
            purges,
            births,
            settings.clockMillis(),
            eviction,
            shape,
            records);
    this.inspection =
        new StoreInspection(core, files.classes(), settings.lanes(), settings.threads());
    this.lanes = new StoreLane[settings.lanes()];
    for (int lane = 0; lane < lanes.length; lane++) {
      lanes[lane] = new StoreLane(core, lane, settings.nearEntries());
    }
    List<SampleRing> samples = Arrays.stream(lanes).map(StoreLane::samples).toList();
    ShadowTuner shadow =
        new ShadowTuner(
            shape.usableBytes() + usableMiddleBytes(regions),
            shape.regionBytes(),
            shape.sliceBytes(),
            shape.inlineBytes(),
            settings.eviction(),
            eviction);
    this.segments = new MemorySegment[regions.count()];
    this.windows = new ByteBuffer[regions.count()];
    for (int region = 0; region < segments.length; region++) {
      segments[region] = memory.asSlice(regions.base(region), regions.regionBytes());
      windows[region] = segments[region].asByteBuffer();
    }
    MemoryCheck check = new MemoryCheck(regions, records, index, disk);
    MemoryScrubber scrub =
        new MemoryScrubber(
            regions,
            check,
            settings.scrubBytesPerSecond(),
            files.epoch(),
            settings.clockMillis().getAsLong());
    DiskDemoter demotion =
        new DiskDemoter(
            regions,
            index,
            disk,
            check,
            files.classes(),
            shape.sliceBytes(),
            settings.disks().admission() == DiskSettings.Admission.SECOND_HIT,
            settings.disks().bytesPerDay(),
            settings.clockMillis());
    MemoryReclaim reclaim =
        reclaim(regions, pins, space, index, disk, check, demotion, eviction, shape);
    this.resizer = new TierResizer(regions, space, files.tier(), minRegions());
    Sweeper sweeper =
        new Sweeper(
            regions, index, disk, check, purges, births, promoter, settings.purgeRetireMillis());
    this.atOpen =
        files.isEmpty()
            ? RecoveryState.Phase.EMPTY
            : files.isWarm() ? RecoveryState.Phase.WARM : RecoveryState.Phase.REBUILDING;
    Rebuild.settle(regions, files.isEmpty());
    this.rebuild = new Rebuild(regions, records, index, disk, purges);
    core.isRebuilt = atOpen != RecoveryState.Phase.REBUILDING;
    this.purging = new StorePurging(core, settings);
    this.replicatedPurges = new ReplicatedPurges(core.purges);
    this.figures =
        new StoreReporter(
            settings, files, core, lanes, reclaim, demotion, sweeper, shadow, scrub, resizer);
    this.work =
        new StoreThreads(
            settings,
            files,
            core,
            reclaim,
            resizer,
            sweeper,
            demotion,
            shadow,
            scrub,
            samples,
            rebuild,
            new StorageClassRecount(regions),
            new StorageClassScan(
                regions, files.classes(), index, core.growing, settings.clockMillis().getAsLong()));
    boolean ignored = reclaim.renewFree();
    // Not before all headers say that their regions are empty: a start that is killed before would
    // leave the next one with what does not count.
    files.finishFormat();
    LOG.info(
        "memory tier in {}: {} regions of {} KiB{}, {}, {}, {}{}",
        files.place(),
        regions.count(0),
        regions.regionBytes() >> 10,
        regions.inUse() == regions.count(0)
            ? ""
            : ", " + (regions.count(0) - regions.inUse()) + " of them withdrawn",
        files.tier().pageState(),
        files.tier().lockState(),
        atOpen.name().toLowerCase(Locale.ROOT),
        space.spareCount() > 0 ? "" : ", no spare region yet");
    if (space.count() > 1) {
      LOG.info("the memory tier has {} cells, {}", space.count(), files.tier().nodeState());
    }
    for (int n = 0; n < middleTiers; n++) {
      LOG.info(
          "{} in {}: {} regions of {} KiB, {}, {}",
          tierName(n + 1),
          files.middle().directory(n),
          regions.count(n + 1),
          regions.regionBytes() >> 10,
          files.middle().tier(n).state(),
          files.isEmpty(n + 1) ? "empty" : "with what it held");
    }
    if (!settings.stepped()) {
      work.start(reclaimBell, journalBell);
    }
  }

  /** Space in the first tier, by cell. */
  private static TierSpace space(StoreSettings settings, Regions regions, Runnable onShort) {
    List<RegionPart> parts = settings.cellParts();
    List<SpaceAllocator> cells = new ArrayList<>();
    for (RegionPart part : parts) {
      // One more where records come back from other tiers, which leave those that lanes need.
      int spares = usualSpares(regions, part) + Math.min(1, regions.tiers() - 1);
      cells.add(
          cells.isEmpty()
              ? new SpaceAllocator(regions, spares, onShort)
              : cells.getFirst().ofCell(spares));
    }
    return new TierSpace(parts, cells, settings.cellOfLane(parts.size()));
  }

  /** What frees the regions of all memory tiers. */
  private MemoryReclaim reclaim(
      Regions regions,
      RegionPins pins,
      TierSpace space,
      TieredIndex index,
      DiskTier disk,
      MemoryCheck check,
      DiskDemoter demotion,
      EvictionState eviction,
      TierGeometry shape) {
    ArrayDeque<Reclaimer> middle = new ArrayDeque<>();
    List<Reclaimer> cells = new ArrayList<>();
    for (int n = regions.tiers() - 1 + space.count() - 1; n >= 0; n--) {
      boolean isCell = n < space.count();
      int tier = isCell ? 0 : n - space.count() + 1;
      RegionPart part = isCell ? space.part(n) : RegionPart.ofTier(regions, tier);
      Reclaimer made =
          new Reclaimer(
              regions,
              pins,
              isCell ? space.cell(n) : space.cell(0).ofMiddleTier(spares(regions, tier)),
              index,
              files.purges(),
              core.unfinished,
              core.growing,
              disk,
              check,
              demotion,
              eviction,
              files.classes(),
              shape.sliceBytes(),
              settings.fillDeadlineMillis(),
              part,
              middle.peek(),
              isCell
                  ? null
                  : new TierPromotion(
                      regions,
                      tier,
                      space,
                      files.middle().tier(tier - 1).isVolatile(),
                      settings.clockMillis().getAsLong()));
      if (isCell) {
        cells.addFirst(made);
      } else {
        middle.push(made);
      }
    }
    return new MemoryReclaim(regions, cells, List.copyOf(middle));
  }

  /** Spare regions that a middle tier keeps. */
  private static int spares(Regions regions, int tier) {
    return Math.max(
        Reclaimer.SPARES_FOR_DEMOTION, usualSpares(regions, RegionPart.ofTier(regions, tier)));
  }

  private static int usualSpares(Regions regions, RegionPart part) {
    long bytes = (long) part.count() * regions.regionBytes();
    return TierGeometry.of(bytes, regions.regionBytes(), 1).spareRegions();
  }

  private static long usableMiddleBytes(Regions regions) {
    long sum = 0;
    for (int tier = 1; tier < regions.tiers(); tier++) {
      sum += (long) (regions.count(tier) - spares(regions, tier)) * regions.regionBytes();
    }
    return sum;
  }

  /** How a tier is called in metrics and answers. */
  static String tierName(int tier) {
    return tier == 0 ? "memory" : "tier" + tier;
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

  /** Sixteen bytes that tell stores apart, and are no secret. */
  public byte[] identity() {
    return core.purges.identity();
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
    return purging.purge(purge);
  }

  /**
   * Takes back a soft purge. Blocks until that is on disk and in force: not for event loops.
   *
   * @param id of its receipt
   */
  public PurgeReceipt undo(long id) throws PurgeFailedException, UndoRefusedException {
    return purging.undo(id);
  }

  /** Purges of a log that several nodes follow. */
  public ReplicatedPurges replicatedPurges() {
    return replicatedPurges;
  }

  /** What became of a purge; null if nothing is known of it. */
  public @Nullable PurgeStatus purgeStatus(long id) {
    return purging.purgeStatus(id);
  }

  /** The latest purges, newest first. */
  public List<PurgeStatus> latestPurges(int most) {
    return purging.latestPurges(most);
  }

  /**
   * Counts what a purge would match, and purges nothing. One at a time. Not for event loops.
   *
   * @param mostMillis how long it may take; what it did not come to it says
   * @return null while another one is counted
   * @throws IllegalArgumentException when it is a predicate that can't be read
   */
  public @Nullable PurgeEstimate estimate(Purge purge, long mostMillis) {
    return purging.estimate(purge, mostMillis);
  }

  public RecoveryState recovery() {
    double fraction = Math.min(rebuild.fraction(), core.disk.recovered());
    if (!core.isIndexComplete()) {
      return new RecoveryState(RecoveryState.Phase.REBUILDING, fraction, rebuild.records());
    }
    return atOpen == RecoveryState.Phase.REBUILDING
        ? new RecoveryState(RecoveryState.Phase.REBUILT, 1, rebuild.records())
        : new RecoveryState(atOpen, 1, 0);
  }

  /** Whether everything that is stored can be found: nothing is being rebuilt. Any thread. */
  public boolean isIndexComplete() {
    return core.isIndexComplete();
  }

  /** When the store was last known to be at work before this start; 0 if it opened empty. */
  public long newestStoredMillis() {
    return files.newestMillis();
  }

  /**
   * Whether the files of memory or index were cut while the store uses them. Then lookups find
   * nothing and nothing is stored, until the next start.
   */
  public boolean isMemoryLost() {
    return core.isLost();
  }

  public boolean outlivesProcess() {
    return files.tier().outlivesProcess();
  }

  /** Regions of the first tier. */
  public int regionCount() {
    return core.regions.count(0);
  }

  /** Cells of the first tier; 1 where it is not divided. */
  public int cells() {
    return core.space.count();
  }

  /** Regions of all tiers: those that are found in have lower numbers. */
  public int allRegions() {
    return core.regions.count();
  }

  public int regionBytes() {
    return core.regions.regionBytes();
  }

  /**
   * How many regions are to be in use from here on, at least {@link #minRegions()}; the others are
   * given back to the kernel. A store opens with as many as it was left with. Any thread; the
   * reclaim thread carries it out.
   */
  public void resize(int regionCount) {
    resizer.target(regionCount);
  }

  /** How far that has come. */
  public ResizeStats resizing() {
    return resizer.stats();
  }

  /** The smallest number of regions that the tier can have. */
  public int minRegions() {
    // A quarter: what is derived from the tier's size at a start holds with so few.
    return Math.max(
        TierGeometry.MIN_REGIONS * core.space.count(), Math.ceilDiv(core.regions.count(0), 4));
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
    return segments[region];
  }

  /** What the offsets of a head that was found refer to: its region, or what was read of it. */
  public MemorySegment bytes(StoredHead head) {
    TransitBuffer read = head.read();
    return read == null ? segments[head.region] : read.memory();
  }

  /** A window on a region; the same object each time, so take a duplicate to position it. */
  public ByteBuffer regionBuffer(int region) {
    return windows[region];
  }

  /** Of each configured storage class but the default one. */
  public List<StorageClassStats> classStats() {
    return figures.classes();
  }

  /** The storage classes in force. */
  public StorageClasses classes() {
    return files.classes();
  }

  /**
   * Does what may fail of {@link #configure}, and changes no rules. Blocks for a file: not for
   * event loops.
   */
  public void prepare(List<StorageClass> classes) throws IOException {
    files.classes().prepare(classes);
    if (!classes.isEmpty() && !core.isLost()) {
      files.allowClasses();
    }
  }

  /**
   * Replaces the storage classes by others that were prepared. Records keep the number of their
   * class; its rules apply to them at once.
   */
  public void configure(List<StorageClass> classes) {
    files.classes().configure(classes);
  }

  /** Where the file of each device of the disk tier lies, by its name. */
  public Map<String, Path> diskDirectories() {
    Map<String, Path> directories = new TreeMap<>();
    core.disk.settings().forEach(disk -> directories.put(disk.name(), disk.directory()));
    return directories;
  }

  /** Of each device of the disk tier. */
  public List<DiskStats> diskStats() {
    return core.disk.stats();
  }

  /** Stops using a device; what is on it counts as missing. False if it was not in use. */
  public boolean takeOffline(String disk) {
    return core.disk.offline(disk);
  }

  /** Uses a device again, as it was left or, if it missed too much, empty. Blocks for its disk. */
  public void bringOnline(String disk) throws IOException {
    core.disk.online(disk);
  }

  /** Empties a device and uses it. Blocks for its disk. */
  public void reinitialise(String disk) throws IOException {
    core.disk.reinit(disk);
  }

  /**
   * Has a device take no more records and moves what it holds elsewhere, until it is empty and may
   * be pulled.
   *
   * @throws IllegalStateException if it is not online
   */
  public void evacuate(String disk) {
    core.disk.evacuate(disk);
  }

  /**
   * Has a device that is being evacuated take records again.
   *
   * @throws IllegalStateException if it is not being evacuated
   */
  public void cancelEvacuation(String disk) {
    core.disk.cancelEvacuation(disk);
  }

  /**
   * Replaces a device that is out of service by another one with the same name, whose settings may
   * differ. Blocks for its disk.
   *
   * @throws IllegalStateException if that one is in use
   */
  public void replace(DeviceSettings disk) throws IOException {
    core.disk.replace(disk);
  }

  /**
   * Uses one more device, empty. Blocks for its disk.
   *
   * @throws IllegalStateException if there is one of this name, or the store was opened without any
   */
  public void add(DeviceSettings disk) throws IOException {
    core.disk.add(disk);
  }

  /**
   * Forgets a device that was evacuated.
   *
   * @throws IllegalStateException if it was not
   */
  public void remove(String disk) {
    core.disk.remove(disk);
  }

  public StoreStats stats() {
    return figures.stats(recovery());
  }

  /** Memory outside the heap: the tiers, their index, and the disks' buffers. */
  public MemoryParts memoryParts() {
    return figures.memoryParts();
  }

  /**
   * What the store takes outside the heap.
   *
   * @param middleBytes of middle tiers that are memory of the machine
   * @param place where the first tier and the index lie
   */
  public record MemoryParts(
      long tierBytes, long middleBytes, long indexBytes, long bufferBytes, String place) {}

  /** The arithmetic of the store's memory, for people. */
  public List<String> budget() {
    return figures.budget();
  }

  /**
   * Does a piece of the store's own work; false if there was none. For stores that are stepped by
   * their owner, from one thread at a time.
   */
  public boolean step() {
    if (!settings.stepped()) {
      throw new IllegalStateException("this store's threads do its work");
    }
    return work.step();
  }

  /**
   * The directory of memory tier and index, under this store's lock; null where they are memory of
   * this process.
   */
  public @Nullable Path memoryDirectory() {
    return files.directory();
  }

  /**
   * Ends a store of a node that could not be started for another reason: like {@link #close}, but
   * what this start has made in memory is removed.
   */
  public void closeUnused() {
    made.keep(false);
    close();
  }

  /** Ends cleanly: the next start attaches to what is here. Lanes must not be used any more. */
  @Override
  public void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    inspection.close();
    work.stop();
    work.copyToDisk();
    boolean canBeWarm = !core.isLost() && recovery().isComplete();
    if (!core.isLost()) {
      files.noteClock(settings.clockMillis().getAsLong());
    }
    core.disk.stop();
    if (canBeWarm) {
      work.beginCheckpoints();
    }
    closeNow(core.disk);
    closeNow(files.index());
    if (canBeWarm) {
      files.markClean();
    }
    closeAll(owned);
  }

  /** What contradicts the invariants of a store at rest whose index is complete. For tests. */
  List<String> audit() {
    return Audit.of(core);
  }

  /** Ends as a killed process does, as far as files can tell. For tests. */
  public void abandon() {
    isClosed = true;
    inspection.close();
    work.stop();
    owned.remove(core.disk);
    closeQuietly(core.disk::abandon);
    closeAll(owned);
  }

  /** Before what it stands on. */
  private void closeNow(AutoCloseable closing) {
    owned.remove(closing);
    closeQuietly(closing);
  }

  private static void closeQuietly(AutoCloseable closing) {
    try {
      closing.close();
    } catch (Exception | InternalError e) {
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
