package io.forebay.benchmarks.lab;

import com.sun.management.OperatingSystemMXBean;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.StoreSettings;
import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.disk.DiskWaiter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.lane.StoreLane.Found;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.transit.TransitBuffer;
import io.forebay.testing.Directories;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Hits on small objects that lie on a disk: what they write to memory, what they cost, and what a
 * scan costs the objects that memory holds.
 *
 * <pre>
 * java @benchmarks/jvm.options -cp benchmarks/target/benchmarks.jar \\
 *     io.forebay.benchmarks.lab.SmallObjectLab \\
 *     DIRECTORY buffered|direct transit|memory BODY_BYTES EXPONENT SCAN_SHARE [FOOTPRINT_MIB [REQUESTS]]
 * </pre>
 *
 * Memory has an eighth of the footprint. One thread asks as an event loop does, and copies each
 * body as a socket does. With {@code memory} each object is loaded into memory before it is served.
 * Of a scan's share of the requests, each is for the next object in turn; the others are by Zipf's
 * law, and beside a scan only for as many objects as take three quarters of memory.
 */
public final class SmallObjectLab {
  private static final byte[] HEADER = new byte[300];

  private final ObjectStore store;
  private final StoreLane lane;
  private final boolean isTransit;
  private final int bodyBytes;
  private final MemorySegment socket;
  private final double[] shares;
  private final SplittableRandom random = new SplittableRandom(3);
  private final int objects;
  private final double scanShare;
  private int scanned;
  private long hot;
  private long hotInMemory;
  private long inMemory;
  private long onDisk;
  private long missed;

