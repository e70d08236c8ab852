package io.forebay.storage;

import io.forebay.storage.disk.DeviceView;
import io.forebay.storage.index.ChronicleIndex;
import io.forebay.storage.index.IndexValue;
import io.forebay.storage.index.ObjectIndex;
import io.forebay.storage.inspect.DiskDevice;
import io.forebay.storage.inspect.Entry;
import io.forebay.storage.inspect.MemoryTier;
import io.forebay.storage.inspect.StoreInspector;
import io.forebay.storage.layout.DirectoryPage;
import io.forebay.storage.layout.RecordHeader;
import io.forebay.storage.lock.DirectoryLock;
import io.forebay.storage.memory.TierFile;
import io.forebay.storage.placement.StorageClassNumbers;
import io.forebay.storage.placement.StorageClasses;
import io.forebay.storage.purge.PurgeHistory;
import io.forebay.storage.purge.PurgeMatcher;
import io.forebay.storage.region.Regions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A read-only view of the files of a store that no process has open. While it is open, no store can
 * start on these files. It builds an index on the heap from the directories, as a start does: the
 * memory tier by its live marks; disks youngest region first, tombstones before the records that
 * they may kill.
 */
public final class OfflineStore implements AutoCloseable {
  /** Of the index; each costs about a hundred bytes. */
  private static final long MAX_ENTRIES = 1L << 25;

  private final Deque<AutoCloseable> owned = new ArrayDeque<>();
  private final List<String> problems = new ArrayList<>();
  private final LongSupplier clockMillis;
  private final PurgeHistory purges;
  private final StorageClasses classes;
  private final Regions regions;
  private final Map<String, DeviceView> devices = new LinkedHashMap<>();
  private final ChronicleIndex index;
  private final ObjectIndex.Cursor cursor;
  private final ByteBuffer buffer = DiskDevice.readBuffer();

  /**
   * Where the files lie.
   *
   * @param memory null for the default, that belongs to the data directory
   * @param tiers directories of middle tiers, in their order
   * @param disks by the names they are to be shown under
   */
  public record Places(
      Path data, @Nullable Path memory, List<Path> tiers, Map<String, Path> disks) {
    /** Without middle tiers. */
    public Places(Path data, @Nullable Path memory, Map<String, Path> disks) {
      this(data, memory, List.of(), disks);
    }
  }

  /**
   * Opens what is there. Files that are damaged as a whole are left out and told of by {@link
   * #problems}.
   *
   * @throws IOException when a process has them, or nothing of a store is there
   */
  public static OfflineStore open(
      Places places, PurgeMatcher.Compiler predicates, LongSupplier clockMillis)
      throws IOException {
    return new OfflineStore(places, predicates, clockMillis);
  }

  private OfflineStore(Places places, PurgeMatcher.Compiler predicates, LongSupplier clockMillis)
      throws IOException {
    this.clockMillis = clockMillis;
    boolean done = false;
    try {
      Path data = places.data();
      if (!Files.isDirectory(data)) {
        throw new IOException("there is no directory " + data);
      }
      owned.push(DirectoryLock.share(data));
      this.classes = new StorageClasses(StorageClassNumbers.read(data));
      this.purges = purges(data.resolve(StoreFiles.JOURNAL_FILE), predicates);
      TierFile tier = tier(data, places.memory());
      this.regions = regions(tier, data, places.tiers());
      for (Map.Entry<String, Path> disk : places.disks().entrySet()) {
        device(disk.getKey(), disk.getValue());
      }
      if (regions.count() == 0 && devices.isEmpty()) {
        throw new IOException(
            data
                + " contains no readable store"
                + (problems.isEmpty() ? "" : ": " + String.join("; ", problems)));
      }
      this.index = ChronicleIndex.anonymous(entries());
      owned.push(index);
      this.cursor = index.blockingCursor();
      fill();
      done = true;
    } finally {
      if (!done) {
        close();
      }
    }
  }

