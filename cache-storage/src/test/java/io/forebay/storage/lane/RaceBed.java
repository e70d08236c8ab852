package io.forebay.storage.lane;

import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.disk.Promoter;
import io.forebay.storage.evict.DiskDemoter;
import io.forebay.storage.evict.EvictionState;
import io.forebay.storage.evict.MemoryCheck;
import io.forebay.storage.evict.MemoryReclaim;
import io.forebay.storage.evict.Reclaimer;
import io.forebay.storage.evict.SampleFilter;
import io.forebay.storage.evict.SegmentPolicy;
import io.forebay.storage.ghost.GhostFilter;
import io.forebay.storage.index.ChronicleIndex;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.index.TieredIndex;
import io.forebay.storage.lane.StoreState.Piece;
import io.forebay.storage.layout.HeadRecord;
import io.forebay.storage.layout.Layouts;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.memory.Headroom;
import io.forebay.storage.memory.TierMemory;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.placement.StorageClasses;
import io.forebay.storage.purge.ActiveBirths;
import io.forebay.storage.purge.PurgeMatcher;
import io.forebay.storage.purge.Purges;
import io.forebay.storage.region.RecordCheck;
import io.forebay.storage.region.RegionPart;
import io.forebay.storage.region.RegionPins;
import io.forebay.storage.region.Regions;
import io.forebay.storage.region.Reservation;
import io.forebay.storage.region.ReservationAt;
import io.forebay.storage.region.SpaceAllocator;
import io.forebay.storage.region.TierGeometry;
import io.forebay.storage.region.TierSpace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

/**
 * The parts of a store without its threads, so that any two threads can be any two of its owners.
 * Two lanes; of the regions one half belongs to the store's space, the other half is handed out to
 * races that empty a region of their own.
 *
 * <p>Races are made and ended in parallel, between two meetings: under the lock of the bed. A
 * region of a race is kept, or spare without being among the store's spares, so that the reclaimer
 * never takes it by itself.
 */
public final class RaceBed {
  public static final int BODY = 64;

  private static final int REGION_BYTES = 64 << 10;
  private static final int SHARED_REGIONS = 256;
  private static final int OWN_REGIONS = 2048;
  private static final int SPARES = 16;

  public final MemorySegment memory;
  public final Regions regions;
  public final RegionPins pins;
  final StoreState core;
  public final Reclaimer reclaimer;
  public final StoreLane firstLane;
  public final StoreLane secondLane;

  private final TierSpace space;
  private final MemoryReclaim reclaim;
  private final Purges purges;
  private final ObjectIndex.Cursor cursor;
  private final IndexValue value = new IndexValue();
  private final AtomicInteger nextOwn = new AtomicInteger();
  private int delay;