  private SmallObjectLab(
      ObjectStore store,
      boolean isTransit,
      int bodyBytes,
      int objects,
      int hotObjects,
      double exponent,
      double scanShare) {
    this.store = store;
    this.lane = store.lane(0);
    this.isTransit = isTransit;
    this.bodyBytes = bodyBytes;
    this.objects = objects;
    this.scanShare = scanShare;
    this.socket = MemorySegment.ofBuffer(ByteBuffer.allocateDirect(bodyBytes));
    this.shares = new double[hotObjects];
    double sum = 0;
    for (int n = 0; n < hotObjects; n++) {
      sum += Math.pow(n + 1, -exponent);
      shares[n] = sum;
    }
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length < 6) {
      System.err.println(
          "usage: SmallObjectLab DIRECTORY buffered|direct transit|memory BODY_BYTES EXPONENT"
              + " SCAN_SHARE [FOOTPRINT_MIB [REQUESTS]]");
      System.exit(2);
    }
    Path directory = Files.createTempDirectory(Path.of(arguments[0]), "forebay-lab-");
    boolean isDirect = arguments[1].equals("direct");
    boolean isTransit = arguments[2].equals("transit");
    int bodyBytes = Integer.parseInt(arguments[3]);
    double exponent = Double.parseDouble(arguments[4]);
    double scanShare = Double.parseDouble(arguments[5]);
    long footprint = (arguments.length > 6 ? Long.parseLong(arguments[6]) : 512) << 20;
    int requests = arguments.length > 7 ? Integer.parseInt(arguments[7]) : 400_000;
    int objects = (int) (footprint / bodyBytes);
    Path memory = Files.createTempDirectory(Path.of("/dev/shm"), "forebay-lab-");
    StoreSettings settings =
        StoreSettings.of(directory.resolve("data"), footprint / 8, 1, System::currentTimeMillis)
            .withMemoryDirectory(memory)
            .withIndexEntries(4L * objects)
            .withDisks(
                DiskSettings.of(
                        List.of(DeviceSettings.of("lab", directory.resolve("disk"), footprint * 2)))
                    .withStopMillis(0)
                    .withOpener(isDirect ? DiskTier.Opener.direct() : DiskTier.Opener.files()));
    int hotObjects = scanShare > 0 ? (int) (footprint / 8 * 3 / 4 / bodyBytes) : objects;
    try (ObjectStore store = ObjectStore.open(settings)) {
      // Twice, with time for the writer: what found no free buffer the first time comes again.
      for (int round = 0; round < 2; round++) {
        for (int from = 0; from < objects; from += 500) {
          NumberedObjects.fill(
              store, from, Math.min(objects, from + 500), bodyBytes, HEADER, round > 0);
          TimeUnit.MILLISECONDS.sleep(20);
        }
      }
      SmallObjectLab lab =
          new SmallObjectLab(store, isTransit, bodyBytes, objects, hotObjects, exponent, scanShare);
      lab.run(requests / 2);
      lab.measure(String.join(" ", arguments), requests / 2);
    } finally {
      Directories.delete(memory);
      Directories.delete(directory);
    }
  }

  private void run(int requests) throws InterruptedException {
    for (int n = 0; n < requests; n++) {
      if (random.nextDouble() < scanShare) {
        boolean ignored = request(scanned++ % objects);
      } else {
        int at = Arrays.binarySearch(shares, random.nextDouble() * shares[shares.length - 1]);
        hot++;
        hotInMemory += request(at < 0 ? Math.min(-at - 1, shares.length - 1) : at) ? 1 : 0;
      }
    }
  }

  /** Whether it was in memory. */
  private boolean request(int object) throws InterruptedException {
    Found found = NumberedObjects.find(lane, object);
    boolean isInMemory = found == Found.HIT;
    if (found == Found.ON_DISK && isTransit) {
      found = findRead(object);
    }
    for (int n = 0; n < 4 && found == Found.ON_DISK; n++) {
      CountDownLatch isLoaded = new CountDownLatch(1);
      if (!lane.load(isLoaded::countDown)) {
        break;
      }
      isLoaded.await();
      found = NumberedObjects.find(lane, object);
    }
    if (found != Found.HIT) {
      missed++;
      return false;
    }
    StoredHead head = lane.head();
    MemorySegment.copy(store.bytes(head), head.bodyOffset(), socket, 0, bodyBytes);
    lane.unpin(head);
    inMemory += isInMemory ? 1 : 0;
    onDisk += isInMemory ? 0 : 1;
    return isInMemory;
  }

  private Found findRead(int object) throws InterruptedException {
    TransitBuffer read = lane.readCached();
    if (read == null) {
      Waiter waiter = new Waiter();
      if (!lane.read(waiter)) {
        return Found.MISS;
      }
      waiter.isOver.await();
      read = waiter.read;
    }
    if (read == null) {
      return NumberedObjects.find(lane, object);
    }
    try {
      return NumberedObjects.findRead(lane, object, read);
    } finally {
      read.release();
    }
  }

  private static final class Waiter implements DiskWaiter {
    private final CountDownLatch isOver = new CountDownLatch(1);
    private volatile @Nullable TransitBuffer read;

    @Override
    public boolean needsMemory() {
      return false;
    }

    @Override
    public void onRead(@Nullable TransitBuffer bytes) {
      read = bytes;
      isOver.countDown();
    }
  }

  private void measure(String what, int requests) throws InterruptedException {
    hot = 0;
    hotInMemory = 0;
    inMemory = 0;
    onDisk = 0;
    missed = 0;
    long reclaimed = store.stats().reclaimedRegions();
    DiskStats before = store.diskStats().getFirst();
    long cpu = cpuNanos();
    run(requests);
    cpu = cpuNanos() - cpu;
    DiskStats after = store.diskStats().getFirst();
    long written = (store.stats().reclaimedRegions() - reclaimed) * store.regionBytes();
    System.out.printf(
        Locale.ROOT,
        "%s: %.1f %% from memory (%.1f %% of the hot ones), %.1f %% from disk, %.2f %% missed;"
            + " %.3f bytes written to memory a byte sent; %.1f us CPU a request; %d reads, %d of"
            + " them cached%n",
        what,
        100.0 * inMemory / requests,
        100.0 * hotInMemory / Math.max(1, hot),
        100.0 * onDisk / requests,
        100.0 * missed / requests,
        (double) written / ((double) requests * bodyBytes),
        cpu / 1000.0 / requests,
        after.reads() - before.reads(),
        after.cachedReads() - before.cachedReads());
  }

  private static long cpuNanos() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
  }
}
