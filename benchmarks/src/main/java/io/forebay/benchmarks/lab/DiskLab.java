package io.forebay.benchmarks.lab;

import io.forebay.storage.ObjectStore;
import io.forebay.storage.StoreSettings;
import io.forebay.storage.disk.BlockFile;
import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.object.StoredHead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * A store with one disk under a Zipf load, on real files: which share of what it writes is
 * sequential, how much is written for each byte that is stored, and how long a record on the disk
 * takes into memory.
 *
 * <pre>
 * java @benchmarks/jvm.options -cp benchmarks/target/benchmarks.jar \\
 *     io.forebay.benchmarks.lab.DiskLab \\
 *     DIRECTORY buffered|direct [DISK_MIB [MEMORY_MIB [REQUESTS]]]
 * </pre>
 *
 * The directory should be on the disk that is to be measured, and the disk several times larger
 * than the page cache may grow: else buffered reads are reads of memory.
 */
public final class DiskLab {
  private static final int[] LENGTHS = {16_000, 16_000, 100_000, 300_000, 1_500_000};
  private static final double EXPONENT = 0.8;
  private static final byte[] HEADER = new byte[400];

  private final ObjectStore store;
  private final StoreLane lane;
  private final Writes writes;
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(2 << 20);
  private final long[] latencies = new long[1 << 20];
  private int loads;
  private long storedBytes;
  private long hits;
  private long misses;
  private long lost;

  private DiskLab(ObjectStore store, Writes writes) {
    this.store = store;
    this.lane = store.lane(0);
    this.writes = writes;
    byte[] random = new byte[bytes.capacity()];
    new SplittableRandom(1).nextBytes(random);
    bytes.put(random).clear();
  }

  /** Looks at what is written on its way to the file. */
  private static final class Writes implements DiskTier.Opener {
    private final DiskTier.Opener files;
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong sum = new AtomicLong();
    private final AtomicLong sequential = new AtomicLong();
    private long dataEnd = -1;
    private long pagesStart = -1;

    Writes(DiskTier.Opener files) {
      this.files = files;
    }

    @Override
    public BlockFile open(DeviceSettings device, Path file, long lengthBytes) throws IOException {
      BlockFile opened = files.open(device, file, lengthBytes);
      return new BlockFile() {
        @Override
        public void read(ByteBuffer into, long at) throws IOException {
          opened.read(into, at);
        }

        @Override
        public void write(ByteBuffer from, long at) throws IOException {
          note(at, from.remaining());
          opened.write(from, at);
        }

        @Override
        public void force() throws IOException {
          opened.force();
        }

        @Override
        public void close() throws IOException {
          opened.close();
        }
      };
    }

