package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DiskWaiter;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.SliceLocation;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.region.TierGeometry;
import io.forebay.storage.transit.TransitBuffer;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Opens small stores that the test steps, and generates the expected bodies. With {@code
 * -Dtest.middle-tier=true} each store has the smallest middle tier, through which all passes that
 * leaves the first one. With {@code -Dtest.cells=2} the first tier of each store is divided into so
 * many cells, if it is large enough, among which the lanes take turns.
 */
public final class StoreFixture implements AutoCloseable {
  public static final long MEBI = 1 << 20;

  /** The system property with the number of cells. */
  static final String CELLS = "test.cells";

  public final AtomicLong clock;
  public final StoreSettings settings;
  public ObjectStore store;

  /** How many records were read from disks: which way the next one is read. */
  private int way;

  public StoreFixture(Path directory, long memoryBytes, int regionBytes, int lanes)
      throws StoreException {
    this(
        StoreSettings.of(directory.resolve("data"), memoryBytes, lanes, () -> 0)
            .withMemoryDirectory(directory.resolve("memory"))
            .withSizes(regionBytes, 0, 1024)
            .withLockMemory(false));
  }

  public StoreFixture(StoreSettings settings) throws StoreException {
    this(settings, new AtomicLong(1_000_000));
  }

  StoreFixture(StoreSettings settings, AtomicLong clock) throws StoreException {
    this.clock = clock;
    this.settings =
        divided(withTier(settings)).withClock(clock::get).withThreads(settings.threads(), true);
    this.store = ObjectStore.open(this.settings);
  }

  private static StoreSettings withTier(StoreSettings settings) {
    if (!Boolean.getBoolean("test.middle-tier") || !settings.tiers().isEmpty()) {
      return settings;
    }
    Path memory = Objects.requireNonNullElse(settings.memoryDirectory(), settings.dataDirectory());
    int regionBytes =
        settings.regionBytes() == 0
            ? TierGeometry.of(settings.memoryBytes()).regionBytes()
            : settings.regionBytes();
    return settings.withTiers(
        List.of(
            new StoreSettings.MiddleTier(
                memory.resolveSibling(memory.getFileName() + " tier"),
                (long) TierGeometry.MIN_REGIONS * regionBytes)));
  }

  /** Divided into as many cells as the system property says, unless they are given. */
  static StoreSettings divided(StoreSettings settings) {
    int count = Integer.getInteger(CELLS, 1);
    return count == 1 || !settings.cells().isEmpty()
        ? settings
        : settings.withCells(cells(count, settings.lanes()));
  }

  /** Cells of any node, among which lanes take turns. */
  static List<StoreSettings.Cell> cells(int count, int lanes) {
    List<StoreSettings.Cell> cells = new ArrayList<>();
    for (int cell = 0; cell < count; cell++) {
      int own = cell;
      cells.add(
          new StoreSettings.Cell(
              -1, IntStream.range(0, lanes).filter(n -> n % count == own).boxed().toList()));
    }
    return cells;
  }

  public void reopen() throws StoreException {
    store.close();
    store = ObjectStore.open(settings);
  }

  /** Where the tier and the index lie. */
  Path memory() {
    return Objects.requireNonNull(settings.memoryDirectory());
  }

  /** As a machine that was restarted leaves it: the files of all tiers of memory are gone. */
  void loseMemory() throws IOException {
    loseMemory(settings);
  }

