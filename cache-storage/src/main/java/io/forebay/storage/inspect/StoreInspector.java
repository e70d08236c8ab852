package io.forebay.storage.inspect;

import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.inspect.InspectedObject.Run;
import io.forebay.storage.inspect.InspectedObject.Slices;
import io.forebay.storage.inspect.Listing.Position;
import io.forebay.storage.inspect.StoreCensus.Cell;
import io.forebay.storage.inspect.StoreCensus.Part;
import io.forebay.storage.inspect.Tier.Extent;
import io.forebay.storage.inspect.Tier.RegionFacts;
import io.forebay.storage.layout.SliceRecord;
import io.forebay.storage.placement.StorageClasses;
import io.forebay.storage.purge.PurgeVerdicts;
import io.forebay.storage.purge.Purges;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Answers queries about a store, running or at rest, by walking its directories; the index is only
 * used for single keys. Every answer is bounded in size and by a deadline that is checked between
 * regions. One thread, never an event loop.
 */
public final class StoreInspector {
  private static final int MAX_RUNS = 256;

  private final List<MemoryTier> memory;
  private final List<DiskDevice> disks;
  private final List<Tier> tiers = new ArrayList<>();
  private final StorageClasses classes;
  private final List<String> notes;
  private final ObjectIndex.Cursor cursor;
  private final Predicate<IndexValue> isReadable;
  private final PurgeVerdicts fates;
  private final LongSupplier clockMillis;
  private final BooleanSupplier isOver;
  private final IndexValue value = new IndexValue();

  /**
   * A survey of these tiers.
   *
   * @param classes in force; of files at rest, their names alone
   * @param notes on what is left out, in sentences
   * @param isReadable whether what an index entry says of a disk is true
   * @param isOver asked between regions: whether to end with what is there
   */
  public StoreInspector(
      List<MemoryTier> memory,
      List<DiskDevice> disks,
      StorageClasses classes,
      List<String> notes,
      ObjectIndex.Cursor cursor,
      Predicate<IndexValue> isReadable,
      PurgeVerdicts fates,
      LongSupplier clockMillis,
      BooleanSupplier isOver) {
    this.memory = List.copyOf(memory);
    this.disks = List.copyOf(disks);
    this.tiers.addAll(memory);
    this.tiers.addAll(disks);
    this.classes = classes;
    this.notes = List.copyOf(notes);
    this.cursor = cursor;
    this.isReadable = isReadable;
    this.fates = fates;
    this.clockMillis = clockMillis;
    this.isOver = isOver;
  }

  /** What is left out, and why. */
  public List<String> notes() {
    return notes;
  }

  public StorageClasses classes() {
    return classes;
  }

  public List<Tier> tiers() {
    return List.copyOf(tiers);
  }

  public long nowMillis() {
    return clockMillis.getAsLong();
  }

  // --- listing
  // ------------------------------------------------------------------------------------

  /** Objects whose heads the filter takes, from a position on, at most so many. */
  public Listing list(Predicate<Head> filter, int limit, Position from) throws IOException {
    List<InspectedObject> found = new ArrayList<>();
    int slot = from.slot();
    int first = from.region();
    for (int n = from.tier(); n < tiers.size(); n++) {
      Tier tier = tiers.get(n);
      int end = tier.firstRegion() + tier.regionCount();
      for (int region = Math.max(first, tier.firstRegion()); region < end; region++) {
        if (isOver.getAsBoolean()) {
          return new Listing(found, new Position(n, region, slot));
        }
        int[] next = {-1};
        tier.walk(
            region,
            slot,
            entry -> {
              if (found.size() >= limit || (!found.isEmpty() && isOver.getAsBoolean())) {
                next[0] = entry.slot();
                return false;
              }
              InspectedObject one =
                  entry.isSlice() || !entry.isLive() ? null : listed(entry, filter);
              if (one != null) {
                found.add(one);
              }
              return true;
            });
        if (next[0] >= 0) {
          return new Listing(found, new Position(n, region, next[0]));
        }
        slot = 0;
      }
      first = 0;
    }
    return new Listing(found, null);
  }

