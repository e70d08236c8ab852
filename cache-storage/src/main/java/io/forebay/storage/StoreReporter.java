package io.forebay.storage;

import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.evict.DiskDemoter;
import io.forebay.storage.evict.MemoryReclaim;
import io.forebay.storage.evict.MemoryScrubber;
import io.forebay.storage.evict.Reclaimer;
import io.forebay.storage.evict.ShadowTuner;
import io.forebay.storage.evict.Sweeper;
import io.forebay.storage.evict.TierResizer;
import io.forebay.storage.inspect.StoreInspection;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.lane.StoreState;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.placement.StorageClass;
import io.forebay.storage.placement.StorageClassStats;
import io.forebay.storage.placement.StorageClasses;
import io.forebay.storage.region.RegionPart;
import io.forebay.storage.region.Regions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reports figures of the store for metrics, the start screen and the memory plan. */
final class StoreReporter {
  private final StoreSettings settings;
  private final StoreFiles files;
  private final StoreState core;
  private final StoreLane[] lanes;
  private final MemoryReclaim reclaim;
  private final DiskDemoter demotion;
  private final Sweeper sweeper;
  private final ShadowTuner shadow;
  private final MemoryScrubber scrub;
  private final TierResizer resizer;

  StoreReporter(
      StoreSettings settings,
      StoreFiles files,
      StoreState core,
      StoreLane[] lanes,
      MemoryReclaim reclaim,
      DiskDemoter demotion,
      Sweeper sweeper,
      ShadowTuner shadow,
      MemoryScrubber scrub,
      TierResizer resizer) {
    this.settings = settings;
    this.files = files;
    this.core = core;
    this.lanes = lanes;
    this.reclaim = reclaim;
    this.demotion = demotion;
    this.sweeper = sweeper;
    this.shadow = shadow;
    this.scrub = scrub;
    this.resizer = resizer;
  }

  StoreStats stats(RecoveryState recovery) {
    Regions regions = core.regions;
    Levels first = levels(RegionPart.ofTier(regions, 0));
    List<MiddleTierStats> middle = new ArrayList<>();
    for (int tier = 1; tier < regions.tiers(); tier++) {
      middle.add(middle(tier));
    }
    long nearHits = 0;
    long indexHits = 0;
    long misses = 0;
    long busy = core.purges.deferred();
    long installed = 0;
    for (StoreLane lane : lanes) {
      nearHits += lane.lookup.nearHits;
      indexHits += lane.lookup.indexHits;
      misses += lane.lookup.misses;
      busy += lane.lookup.busy + lane.installs.busy;
      installed += lane.installs.installed;
    }
    return new StoreStats(
        regions.count(0),
        regions.regionBytes(),
        core.space.spareCount(),
        first.probation,
        first.isProtected,
        first.limbo,
        first.probationBytes,
        first.protectedBytes,
        files.index().count() + files.index().diskCount(),
        files.index().capacity() + files.index().diskCapacity(),
        nearHits,
        indexHits,
        misses,
        busy,
        installed,
        core.space.refusals(),
        reclaim.sum(Reclaimer::reclaimed),
        reclaim.sum(Reclaimer::reclaimedForIndex) + core.disk.reclaimedForIndex(),
        reclaim.sum(Reclaimer::evicted),
        reclaim.sum(Reclaimer::moved),
        reclaim.sum(Reclaimer::dead) + sweeper.killed(),
        reclaim.sum(Reclaimer::revoked),
        core.unfinished.size(),
        core.unfinishedBytes.get(),
        core.pins.total(),
        core.purges.acknowledged(),
        core.purges.failed(),
        core.purges.invalidations(),
        core.purges.tableSize(),
        core.purges.floor(),
        core.purges.retiredThrough(),
        core.records.failures(),
        files.tier().outlivesProcess(),
        recovery,
        reclaim.sum(Reclaimer::keptWhole),
        shadow.stats(),
        core.isLost(),
        scrub.stats(),
        resizer.stats(),
        List.copyOf(middle),
        cells(),
        files.tier().nodeState());
  }

  private long evicted(int storageClass) {
    return reclaim.sum(one -> one.evicted(storageClass));
  }

  /** What regions of a part are, and what they hold. */
  private static final class Levels {
    private int spare;
    private int probation;
    private int isProtected;
    private int limbo;
    private long probationBytes;
    private long protectedBytes;
  }

  private Levels levels(RegionPart part) {
    Regions regions = core.regions;
    Levels levels = new Levels();
    for (int region = part.from(); region < part.end() && !core.isLost(); region++) {
      int state = regions.state(region);
      if (state == Regions.LIMBO) {
        levels.limbo++;
      } else if (state == Regions.SPARE) {
        levels.spare++;
      } else if (state == Regions.OPEN || state == Regions.SEALED) {
        int used = regions.recordsEnd(region) + regions.slots(region) * DirectoryEntry.LENGTH;
        if (regions.segment(region) == Regions.PROTECTED) {
          levels.isProtected++;
          levels.protectedBytes += used;
        } else {
          levels.probation++;
          levels.probationBytes += used;
        }
      }
    }
    return levels;
  }

