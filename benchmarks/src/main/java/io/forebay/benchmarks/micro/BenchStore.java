package io.forebay.benchmarks.micro;

import io.forebay.storage.ObjectStore;
import io.forebay.storage.StoreException;
import io.forebay.storage.StoreSettings;
import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * A store for the length of a trial, in directories of its own: the memory tier on the machine's
 * tmpfs, as in service. It is stepped by the benchmark, so that its threads do not disturb the
 * clock.
 */
final class BenchStore implements AutoCloseable {
  private static final Path TMPFS = Path.of("/dev/shm");
  private static final long HOUR_MILLIS = 3_600_000;
  private static final int MAX_STEPS = 100_000;

  /** As long as the headers of a usual response. */
  private static final byte[] HEADER = new byte[400];

  private static final long[] SCOPES = {1, 2, 3, 4};

  private final Path data;
  private final Path memory;
  private final Path disk;
  private final ObjectStore store;

  /**
   * @param regionBytes 0 to derive it from the size
   * @param nearEntries of each lane, 0 to derive it
   */
  BenchStore(long memoryBytes, int lanes, int regionBytes, long indexEntries, int nearEntries) {
    this(memoryBytes, lanes, regionBytes, indexEntries, nearEntries, System::currentTimeMillis);
  }

  /** The same by another clock. */
  BenchStore(
      long memoryBytes,
      int lanes,
      int regionBytes,
      long indexEntries,
      int nearEntries,
      LongSupplier clockMillis) {
    this(memoryBytes, 0, lanes, regionBytes, indexEntries, nearEntries, clockMillis);
  }

  /** A store of one lane with a disk behind it: a file where temporary files are. */
  static BenchStore withDisk(long memoryBytes, long diskBytes) {
    return new BenchStore(memoryBytes, diskBytes, 1, 0, 0, 0, System::currentTimeMillis);
  }

  private BenchStore(
      long memoryBytes,
      long diskBytes,
      int lanes,
      int regionBytes,
      long indexEntries,
      int nearEntries,
      LongSupplier clockMillis) {
    try {
      data = Files.createTempDirectory("forebay-bench-");
      disk = data.resolve("disk");
      memory =
          Files.isDirectory(TMPFS)
              ? Files.createTempDirectory(TMPFS, "forebay-bench-")
              : Files.createTempDirectory("forebay-bench-memory-");
      store =
          ObjectStore.open(
              StoreSettings.of(data, memoryBytes, lanes, clockMillis)
                  .withMemoryDirectory(memory)
                  .withDisks(
                      diskBytes == 0
                          ? DiskSettings.NONE
                          : DiskSettings.of(List.of(DeviceSettings.of("bench", disk, diskBytes))))
                  .withSizes(regionBytes, indexEntries, nearEntries)
                  .withThreads(Thread::new, true));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (StoreException e) {
      throw new IllegalStateException(e);
    }
    // A benchmark that fails is not closed, and its files would hold memory until the next boot.
    Runtime.getRuntime().addShutdownHook(new Thread(this::deleteAll));
  }

  ObjectStore store() {
    return store;
  }

  StoreLane lane(int index) {
    return store.lane(index);
  }

  /** Lets the store do what there is to do. */
  void settle() {
    boolean isAtWork = true;
    while (isAtWork) {
      isAtWork = store.step();
    }
  }

  /** A number of the sequence, which the store reserves ahead when stepped. */
  long birth() {
    long birth = store.nextBirth();
    while (birth < 0) {
      boolean ignored = store.step();
      birth = store.nextBirth();
    }
    return birth;
  }

  /** The head of an object with this key and a header of a usual length. */
  HeadSpec head(long hi, long lo, byte[] keyText, long totalLength) {
    return new HeadSpec(
        hi,
        lo,
        keyText,
        keyText.length,
        HEADER,
        SCOPES,
        birth(),
        System.currentTimeMillis() + HOUR_MILLIS,
        HeadSpec.Kind.OBJECT,
        totalLength);
  }

  void put(long hi, long lo, byte[] keyText, ByteBuffer body) {
    while (true) {
      InstallOutcome result =
          lane(0).putSmall(head(hi, lo, keyText, body.remaining()), body.duplicate());
      if (result == InstallOutcome.INSTALLED) {
        return;
      }
      if (!store.step()) {
        throw new IllegalStateException("not installed: " + result);
      }
    }
  }

  /** Stores an object whose body may be of any length. */
  void putLarge(long hi, long lo, byte[] keyText, ByteBuffer body) {
    ObjectWriter writer = null;
    for (int tries = 0; tries < MAX_STEPS && writer == null; tries++) {
      writer = lane(0).begin(head(hi, lo, keyText, body.remaining()));
      boolean ignored = writer == null && store.step();
    }
    if (writer == null) {
      throw new IllegalStateException("no room for an object");
    }
    ByteBuffer rest = body.duplicate();
    for (int tries = 0; tries < MAX_STEPS && rest.hasRemaining(); tries++) {
      if (!writer.append(rest)) {
        boolean ignored = store.step();
      }
    }
    InstallOutcome result = writer.finish();
    if (rest.hasRemaining() || result != InstallOutcome.INSTALLED) {
      throw new IllegalStateException("not installed: " + result);
    }
  }

  /** Looks the head of a numbered object up; its total length, or -1 where it is not found. */
  static long find(StoreLane lane, int number, byte[] keyText) {
    if (lane.find(mix(number), mix(~number), keyText, keyText.length) != StoreLane.Found.HIT) {
      return -1;
    }
    long total = lane.head().totalLength();
    lane.unpin(lane.head().region());
    return total;
  }

  /** The canonical text of a numbered URL, as long as those of a video site are. */
  static byte[] keyText(int number) {
    return String.format(
            "http://video.example.com:80/live/channel-%02d/1080p/segment-%08d.m4s",
            number % 97, number)
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** Spreads numbers over all 64 bits, as the keyed hash does. */
  static long mix(long number) {
    long word = (number + 1) * 0x9e37_79b9_7f4a_7c15L;
    word = (word ^ (word >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
    word = (word ^ (word >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return word ^ (word >>> 31);
  }

  @Override
  public void close() {
    store.close();
    deleteAll();
  }

  private void deleteAll() {
    delete(memory);
    delete(disk);
    delete(data);
  }

  private static void delete(Path directory) {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> all = files.toList();
      for (Path file : all) {
        Files.delete(file);
      }
      Files.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