  private @Nullable InspectedObject listed(Entry entry, Predicate<Head> filter) throws IOException {
    boolean isIndexed =
        cursor.get(entry.keyHigh(), entry.keyLow(), value) == ObjectIndex.Outcome.DONE
            && value.birth() == entry.birth()
            && value.isOf(entry.objectId());
    if (!entry.in().isMemory() && isIndexed && inMemory(value) != null) {
      // Listed with what lies in memory.
      return null;
    }
    Entry onDisk =
        entry.in().isMemory()
            ? (isIndexed ? onDisk(entry.keyHigh(), entry.keyLow()) : null)
            : entry;
    Head head = entry.in().head(entry);
    return head == null || !filter.test(head)
        ? null
        : stored(head, entry.isMarker(), entry.in().isMemory() ? entry : null, onDisk);
  }

  /** The memory tier in which a record lies; null if it lies in none. */
  private @Nullable MemoryTier inMemory(IndexValue place) {
    for (MemoryTier tier : memory) {
      if (tier.isHere(place)) {
        return tier;
      }
    }
    return null;
  }

  private @Nullable Entry onDisk(long high, long low) throws IOException {
    if (value.isOnDisk() && isReadable.test(value)) {
      for (DiskDevice disk : disks) {
        Entry entry = disk.at(high, low, 0, value);
        if (entry != null) {
          return entry;
        }
      }
    }
    return null;
  }

  private InspectedObject stored(
      Head head, boolean isMarker, @Nullable Entry inMemory, @Nullable Entry onDisk) {
    int fate = head.fate(fates);
    return new InspectedObject(
        head,
        isMarker,
        inMemory,
        onDisk,
        slices(head),
        fate == Purges.DEAD,
        fate == Purges.REVALIDATE
            || fate == Purges.STALE
            || (inMemory != null && inMemory.isSoft()),
        fate == Purges.REVALIDATE);
  }

  private Slices slices(Head head) {
    if (head.slices() == 0) {
      return Slices.NONE;
    }
    List<Run> runs = new ArrayList<>();
    boolean isCut = false;
    int inMemory = 0;
    int onDisk = 0;
    int missing = 0;
    Run run = null;
    long object = head.objectId();
    for (int n = 0; n < head.slices(); n++) {
      boolean isKnown =
          cursor.get(SliceRecord.keyHigh(object), SliceRecord.keyLow(object, n), value)
                  == ObjectIndex.Outcome.DONE
              && value.isOf(object);
      boolean isHere = isKnown && inMemory(value) != null;
      String disk = isKnown ? diskName() : null;
      inMemory += isHere ? 1 : 0;
      onDisk += disk != null ? 1 : 0;
      missing += isHere || disk != null ? 0 : 1;
      if (run != null && run.isInMemory() == isHere && Objects.equals(run.disk(), disk)) {
        run = new Run(run.from(), n, isHere, disk);
        continue;
      }
      isCut |= !add(runs, run);
      run = new Run(n, n, isHere, disk);
    }
    isCut |= !add(runs, run);
    return new Slices(head.slices(), inMemory, onDisk, missing, runs, isCut);
  }

  private static boolean add(List<Run> runs, @Nullable Run run) {
    if (run == null) {
      return true;
    }
    return runs.size() < MAX_RUNS && runs.add(run);
  }

  /** The disk that the value just read names. */
  private @Nullable String diskName() {
    if (value.isOnDisk() && isReadable.test(value)) {
      for (DiskDevice disk : disks) {
        if (disk.number() == value.diskDevice()) {
          return disk.name();
        }
      }
    }
    return null;
  }

  /**
   * What is asked for most of what is in memory, the hottest first. The store counts up to three
   * requests of an object between two looks of its eviction, so the order is a coarse one.
   *
   * @param naming of heads; null for what is not to be listed. Of heads with one name the hottest
   *     counts.
   */
  public List<HotObject> hottest(Function<Head, @Nullable String> naming, int limit)
      throws IOException {
    HotList hottest = new HotList(limit);
    for (MemoryTier tier : memory) {
      int end = tier.firstRegion() + tier.regionCount();
      for (int region = tier.firstRegion(); region < end && !isOver.getAsBoolean(); region++) {
        RegionFacts facts = tier.facts(region);
        boolean isProtected = facts.segment() == Tier.Segment.PROTECTED;
        tier.walk(
            region,
            0,
            entry -> {
              if (entry.isSlice() || entry.isMarker() || !entry.isLive()) {
                return true;
              }
              long heat = HotList.heat(entry.touches(), isProtected, facts.age());
              Head head = hottest.takes(heat) ? tier.head(entry) : null;
              String name =
                  head == null || head.fate(fates) != Purges.ALIVE ? null : naming.apply(head);
              if (head != null && name != null) {
                hottest.add(
                    new HotObject(name, entry.touches(), isProtected, head.totalLength()), heat);
              }
              return true;
            });
      }
    }
    return hottest.objects();
  }