  public RaceBed() {
    try {
      int count = SHARED_REGIONS + OWN_REGIONS;
      TierMemory tier =
          TierMemory.anonymous(
              TierHeader.LENGTH + (long) count * REGION_BYTES, new Headroom(), false);
      memory = tier.memory();
      regions = new Regions(memory, REGION_BYTES, count);
      RecordCheck records = new RecordCheck(regions, 1);
      // Nothing is older than what it holds: it begins empty.
      regions.settledAge(TierHeader.ALL_SETTLED);
      pins = new RegionPins(2, count);
      space = space(regions, Integer.getInteger("test.cells", 1));
      TieredIndex index = new TieredIndex(ChronicleIndex.anonymous(1 << 16));
      purges =
          new Purges(
              Files.createTempDirectory(Path.of("").toAbsolutePath(), "race").resolve("journal"),
              1000,
              1 << 20,
              System::currentTimeMillis,
              new SecureRandom(),
              PurgeMatcher.Compiler.NONE,
              () -> {});
      DiskTier disk =
          DiskTier.open(
              List.of(),
              new DiskTier.Host(
                  index,
                  0,
                  0,
                  purges,
                  new Promoter(regions, space, index, purges, 1),
                  (long) regions.count() * regions.regionBytes(),
                  true,
                  StorageClasses.none(),
                  0,
                  0,
                  System::currentTimeMillis),
              true,
              DiskTier.Opener.files(),
              null);
      EvictionState eviction =
          new EvictionState(
              new SegmentPolicy(SegmentPolicy.Setting.INITIAL),
              new GhostFilter((long) count * REGION_BYTES, 1 << 16),
              new SampleFilter());
      core =
          new StoreState(
              regions,
              pins,
              space,
              index,
              disk,
              0,
              purges,
              new ActiveBirths(2),
              System::currentTimeMillis,
              eviction,
              TierGeometry.of((long) count * REGION_BYTES, REGION_BYTES, 1 << 16),
              records);
      MemoryCheck check = new MemoryCheck(regions, records, index, disk);
      firstLane = new StoreLane(core, 0, 1024);
      secondLane = new StoreLane(core, 1, 1024);
      List<Reclaimer> cells = new ArrayList<>();
      for (int cell = 0; cell < space.count(); cell++) {
        cells.add(
            new Reclaimer(
                regions,
                pins,
                space.cell(cell),
                index,
                purges,
                ConcurrentHashMap.newKeySet(),
                ConcurrentHashMap.newKeySet(),
                disk,
                check,
                new DiskDemoter(
                    regions,
                    index,
                    disk,
                    check,
                    StorageClasses.none(),
                    core.sliceBytes,
                    false,
                    0,
                    System::currentTimeMillis),
                eviction,
                StorageClasses.none(),
                core.sliceBytes,
                Long.MAX_VALUE,
                space.part(cell),
                null,
                null));
      }
      reclaimer = cells.getFirst();
      reclaim = new MemoryReclaim(regions, cells, List.of());
      cursor = index.blockingCursor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (int region = 0; region < regions.count(); region++) {
      regions.renew(region);
      if (region < SHARED_REGIONS) {
        int own = region;
        int cell =
            IntStream.range(0, space.count())
                .filter(n -> space.part(n).has(own))
                .findFirst()
                .orElseThrow();
        space.cell(cell).addSpare(region);
      }
    }
  }

  /** Of one cell for each lane, or of one for both; the last has the regions of races, too. */
  private static TierSpace space(Regions regions, int cells) {
    SpaceAllocator first = new SpaceAllocator(regions, SPARES, () -> {});
    if (cells == 1) {
      return TierSpace.undivided(regions, first, 2);
    }
    int half = SHARED_REGIONS / 2;
    return new TierSpace(
        List.of(new RegionPart(0, 0, half), new RegionPart(0, half, regions.count())),
        List.of(first, first.ofCell(SPARES)),
        new int[] {0, 1});
  }

  /** A number of the sequence; leaves room for those that the race takes itself. */
  public long birth() {
    while (true) {
      long birth = purges.next();
      if (birth >= 0) {
        return birth;
      }
      purges.work();
    }
  }

  /** How long one of two waits for the other: all are tried in turn. */
  public int delay() {
    delay = (delay + 1) & 127;
    return delay;
  }

  /** Before each race: there is space for whatever it writes. */
  public void makeRoom() {
    purges.work();
    while (isShort() && reclaim.step(System.currentTimeMillis())) {
      Thread.onSpinWait();
    }
  }

  private boolean isShort() {
    return IntStream.range(0, space.count()).anyMatch(n -> space.cell(n).spareCount() < SPARES);
  }

  /** The head of an object of this number. */
  public static HeadSpec spec(long number, long birth, long totalLength) {
    byte[] text = Long.toHexString(number).getBytes(StandardCharsets.US_ASCII);
    return new HeadSpec(
        Layouts.mix(number),
        Layouts.mix(~number),
        text,
        text.length,
        new byte[40],
        new long[] {number},
        birth,
        Long.MAX_VALUE,
        HeadSpec.Kind.OBJECT,
        totalLength);
  }

  /** A new life of a region that belongs to the race until {@link #giveBack}. */
  public int open() {
    int region = SHARED_REGIONS + nextOwn.getAndIncrement() % OWN_REGIONS;
    regions.open(region, Regions.PROBATION, space.cell(0).newAge());
    if (!regions.hold(region, Regions.PROBATION)) {
      throw new IllegalStateException("region " + region + " belongs to another race");
    }
    return region;
  }

  /**
   * Hides an emptied region from the reclaimer, which makes room for the races that are set up
   * while others wait to be judged, and would hand it to them.
   */
  public void keep(int region) {
    regions.state(region, Regions.SEALED);
  }

  public void giveBack(int region) {
    regions.renew(region);
    regions.release(region);
  }

  /** A committed record that no key names yet. */
  public record Written(
      HeadSpec spec, byte kind, long objectId, long high, long low, Piece at, int length) {

    public InstallOutcome install(StoreLane lane) {
      return lane.installs.install(spec, kind, at, length, objectId, high, low);
    }
  }

  /** Writes a head with a body of one word, repeated, in the open region of all. */
  public Written writeHead(HeadSpec spec, long content) {
    Reservation at = new Reservation();
    if (!space.reserveAnywhere(core.headLength(spec) + BODY, at)) {
      throw new IllegalStateException("no space");
    }
    return writeHead(at, spec, content);
  }

  /** The same as the next record of a race's region. */
  public Written writeHead(int region, HeadSpec spec, long content) {
    return writeHead(reserve(region, core.headLength(spec) + BODY), spec, content);
  }

  private Written writeHead(Reservation at, HeadSpec spec, long content) {
    long objectId = birth();
    core.enter(at, RecordHeader.KIND_OBJECT, spec, spec.hi(), spec.lo(), objectId);
    long body = regions.base(at.region()) + at.offset() + core.headLength(spec);
    core.writeHead(at, spec, objectId, spec.birth(), BODY, true, writeBody(body, content));
    Piece piece = new Piece(at.region(), at.generation(), at.slot(), at.offset(), 0, 0);
    return new Written(
        spec, RecordHeader.KIND_OBJECT, objectId, spec.hi(), spec.lo(), piece, at.length());
  }

  /** The first slice of an object, as the next record of a race's region. */
  public Written writeSlice(int region, HeadSpec spec, long objectId, long content) {
    int length = SliceRecord.LENGTH + BODY;
    Reservation at = reserve(region, length);
    long high = SliceRecord.keyHigh(objectId);
    long low = SliceRecord.keyLow(objectId, 0);
    core.enter(at, RecordHeader.KIND_SLICE, spec, high, low, objectId);
    Piece piece = Piece.slice(at);
    CRC32C crc = writeBody(regions.base(region) + piece.bodyOffset(), content);
    core.writeSlice(piece, spec, objectId, 0, BODY, crc);
    return new Written(spec, RecordHeader.KIND_SLICE, objectId, high, low, piece, length);
  }

  private Reservation reserve(int region, int length) {
    long word = regions.reserve(region, length);
    if (word < 0) {
      throw new IllegalStateException("region " + region + " is full");
    }
    return ReservationAt.of(
        region, regions.generation(region), (int) (word >>> 32), (int) word, length);
  }

  private CRC32C writeBody(long at, long content) {
    for (int n = 0; n < BODY; n += Long.BYTES) {
      memory.set(Layouts.LONG, at + n, content);
    }
    CRC32C crc = new CRC32C();
    crc.update(memory.asSlice(at, BODY).asByteBuffer());
    return crc;
  }

  /**
   * Which of these records of one key the index names, from 1; 0: none. -1 if that does not agree
   * with which of them are live, or the index mixes two of them up.
   */
  public int named(Written... written) {
    ObjectIndex.Outcome outcome = cursor.get(written[0].high(), written[0].low(), value);
    boolean isNamed = outcome == ObjectIndex.Outcome.DONE;
    int result = 0;
    for (int n = 0; n < written.length; n++) {
      Piece at = written[n].at();
      boolean isIt = isNamed && value.isAt(at.region(), at.generation(), at.offset());
      if (regions.isLive(at.region(), at.slot()) != isIt) {
        return -1;
      }
      if (isNamed && value.birth() == written[n].spec().birth()) {
        result = n + 1;
      }
    }
    if (isNamed) {
      // It may name a copy: that, too, must be live, and of the birth that the index says.
      long record = regions.base(value.region()) + value.offset();
      int slot = memory.get(Layouts.INT, record + RecordHeader.ENTRY_OFFSET);
      if (result == 0
          || !regions.isLive(value.region(), slot)
          || memory.get(Layouts.LONG, record + HeadRecord.BIRTH_OFFSET) != value.birth()) {
        return -1;
      }
    }
    return result;
  }

  /** So that nothing names what is reused. */
  public void forget(Written written) {
    if (!firstLane.invalidate(written.high(), written.low())) {
      throw new IllegalStateException("busy, with nobody there");
    }
  }
}