  static void loseMemory(StoreSettings settings) throws IOException {
    List<Path> places = new ArrayList<>();
    places.add(Objects.requireNonNull(settings.memoryDirectory()));
    settings.tiers().forEach(tier -> places.add(tier.directory()));
    for (Path place : places) {
      try (Stream<Path> files = Files.list(place)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
    }
  }

  /** The directories of its middle tiers, as an inspection at rest takes them. */
  static List<Path> tiers(StoreSettings settings) {
    return settings.tiers().stream().map(StoreSettings.MiddleTier::directory).toList();
  }

  public void steps(int count) {
    for (int n = 0; n < count && store.step(); n++) {
      Thread.onSpinWait();
    }
  }

  public void stepAll() {
    steps(100_000);
  }

  static byte[] key(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }

  public static long scope(String text) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : key(text)) {
      hash = (hash ^ b) * 0x100000001b3L;
    }
    return hash;
  }

  public static byte[] body(long seed, int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }

  public static HeadSpec spec(String name, long birth, long totalLength, String... scopes) {
    byte[] key = key(name);
    long[] hashes = new long[scopes.length + 1];
    hashes[0] = scope(name);
    for (int n = 0; n < scopes.length; n++) {
      hashes[n + 1] = scope(scopes[n]);
    }
    return new HeadSpec(
        scope("hi" + name),
        scope("lo" + name),
        key,
        key.length,
        key("head of " + name + " born " + birth),
        hashes,
        birth,
        birth + 1000,
        HeadSpec.Kind.OBJECT,
        totalLength);
  }

  public InstallOutcome put(
      StoreLane lane, String name, byte[] body, boolean isLengthKnown, String... scopes) {
    long birth = store.nextBirth();
    ObjectWriter writer = lane.begin(spec(name, birth, isLengthKnown ? body.length : -1, scopes));
    if (writer == null) {
      return InstallOutcome.NO_SPACE;
    }
    ByteBuffer source = ByteBuffer.wrap(body);
    while (source.hasRemaining()) {
      ByteBuffer chunk = source.slice(source.position(), Math.min(source.remaining(), 10_000));
      if (!writer.append(chunk)) {
        writer.abort();
        return InstallOutcome.NO_SPACE;
      }
      source.position(source.position() + chunk.position());
    }
    return writer.finish();
  }

  public static StoreLane.Found find(StoreLane lane, String name) {
    byte[] key = key(name);
    return lane.find(scope("hi" + name), scope("lo" + name), key, key.length);
  }

  /** After a find that has found a head on a disk: looks in what was read of it. */
  static StoreLane.Found findRead(StoreLane lane, String name, TransitBuffer read) {
    byte[] key = key(name);
    return lane.findRead(read, key, key.length);
  }

  /** Finds a head, on a disk in each of the ways in turn. */
  private StoreLane.Found findWherever(StoreLane lane, String name) {
    StoreLane.Found found = find(lane, name);
    TransitBuffer read = found == StoreLane.Found.ON_DISK ? readNext(lane) : null;
    if (read != null) {
      try {
        found = findRead(lane, name, read);
      } finally {
        read.release();
      }
    }
    return found == StoreLane.Found.ON_DISK ? loaded(lane, () -> find(lane, name)) : found;
  }

  /** The bytes of a head that was found, from an offset of its own on. */
  byte[] bytes(StoredHead head, int offset, long length) {
    return store.bytes(head).asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
  }

  /** The body under a name, or null on a miss (of the head or of a slice). */
  public byte @Nullable [] read(StoreLane lane, String name) {
    if (findWherever(lane, name) != StoreLane.Found.HIT) {
      return null;
    }
    StoredHead head = lane.head();
    byte[] stored = bytes(head, head.headOffset(), head.headLength());
    assertEquals(
        "head of " + name + " born " + head.birth(), new String(stored, StandardCharsets.UTF_8));
    byte[] body = new byte[(int) head.totalLength()];
    try {
      if (head.bodyOffset() >= 0) {
        return bytes(head, head.bodyOffset(), body.length);
      }
      long id = head.objectId();
      int at = 0;
      for (int slice = 0; at < body.length; slice++) {
        int length = readSlice(lane, id, slice, body, at);
        if (length < 0) {
          return null;
        }
        at += length;
      }
      return body;
    } finally {
      lane.unpin(head);
    }
  }

  /** Reads a slice from where it is, of a disk in each of the ways in turn; -1 if it is gone. */
  private int readSlice(StoreLane lane, long id, int slice, byte[] body, int at) {
    if (lane.findSlice(id, slice) == StoreLane.Found.HIT) {
      return copyPinned(lane, body, at);
    }
    TransitBuffer read =
        lane.findSlice(id, slice) == StoreLane.Found.ON_DISK ? readNext(lane) : null;
    if (read != null) {
      int length = read.bodyLength();
      read.bytes().get(read.bodyOffset(), body, at, length);
      read.release();
      return length;
    }
    return loaded(lane, () -> lane.findSlice(id, slice)) == StoreLane.Found.HIT
        ? copyPinned(lane, body, at)
        : -1;
  }

  private int copyPinned(StoreLane lane, byte[] body, int at) {
    SliceLocation pos = lane.slice();
    store.regionBuffer(pos.region()).get(pos.offset(), body, at, pos.length());
    lane.unpin(pos.region());
    return pos.length();
  }

  /** Reads what was found on a disk, or leaves it to be loaded into memory. */
  private @Nullable TransitBuffer readNext(StoreLane lane) {
    return switch (way++ % 3) {
      case 0 -> lane.readCached();
      case 1 -> readByThread(lane);
      default -> null;
    };
  }

  private @Nullable TransitBuffer readByThread(StoreLane lane) {
    TransitBuffer[] read = new TransitBuffer[1];
    AtomicBoolean isOver = new AtomicBoolean();
    boolean isAccepted =
        lane.read(
            new DiskWaiter() {
              @Override
              public boolean needsMemory() {
                return false;
              }

              @Override
              public void onRead(@Nullable TransitBuffer bytes) {
                read[0] = bytes;
                isOver.set(true);
              }
            });
    for (int n = 0; n < 100_000 && isAccepted && !isOver.get(); n++) {
      boolean ignored = store.step();
    }
    assertEquals(isAccepted, isOver.get(), "a read that never ends");
    return read[0];
  }

  /** Looks something up and, if it is on a disk, has it brought in. */
  StoreLane.Found loaded(StoreLane lane, Supplier<StoreLane.Found> find) {
    StoreLane.Found found = find.get();
    for (int attempt = 0; attempt < 4 && found == StoreLane.Found.ON_DISK; attempt++) {
      AtomicBoolean isOver = new AtomicBoolean();
      if (!lane.load(() -> isOver.set(true))) {
        break;
      }
      for (int n = 0; n < 100_000 && !isOver.get(); n++) {
        boolean ignored = store.step();
      }
      assertTrue(isOver.get(), "a load that never ends");
      found = find.get();
    }
    return found;
  }

  byte[] bytes(int region, int offset, int length) {
    byte[] bytes = new byte[length];
    store.regionBuffer(region).get(offset, bytes);
    return bytes;
  }

  @Override
  public void close() {
    assertEquals(0, store.stats().pins(), "pins left behind");
    if (store.recovery().isComplete()) {
      assertEquals(List.of(), store.audit());
    }
    store.close();
  }
}