  /** Whether the time was over before everything was looked at. */
  public boolean isOver() {
    return isOver.getAsBoolean();
  }

  // --- single keys
  // --------------------------------------------------------------------------------

  /** What is stored under a key, dead by a purge or not. */
  public Optional<InspectedObject> find(long high, long low) throws IOException {
    if (cursor.get(high, low, value) != ObjectIndex.Outcome.DONE) {
      return Optional.empty();
    }
    MemoryTier tier = inMemory(value);
    Entry inMemory = tier == null ? null : tier.at(value);
    Entry onDisk = onDisk(high, low);
    Head head = inMemory == null ? null : inMemory.in().head(inMemory);
    if (head == null) {
      inMemory = null;
      head = onDisk == null ? null : onDisk.in().head(onDisk);
    }
    Entry known = inMemory != null ? inMemory : onDisk;
    return head == null || known == null
        ? Optional.empty()
        : Optional.of(stored(head, known.isMarker(), inMemory, onDisk));
  }

  /**
   * Objects under a base key, by its scope, at most so many: its variants. Reads every directory
   * until the deadline.
   */
  public List<InspectedObject> variants(long baseScope, int limit) throws IOException {
    Map<String, InspectedObject> found = new LinkedHashMap<>();
    for (Tier tier : tiers) {
      int end = tier.firstRegion() + tier.regionCount();
      for (int region = tier.firstRegion(); region < end && !isOver.getAsBoolean(); region++) {
        tier.walk(
            region,
            0,
            entry -> {
              if (entry.isLive() && entry.isOf(baseScope) && found.size() < limit) {
                InspectedObject one = listed(entry, head -> true);
                if (one != null) {
                  found.putIfAbsent(one.head().key(), one);
                }
              }
              return true;
            });
      }
    }
    return List.copyOf(found.values());
  }

  /** The key text of a record, or of a slice's head; null if it is not available. */
  @Nullable String keyOf(Entry entry) throws IOException {
    if (!entry.isSlice()) {
      Head head = entry.in().head(entry);
      return head == null ? null : head.key();
    }
    long[] key = entry.in().headKey(entry);
    return key == null ? null : find(key[0], key[1]).map(one -> one.head().key()).orElse(null);
  }

  // --- figures
  // ------------------------------------------------------------------------------------

  /**
   * Counts everything.
   *
   * @param group what a head belongs to, such as its host
   * @param storedMillis when the response of a head came; negative if that is not known
   */
  public StoreCensus census(Function<Head, String> group, ToLongFunction<Head> storedMillis)
      throws IOException {
    StoreCensus census = new StoreCensus();
    Map<Long, String> known = new HashMap<>();
    long now = clockMillis.getAsLong();
    tiers.forEach(census::expect);
    for (Tier tier : tiers) {
      int end = tier.firstRegion() + tier.regionCount();
      for (int region = tier.firstRegion(); region < end; region++) {
        if (isOver.getAsBoolean()) {
          census.cut();
          return census;
        }
        RegionFacts facts = tier.facts(region);
        Part part = census.part(tier.name(), facts.segment());
        Tally tally = new Tally(census, part, group, storedMillis, known, now);
        Extent extent = tier.walk(region, 0, tally);
        if (facts.state() == Tier.State.WITHDRAWN) {
          part.withdrawnRegions++;
          part.withdrawnBytes += tier.regionBytes();
        } else {
          part.regions++;
          part.capacityBytes += tier.regionBytes();
        }
        part.openRegions += facts.state() == Tier.State.OPEN ? 1 : 0;
        part.usedBytes += extent.usedBytes();
        census.add(
            new Cell(
                tier.name(),
                region,
                facts.state(),
                facts.segment(),
                facts.age(),
                tier.regionBytes(),
                extent.usedBytes(),
                tally.live,
                tally.touched,
                tally.records,
                extent.lostPages()));
      }
    }
    return census;
  }

