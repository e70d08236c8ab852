package io.forebay.benchmarks.lab;

import io.forebay.storage.ObjectStore;
import io.forebay.storage.StoreSettings;
import io.forebay.storage.disk.BlockFile;
import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.testing.Directories;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * How many entries the table of a disk has for an object in slices: objects are stored many at a
 * time, a piece of each in turn, and leave memory as they do in a store that is full. The disk
 * keeps nothing of what is written to it, so the table alone is measured.
 *
 * <pre>
 * java @benchmarks/jvm.options -cp benchmarks/target/benchmarks.jar \\
 *     io.forebay.benchmarks.lab.SliceRunsLab [MEMORY_MIB [WRITERS [TOTAL_MIB]]]
 * </pre>
 */
public final class SliceRunsLab {
  private static final int[] LENGTHS = {100_000, 300_000, 2_000_000, 10_000_000, 50_000_000};
  private static final int PIECE = 64 << 10;
  private static final long DAY_MILLIS = 86_400_000;
  private static final byte[] HEADER = new byte[400];
  private static final long DISK_BYTES = 1L << 40;

  private final ObjectStore store;
  private final StoreLane lane;
  private final SplittableRandom random = new SplittableRandom(1);
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(PIECE);
  private final List<Stored> stored = new ArrayList<>();
  private int names;

  private SliceRunsLab(ObjectStore store) {
    this.store = store;
    this.lane = store.lane(0);
  }

  @SuppressWarnings("ArrayRecordComponent")
  private record Stored(long high, long low, byte[] key, long objectId, long length) {}

  /** An object that is being stored. */
  private static final class Writing {
    private final HeadSpec spec;
    private final ObjectWriter writer;
    private long left;

    Writing(HeadSpec spec, ObjectWriter writer, long length) {
      this.spec = spec;
      this.writer = writer;
      this.left = length;
    }
  }

  /** A device that takes everything and has nothing. */
  private static final class Nothing implements BlockFile {
    @Override
    public void read(ByteBuffer into, long at) {
      while (into.hasRemaining()) {
        into.put((byte) 0);
      }
    }

    @Override
    public void write(ByteBuffer from, long at) {
      from.position(from.limit());
    }

    @Override
    public void force() {}

    @Override
    public void close() {}
  }

  public static void main(String[] arguments) throws Exception {
    long memoryBytes = number(arguments, 0, 256) << 20;
    int writers = (int) number(arguments, 1, 16);
    long total = number(arguments, 2, 4 * (memoryBytes >> 20)) << 20;
    for (int length : LENGTHS) {
      Path memory = Files.createTempDirectory(Path.of("/dev/shm"), "forebay-lab-");
      Path data = Files.createTempDirectory("forebay-lab-");
      StoreSettings settings =
          StoreSettings.of(data.resolve("data"), memoryBytes, 1, System::currentTimeMillis)
              .withMemoryDirectory(memory)
              .withDisks(
                  DiskSettings.of(
                          List.of(DeviceSettings.of("lab", data.resolve("disk"), DISK_BYTES)))
                      .withStopMillis(0)
                      .withOpener((device, file, bytes) -> new Nothing()));
      try (ObjectStore store = ObjectStore.open(settings)) {
        SliceRunsLab lab = new SliceRunsLab(store);
        lab.fill(writers, length, total);
        lab.report(length, writers);
      } finally {
        Directories.delete(memory);
        Directories.delete(data);
      }
    }
  }

  private static long number(String[] arguments, int n, long otherwise) {
    return arguments.length > n ? Long.parseLong(arguments[n]) : otherwise;
  }

  /** Lengths are spread around their mean, so that not all bodies end in the same way. */
  private void fill(int writers, int mean, long total) throws InterruptedException {
    List<Writing> open = new ArrayList<>();
    long begun = 0;
    while (begun < total || !open.isEmpty()) {
      if (begun < total && open.size() < writers) {
        int length = mean / 2 + random.nextInt(mean);
        open.add(begin(length));
        begun += length;
      }
      int at = random.nextInt(open.size());
      Writing one = open.get(at);
      if (!append(one)) {
        open.remove(at);
      }
    }
  }

  private Writing begin(long length) throws InterruptedException {
    byte[] key = ("/object/" + names++).getBytes(StandardCharsets.US_ASCII);
    while (true) {
      long birth = store.nextBirth();
      HeadSpec spec =
          new HeadSpec(
              random.nextLong(),
              random.nextLong(),
              key,
              key.length,
              HEADER,
              new long[] {names, 1},
              birth,
              System.currentTimeMillis() + DAY_MILLIS,
              HeadSpec.Kind.OBJECT,
              length);
      ObjectWriter writer = birth < 0 ? null : lane.begin(spec);
      if (writer != null) {
        return new Writing(spec, writer, length);
      }
      // No spare region, or no number: both come in a moment.
      TimeUnit.MILLISECONDS.sleep(1);
    }
  }

  /** A piece of a body; false if that was the last one. */
  private boolean append(Writing to) throws InterruptedException {
    ByteBuffer piece = bytes.clear().limit((int) Math.min(PIECE, to.left));
    to.left -= piece.limit();
    while (piece.hasRemaining()) {
      if (!to.writer.append(piece)) {
        if (!to.writer.lacksRoom()) {
          to.writer.abort();
          return false;
        }
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }
    if (to.left > 0) {
      return true;
    }
    HeadSpec spec = to.spec;
    if (to.writer.finish() == InstallOutcome.INSTALLED
        && lane.find(spec.hi(), spec.lo(), spec.keyText(), spec.keyTextLength())
            == StoreLane.Found.HIT) {
      stored.add(
          new Stored(
              spec.hi(),
              spec.lo(),
              spec.keyText(),
              lane.head().objectId(),
              lane.head().totalLength()));
      lane.unpin(lane.head().region());
    }
    return false;
  }

  private void report(int mean, int writers) {
    long heads = 0;
    long slices = 0;
    for (Stored one : stored) {
      if (isOnDisk(lane.find(one.high(), one.low(), one.key(), one.key().length), true)) {
        heads++;
      }
      for (int n = 0; (long) n * store.sliceBytes() < one.length(); n++) {
        slices += isOnDisk(lane.findSlice(one.objectId(), n), false) ? 1 : 0;
      }
    }
    long entries = store.diskStats().getFirst().indexEntries();
    System.out.printf(
        Locale.ROOT,
        "slices of %d KiB, %d writers, bodies of %,d bytes: %,d heads and %,d slices on the disk"
            + " alone, %.2f records an object; %,d entries, %.2f an object, %.2f beside its head;"
            + " %,d dropped%n",
        store.sliceBytes() >> 10,
        writers,
        mean,
        heads,
        slices,
        1 + (double) slices / Math.max(1, heads),
        entries,
        (double) entries / Math.max(1, heads),
        (double) entries / Math.max(1, heads) - 1,
        store.diskStats().getFirst().dropped());
  }

  private boolean isOnDisk(StoreLane.Found found, boolean isHead) {
    if (found == StoreLane.Found.HIT) {
      lane.unpin(isHead ? lane.head().region() : lane.slice().region());
    }
    return found == StoreLane.Found.ON_DISK;
  }
}