  private PurgeHistory purges(Path journal, PurgeMatcher.Compiler predicates) {
    try {
      PurgeHistory read = PurgeHistory.read(journal, predicates);
      if (!read.problem().isEmpty()) {
        problems.add(read.problem());
      }
      return read;
    } catch (NoSuchFileException e) {
      problems.add(journal + " is missing: the next start opens everything empty");
    } catch (IOException e) {
      problems.add(e.getMessage() + ": purges are unknown");
    }
    return PurgeHistory.none();
  }

  private @Nullable TierFile tier(Path data, @Nullable Path named) throws IOException {
    Path directory = named == null ? StoreFiles.memoryPlace().find(data) : named;
    if (directory == null) {
      return null;
    }
    Path file = directory.resolve(TierFile.NAME);
    if (!Files.exists(file)) {
      if (named != null) {
        problems.add("there is no " + file);
      }
      return null;
    }
    if (!Files.isSameFile(directory, data)) {
      owned.push(DirectoryLock.share(directory));
    }
    try {
      TierFile tier = TierFile.open(file);
      owned.push(tier);
      return tier;
    } catch (IOException e) {
      problems.add(String.valueOf(e.getMessage()));
      return null;
    }
  }

  private Regions regions(@Nullable TierFile tier, Path data, List<Path> middle)
      throws IOException {
    long start = MiddleTiers.lastStart(data);
    if (start != 0 && middle.isEmpty()) {
      problems.add("middle tiers are not named: what lies there is not shown");
    }
    Regions regions = OfflineTiers.open(tier, middle, start, owned, problems);
    for (int region = 0; region < regions.count(); region++) {
      boolean isSound = regions.adopt(region);
      if (isSound
          && tier != null
          && regions.isFirst(region)
          && regions.state(region) == Regions.FREE
          && tier.hasHole(regions.base(region), tier.regionBytes())) {
        regions.withdraw(region);
      }
    }
    return regions;
  }