  /**
   * A number that no stored body was born before; 0 where not everything could be looked at, or not
   * in time. An empty store has the largest.
   */
  public long oldestBirth() throws IOException {
    if (!notes.isEmpty()) {
      return 0;
    }
    long[] oldest = {Long.MAX_VALUE};
    for (Tier tier : tiers) {
      int end = tier.firstRegion() + tier.regionCount();
      for (int region = tier.firstRegion(); region < end; region++) {
        if (isOver.getAsBoolean()) {
          return 0;
        }
        Extent extent =
            tier.walk(
                region,
                0,
                entry -> {
                  oldest[0] = Math.min(oldest[0], bodyBirth(entry));
                  return true;
                });
        if (extent.lostPages() > 0) {
          return 0;
        }
      }
    }
    return oldest[0];
  }

  private static long bodyBirth(Entry entry) throws IOException {
    if (entry.isSlice() || !entry.isLive()) {
      return Long.MAX_VALUE;
    }
    if (!entry.in().isMemory()) {
      return entry.bodyBirth();
    }
    Head head = entry.in().head(entry);
    return head == null ? Long.MAX_VALUE : head.bodyBirth();
  }

  /** Of one region. */
  private final class Tally implements Tier.Visitor {
    private final StoreCensus census;
    private final Part part;
    private final Function<Head, String> group;
    private final ToLongFunction<Head> storedMillis;

    /** Groups by the second scope of what lies on disks, so that few heads have to be read. */
    private final Map<Long, String> known;

    private final long now;
    private long live;
    private long touched;
    private int records;

    Tally(
        StoreCensus census,
        Part part,
        Function<Head, String> group,
        ToLongFunction<Head> storedMillis,
        Map<Long, String> known,
        long now) {
      this.census = census;
      this.part = part;
      this.group = group;
      this.storedMillis = storedMillis;
      this.known = known;
      this.now = now;
    }

    @Override
    public boolean visit(Entry entry) throws IOException {
      records++;
      Head head = entry.isLive() && entry.in().isMemory() ? entry.in().head(entry) : null;
      if (!isServable(entry, head)) {
        part.deadBytes += Math.max(0, entry.length());
        part.deadRecords++;
        return true;
      }
      live += entry.length();
      census.countClass(entry);
      part.liveBytes += entry.length();
      if (entry.touches() > 0) {
        touched += entry.length();
        part.touchedBytes += entry.length();
      }
      if (entry.isSlice()) {
        part.slices++;
        if (!entry.in().isMemory()) {
          part.sizes[StoreCensus.sizeClass(entry.length())]++;
        }
        return true;
      }
      if (entry.isMarker()) {
        part.markers++;
        return true;
      }
      part.objects++;
      if (head != null) {
        inMemory(head);
      } else {
        onDisk(entry);
      }
      return true;
    }

    private boolean isServable(Entry entry, @Nullable Head head) {
      if (!entry.isLive()) {
        return false;
      }
      if (entry.isSlice()) {
        return !entry.in().isMemory() || entry.in().isNamed(entry);
      }
      if (entry.in().isMemory()) {
        return head != null && head.fate(fates) != Purges.DEAD;
      }
      return fates.check(entry.scopes(), entry.birth(), entry.bodyBirth()) != Purges.DEAD;
    }

    private void inMemory(Head head) {
      part.sizes[StoreCensus.sizeClass(head.totalLength())]++;
      expires(head.expiresAtMillis());
      long stored = storedMillis.applyAsLong(head);
      if (stored >= 0) {
        part.ages[StoreCensus.timeClass(Math.max(0, now - stored) / 1000)]++;
      }
      census.count(group.apply(head), head.totalLength());
    }

    private void onDisk(Entry entry) throws IOException {
      part.sizes[StoreCensus.sizeClass(entry.length())]++;
      expires(Integer.toUnsignedLong(entry.expiresSeconds()) * 1000);
      boolean isInMemoryToo =
          cursor.get(entry.keyHigh(), entry.keyLow(), value) == ObjectIndex.Outcome.DONE
              && StoreInspector.this.inMemory(value) != null;
      if (isInMemoryToo) {
        return;
      }
      Long host = entry.scopes().length > 1 ? entry.scopes()[1] : null;
      String name = host == null ? null : known.get(host);
      if (name == null) {
        Head head = known.size() < 10_000 ? entry.in().head(entry) : null;
        name = head == null ? "?" : group.apply(head);
        if (host != null && head != null) {
          known.put(host, name);
        }
      }
      census.count(name, 0);
    }

    private void expires(long atMillis) {
      long left = atMillis - now;
      part.expiries[left < 0 ? 0 : 1 + StoreCensus.timeClass(left / 1000)]++;
    }
  }
}