    /** Sequential is what begins where the one before ended; directories grow downwards. */
    private synchronized void note(long at, int length) {
      boolean isSequential = at == dataEnd || at + length == pagesStart;
      if (at + length == pagesStart) {
        pagesStart = at;
      } else if (at == dataEnd || length > 256 << 10) {
        dataEnd = at + length;
      } else {
        pagesStart = at;
      }
      count.incrementAndGet();
      sum.addAndGet(length);
      sequential.addAndGet(isSequential ? length : 0);
    }
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length < 2) {
      System.err.println("usage: DiskLab DIRECTORY buffered|direct [DISK_MIB [MEMORY_MIB [N]]]");
      System.exit(2);
    }
    Path directory = Path.of(arguments[0]);
    boolean isDirect = arguments[1].equals("direct");
    long diskBytes = number(arguments, 2, 4096) << 20;
    long memoryBytes = number(arguments, 3, 256) << 20;
    long requests = number(arguments, 4, 200_000);
    Writes writes = new Writes(isDirect ? DiskTier.Opener.direct() : DiskTier.Opener.files());
    Path memory = Files.createTempDirectory(Path.of("/dev/shm"), "forebay-lab-");
    StoreSettings settings =
        StoreSettings.of(directory.resolve("data"), memoryBytes, 1, System::currentTimeMillis)
            .withMemoryDirectory(memory)
            .withDisks(
                DiskSettings.of(
                        java.util.List.of(
                            DeviceSettings.of("lab", directory.resolve("disk"), diskBytes)))
                    .withOpener(writes));
    try (ObjectStore store = ObjectStore.open(settings)) {
      // Three times what fits on the disk, so that regions are won back.
      double mean = Arrays.stream(LENGTHS).average().orElseThrow();
      int objects = (int) (3 * diskBytes / mean);
      DiskLab lab = new DiskLab(store, writes);
      lab.run(objects, requests);
      lab.report(arguments[1], objects, requests);
    } finally {
      for (String file : new String[] {"memory.tier", "index.map", "owner.lock"}) {
        Files.deleteIfExists(memory.resolve(file));
      }
      Files.deleteIfExists(memory);
    }
  }

  private static long number(String[] arguments, int n, long otherwise) {
    return arguments.length > n ? Long.parseLong(arguments[n]) : otherwise;
  }

  private void run(int objects, long requests) throws InterruptedException {
    double[] shares = new double[objects];
    double sum = 0;
    for (int n = 0; n < objects; n++) {
      sum += Math.pow(n + 1, -EXPONENT);
      shares[n] = sum;
    }
    SplittableRandom random = new SplittableRandom(2);
    for (long n = 0; n < requests; n++) {
      int at = Arrays.binarySearch(shares, random.nextDouble() * sum);
      request(at < 0 ? Math.min(-at - 1, objects - 1) : at);
    }
  }

  private void request(int object) throws InterruptedException {
    byte[] key = ("/object/" + object).getBytes(StandardCharsets.US_ASCII);
    long hi = mix(object);
    long lo = mix(~object);
    if (found(() -> lane.find(hi, lo, key, key.length)) == StoreLane.Found.HIT) {
      StoredHead head = lane.head();
      int region = head.region();
      boolean isWhole = head.bodyOffset() >= 0 || hasSlices(head.objectId(), head.totalLength());
      lane.unpin(region);
      if (isWhole) {
        hits++;
        return;
      }
    }
    misses++;
    put(hi, lo, key, LENGTHS[Math.floorMod(object, LENGTHS.length)]);
  }

  private boolean hasSlices(long objectId, long length) throws InterruptedException {
    for (int slice = 0; (long) slice * store.sliceBytes() < length; slice++) {
      int wanted = slice;
      if (found(() -> lane.findSlice(objectId, wanted)) != StoreLane.Found.HIT) {
        return false;
      }
      lane.unpin(lane.slice().region());
    }
    return true;
  }

  private StoreLane.Found found(Supplier<StoreLane.Found> find) throws InterruptedException {
    StoreLane.Found found = find.get();
    for (int n = 0; n < 3 && found == StoreLane.Found.ON_DISK; n++) {
      CountDownLatch isThere = new CountDownLatch(1);
      long start = System.nanoTime();
      if (!lane.load(isThere::countDown) || !isThere.await(30, TimeUnit.SECONDS)) {
        break;
      }
      if (loads < latencies.length) {
        latencies[loads++] = System.nanoTime() - start;
      }
      found = find.get();
    }
    return found;
  }

  private void put(long hi, long lo, byte[] key, int length) throws InterruptedException {
    long birth = store.nextBirth();
    HeadSpec spec =
        new HeadSpec(
            hi,
            lo,
            key,
            key.length,
            HEADER,
            new long[] {lo},
            birth,
            System.currentTimeMillis() + 3_600_000,
            HeadSpec.Kind.OBJECT,
            length);
    ObjectWriter writer = birth < 0 ? null : lane.begin(spec);
    for (int n = 0; n < 1000 && writer == null; n++) {
      // No spare region, or no number: both come in a moment.
      TimeUnit.MILLISECONDS.sleep(1);
      writer = birth < 0 ? null : lane.begin(spec);
    }
    if (writer == null || !append(writer, length) || writer.finish() != InstallOutcome.INSTALLED) {
      lost++;
      return;
    }
    storedBytes += length;
  }

  private boolean append(ObjectWriter writer, int length) throws InterruptedException {
    ByteBuffer rest = bytes.duplicate().clear().limit(length);
    for (int n = 0; n < 2000 && rest.hasRemaining(); n++) {
      if (!writer.append(rest)) {
        if (!writer.lacksRoom()) {
          break;
        }
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }
    if (rest.hasRemaining()) {
      writer.abort();
      return false;
    }
    return true;
  }

  private void report(String kind, int objects, long requests) throws IOException {
    DiskStats disk = store.diskStats().getFirst();
    Arrays.sort(latencies, 0, loads);
    long blocks = 0;
    for (String line : Files.readAllLines(Path.of("/proc/self/io"))) {
      blocks = line.startsWith("write_bytes: ") ? Long.parseLong(line.substring(13)) : blocks;
    }
    System.out.printf(
        Locale.ROOT,
        "%s: %d objects, %d requests, %.1f %% hits, %d stored (%.0f MiB), %d not stored%n",
        kind,
        objects,
        requests,
        100.0 * hits / requests,
        misses - lost,
        storedBytes / 1048576.0,
        lost);
    System.out.printf(
        Locale.ROOT,
        "  written %.0f MiB in %d writes of %.0f KiB, %.1f %% of it sequential; %.2f bytes a byte"
            + " stored (%d records dropped, %d regions won back); %.0f MiB to the block layer%n",
        disk.writtenBytes() / 1048576.0,
        writes.count.get(),
        writes.sum.get() / 1024.0 / Math.max(1, writes.count.get()),
        100.0 * writes.sequential.get() / Math.max(1, writes.sum.get()),
        (double) disk.writtenBytes() / storedBytes,
        disk.dropped(),
        disk.reclaimedRegions(),
        blocks / 1048576.0);
    System.out.printf(
        Locale.ROOT,
        "  %d loads, into memory in %.0f us (median), %.0f us (p90), %.0f us (p99), %.0f us (p99.9)%n",
        loads,
        latency(0.5),
        latency(0.9),
        latency(0.99),
        latency(0.999));
  }

  private double latency(double share) {
    return loads == 0 ? 0 : latencies[(int) (share * (loads - 1))] / 1000.0;
  }

  private static long mix(long number) {
    long word = (number + 1) * 0x9e37_79b9_7f4a_7c15L;
    word = (word ^ (word >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
    word = (word ^ (word >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return word ^ (word >>> 31);
  }
}