  private MiddleTierStats middle(int tier) {
    Levels levels = levels(RegionPart.ofTier(core.regions, tier));
    return new MiddleTierStats(
        ObjectStore.tierName(tier),
        files.middle().directory(tier - 1).toString(),
        core.regions.count(tier),
        core.regions.regionBytes(),
        levels.spare,
        levels.probation,
        levels.isProtected,
        levels.limbo,
        levels.probationBytes + levels.protectedBytes,
        reclaim.sum(tier - 1, Reclaimer::demoted),
        reclaim.sum(tier, Reclaimer::promoted),
        reclaim.sum(tier, Reclaimer::reclaimed));
  }

  /** Of each cell of the first tier; none where it is not divided. */
  private List<CellStats> cells() {
    List<CellStats> cells = new ArrayList<>();
    for (int cell = 0; cell < core.space.count() && core.space.count() > 1; cell++) {
      RegionPart part = core.space.part(cell);
      Levels levels = levels(part);
      int lanesHere = 0;
      for (int lane = 0; lane < lanes.length; lane++) {
        lanesHere += core.space.cellOfLane(lane) == cell ? 1 : 0;
      }
      cells.add(
          new CellStats(
              settings.nodeOf(cell),
              lanesHere,
              part.count(),
              levels.spare,
              levels.probation,
              levels.isProtected,
              levels.limbo,
              levels.probationBytes + levels.protectedBytes));
    }
    return cells;
  }

  /** Of each configured class but the default one. */
  List<StorageClassStats> classes() {
    Regions regions = core.regions;
    long tierBytes = (long) regions.inUse() * regions.regionBytes();
    List<StorageClassStats> stats = new ArrayList<>();
    for (int n = 1; n < StorageClasses.COUNT; n++) {
      if (files.classes().isConfigured(n)) {
        StorageClass one = files.classes().of(n);
        stats.add(
            new StorageClassStats(
                one.name(),
                regions.classes().bytes(n),
                StorageClass.share(tierBytes, one.quotaPercent()),
                StorageClass.share(tierBytes, one.floorPercent()),
                StorageClass.share(tierBytes, one.pinnedPercent()),
                evicted(n),
                demotion.demoted(n),
                core.disk.classBytes(n),
                core.disk.share(one.diskQuotaPercent()),
                core.disk.share(one.diskFloorPercent()),
                core.disk.classRefused(n)));
      }
    }
    return stats;
  }

  ObjectStore.MemoryParts memoryParts() {
    return new ObjectStore.MemoryParts(
        files.tier().memory().byteSize(),
        files.middle().volatileBytes(),
        files.index().offHeapBytes(),
        core.disk.bufferBytes(),
        files.place());
  }

  List<String> budget() {
    long tierBytes = files.tier().memory().byteSize();
    long indexBytes = files.index().offHeapBytes();
    long pinBytes =
        (long) (lanes.length + StoreInspection.LANES) * (core.regions.count() + 64) * Integer.BYTES;
    // 64 bytes an entry, and half as many for links to copies.
    long nearBytes = (long) lanes.length * settings.nearEntries() * 96;
    long tableBytes = 4L * settings.purgeScopes() * 24;
    long bufferBytes = core.disk.bufferBytes();
    long evictionBytes = core.eviction.ghosts().heapBytes() + ShadowTuner.heapBytes(lanes.length);
    long sum =
        tierBytes
            + files.middle().volatileBytes()
            + indexBytes
            + pinBytes
            + nearBytes
            + tableBytes
            + bufferBytes
            + evictionBytes;
    List<String> lines = new ArrayList<>();
    for (DiskStats one : core.disk.stats()) {
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
    if (!core.disk.isEmpty()) {
      lines.add(line("disk buffers", bufferBytes));
    }
    for (int tier = 1; tier < core.regions.tiers(); tier++) {
      lines.add(
          line(
                  ObjectStore.tierName(tier),
                  (long) core.regions.count(tier) * core.regions.regionBytes())
              + String.format(
                  Locale.ROOT,
                  " = %d regions of %d KiB, in %s%s",
                  core.regions.count(tier),
                  core.regions.regionBytes() >> 10,
                  files.middle().directory(tier - 1),
                  files.middle().tier(tier - 1).isVolatile() ? "" : ", no memory of the machine"));
    }
    lines.addAll(
        List.of(
            line("memory tier", tierBytes)
                + String.format(
                    Locale.ROOT,
                    " = %d regions of %d KiB, in %s",
                    core.regions.count(0),
                    core.regions.regionBytes() >> 10,
                    files.place()),
            line("index", indexBytes)
                + String.format(
                    Locale.ROOT,
                    " = up to %d entries in memory, %d on disks only",
                    files.index().capacity(),
                    files.index().diskCapacity()),
            line("near-indexes", nearBytes)
                + String.format(
                    Locale.ROOT, " = %d loops of %d entries", lanes.length, settings.nearEntries()),
            line("pins", pinBytes),
            line("ghosts, shadow", evictionBytes) + " at most",
            line("purge table", tableBytes)
                + String.format(Locale.ROOT, " = up to %d scopes", settings.purgeScopes()),
            line("store, total", sum)));
    return lines;
  }

  private static String line(String name, long bytes) {
    return String.format(Locale.ROOT, "%-14s %9.1f MiB", name, bytes / 1048576.0);
  }
}