  private void device(String name, Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      problems.add("disk " + name + ": there is no directory " + directory);
      return;
    }
    owned.push(DirectoryLock.share(directory));
    try {
      DeviceView file = DeviceView.open(directory);
      owned.push(file);
      devices.put(name, file);
    } catch (NoSuchFileException e) {
      problems.add("disk " + name + ": there is no " + directory.resolve(DeviceView.NAME));
    } catch (IOException e) {
      problems.add("disk " + name + ": " + e.getMessage());
    }
  }

  /** What a start would not take up as it is: whole files that are damaged or missing. */
  public List<String> problems() {
    return List.copyOf(problems);
  }

  /**
   * The store, to be asked; by one thread.
   *
   * @param isOver asked now and then: whether to end with what is there
   */
  public StoreInspector survey(BooleanSupplier isOver) {
    List<DiskDevice> disks = new ArrayList<>();
    devices.forEach((name, file) -> disks.add(new DiskDevice(name, file, cursor, buffer)));
    return new StoreInspector(
        memoryTiers(),
        disks,
        classes,
        problems,
        cursor,
        value -> true,
        purges,
        clockMillis,
        isOver);
  }

  private List<MemoryTier> memoryTiers() {
    return MemoryTier.all(regions, MemoryTier.Guard.NONE, cursor);
  }

  // --- the index
  // ----------------------------------------------------------------------------------

  private long entries() throws IOException {
    long[] count = new long[1];
    for (int region = 0; region < regions.count(); region++) {
      count[0] += regions.state(region) == Regions.SEALED ? regions.slots(region) : 0;
    }
    for (DeviceView device : devices.values()) {
      for (int region = 0; region < device.regionCount(); region++) {
        var ignored = device.walk(region, (entry, generation) -> count[0]++);
      }
    }
    if (count[0] > MAX_ENTRIES) {
      problems.add(count[0] + " records exceed the maximum of this command: some are omitted");
    }
    return Math.clamp(count[0] + count[0] / 8, 1024, MAX_ENTRIES);
  }

  private void fill() throws IOException {
    for (MemoryTier memory : memoryTiers()) {
      int end = memory.firstRegion() + memory.regionCount();
      for (int region = memory.firstRegion(); region < end; region++) {
        var ignored =
            memory.walk(
                region,
                0,
                entry -> {
                  if (entry.isLive()) {
                    take(entry);
                  }
                  return true;
                });
      }
    }
    for (DeviceView device : devices.values()) {
      List<Integer> order = youngestFirst(device);
      for (int region : order) {
        var ignored =
            device.walk(
                region,
                (entry, generation) -> {
                  if (entry.isTombstone()) {
                    addTombstone(entry);
                  }
                });
      }
      for (int region : order) {
        var ignored =
            device.walk(region, (entry, generation) -> take(device, region, generation, entry));
      }
    }
  }

  private void take(Entry entry) {
    ObjectIndex.Outcome ignored =
        cursor.update(
            entry.keyHigh(),
            entry.keyLow(),
            (isPresent, value) -> {
              if (isPresent && value.birth() > entry.birth()) {
                return ObjectIndex.Verdict.KEEP;
              }
              value.identity(entry.kind(), entry.birth(), entry.objectId());
              value.memory(entry.region(), entry.generation(), entry.offset(), entry.length());
              value.fate(0, 0, 0);
              value.leaveDisk();
              return ObjectIndex.Verdict.PUT;
            });
  }

  private static List<Integer> youngestFirst(DeviceView device) throws IOException {
    Map<Integer, Long> ages = new LinkedHashMap<>();
    for (int region = 0; region < device.regionCount(); region++) {
      long age = device.age(region);
      if (age > 0) {
        ages.put(region, age);
      }
    }
    return ages.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
        .map(Map.Entry::getKey)
        .toList();
  }

  private void addTombstone(DeviceView.Entry dead) {
    ObjectIndex.Outcome ignored =
        cursor.update(
            dead.keyHigh(),
            dead.keyLow(),
            (isPresent, value) -> {
              if (isPresent && value.birth() >= dead.birth()) {
                return ObjectIndex.Verdict.KEEP;
              }
              value.identity(DirectoryPage.KIND_TOMBSTONE, dead.birth(), 0);
              value.leaveMemory();
              value.leaveDisk();
              value.fate(0, 0, 0);
              return ObjectIndex.Verdict.PUT;
            });
  }

  private void take(DeviceView device, int region, int generation, DeviceView.Entry entry) {
    if (entry.isTombstone()
        || entry.isDead()
        || entry.kind() < RecordHeader.KIND_OBJECT
        || entry.kind() > RecordHeader.KIND_SLICE) {
      return;
    }
    ObjectIndex.Outcome ignored =
        cursor.update(
            entry.keyHigh(),
            entry.keyLow(),
            (isPresent, value) ->
                take(isPresent, value, device.number(), region, generation, entry));
  }

  private static ObjectIndex.Verdict take(
      boolean isPresent,
      IndexValue value,
      int device,
      int region,
      int generation,
      DeviceView.Entry entry) {
    boolean isSame =
        isPresent
            && value.birth() == entry.birth()
            && value.objectId() == entry.objectId()
            && value.kind() == entry.kind();
    if (isPresent && (isSame ? value.isOnDisk() : value.birth() >= entry.birth())) {
      return ObjectIndex.Verdict.KEEP;
    }
    if (!isSame) {
      value.leaveMemory();
      value.identity(entry.kind(), entry.birth(), entry.objectId());
    }
    long[] scopes = entry.scopes();
    value.fate(
        entry.expiresSeconds(),
        scopes.length > 0 ? scopes[0] : 0,
        scopes.length > 1 ? scopes[1] : 0);
    value.disk(device, region, generation, entry.offset(), entry.length());
    return ObjectIndex.Verdict.PUT;
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    AutoCloseable next;
    while ((next = owned.poll()) != null) {
      try {
        next.close();
      } catch (IOException e) {
        failure = e;
      } catch (Exception e) {
        failure = new IOException(e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
