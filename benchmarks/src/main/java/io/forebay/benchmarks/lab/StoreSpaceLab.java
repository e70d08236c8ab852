package io.forebay.benchmarks.lab;

import io.forebay.storage.ObjectStore;
import io.forebay.storage.StoreSettings;
import io.forebay.storage.StoreStats;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How long storing waits for room while the memory tier turns over: writers that begin, append in
 * chunks of 32 KiB and finish without a pause, or at a rate, and ask again every 2 ms where there
 * is no spare region, as fills do.
 *
 * <pre>
 * java @benchmarks/jvm.options -cp benchmarks/target/benchmarks.jar \\
 *     io.forebay.benchmarks.lab.StoreSpaceLab WRITERS [MIB_PER_SECOND [MEMORY_MIB [SECONDS]]]
 * </pre>
 *
 * A rate of 0 is as fast as it goes; otherwise it is that of all writers together.
 */
public final class StoreSpaceLab {
  private static final int[] LENGTHS = {10_000, 10_000, 10_000, 100_000, 300_000, 1_500_000};
  private static final int CHUNK = 32 << 10;
  private static final byte[] HEADER = new byte[400];
  private static final long RETRY_NANOS = 2_000_000;
  private static final long PATIENCE_NANOS = 2_000_000_000;
  private static final long HOUR_MILLIS = 3_600_000;
  private static final int MAX_SAMPLES = 1 << 22;

  private final ObjectStore store;
  private final double bytesPerNano;
  private volatile boolean isMeasuring;
  private volatile boolean isOver;

  private StoreSpaceLab(ObjectStore store, double bytesPerNano) {
    this.store = store;
    this.bytesPerNano = bytesPerNano;
  }

  public static void main(String[] arguments) throws Exception {
    int writers = number(arguments, 0, 1);
    int rate = number(arguments, 1, 0);
    long memory = (long) number(arguments, 2, 1024) << 20;
    int seconds = number(arguments, 3, 10);
    Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "forebay-room-");
    try (ObjectStore store =
        ObjectStore.open(
            StoreSettings.of(directory.resolve("data"), memory, writers, System::currentTimeMillis)
                .withMemoryDirectory(directory.resolve("memory")))) {
      new StoreSpaceLab(store, (double) rate * (1 << 20) / writers / 1e9).run(writers, seconds);
    } finally {
      try (Stream<Path> paths = Files.walk(directory)) {
        for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  private static int number(String[] arguments, int at, int otherwise) {
    return arguments.length > at ? Integer.parseInt(arguments[at]) : otherwise;
  }

  private void run(int count, int seconds) throws InterruptedException {
    List<Writer> writers = new ArrayList<>();
    for (int lane = 0; lane < count; lane++) {
      Writer writer = new Writer(lane);
      writers.add(writer);
      writer.start();
    }
    // Full, and compiled.
    LockSupport.parkNanos(3_000_000_000L);
    StoreStats before = store.stats();
    isMeasuring = true;
    LockSupport.parkNanos(seconds * 1_000_000_000L);
    isMeasuring = false;
    StoreStats after = store.stats();
    isOver = true;
    for (Writer writer : writers) {
      writer.join();
    }
    long bytes = writers.stream().mapToLong(writer -> writer.bytes).sum();
    System.out.printf(
        Locale.ROOT,
        "%d writers, %d regions of %d KiB: %d MiB/s, %d regions reclaimed a second%n",
        count,
        store.regionCount(),
        store.regionBytes() >> 10,
        (bytes >> 20) / seconds,
        (after.reclaimedRegions() - before.reclaimedRegions()) / seconds);
    report("begin", writers.stream().map(writer -> writer.begins).toList());
    report("append", writers.stream().map(writer -> writer.appends).toList());
    System.out.printf(
        Locale.ROOT,
        "%d objects, %d times no room at once, %d given up after 2 s%n",
        writers.stream().mapToLong(writer -> writer.objects).sum(),
        writers.stream().mapToLong(writer -> writer.waits).sum(),
        writers.stream().mapToLong(writer -> writer.givenUp).sum());
  }

  private static void report(String what, List<Times> all) {
    long[] sorted =
        all.stream().flatMapToLong(one -> Arrays.stream(one.nanos, 0, one.count)).toArray();
    Arrays.sort(sorted);
    System.out.printf(
        Locale.ROOT,
        "%-6s p50 %.1f us, p99 %.1f us, p99.9 %.1f us, longest %.1f us%n",
        what,
        at(sorted, 0.5),
        at(sorted, 0.99),
        at(sorted, 0.999),
        at(sorted, 1));
  }

  private static double at(long[] sorted, double share) {
    return sorted.length == 0 ? 0 : sorted[(int) ((sorted.length - 1) * share)] / 1000.0;
  }

  private static final class Times {
    private final long[] nanos = new long[MAX_SAMPLES];
    private int count;

    void add(long one) {
      if (count < nanos.length) {
        nanos[count++] = one;
      }
    }
  }

  private final class Writer extends Thread {
    private final int number;
    private final StoreLane lane;
    private final SplittableRandom random;
    private final ByteBuffer body = ByteBuffer.allocateDirect(2 << 20);
    final Times begins = new Times();
    final Times appends = new Times();
    long objects;
    long bytes;
    long waits;
    long givenUp;

    Writer(int number) {
      this.number = number;
      this.lane = store.lane(number);
      this.random = new SplittableRandom(number);
    }

    @Override
    public void run() {
      long sent = 0;
      long start = System.nanoTime();
      for (long n = 0; !isOver; n++) {
        int length = LENGTHS[random.nextInt(LENGTHS.length)];
        put(n, length);
        sent += length;
        if (bytesPerNano > 0) {
          long due = start + (long) (sent / bytesPerNano);
          while (System.nanoTime() < due && !isOver) {
            LockSupport.parkNanos(due - System.nanoTime());
          }
        }
      }
    }

    private void put(long n, int length) {
      byte[] key = ("http://example.com/" + number + "/" + n).getBytes(StandardCharsets.US_ASCII);
      HeadSpec spec = spec(key, random.nextLong(), random.nextLong(), length);
      long began = System.nanoTime();
      ObjectWriter writer = begin(spec, began);
      note(begins, began);
      if (writer == null) {
        givenUp += isMeasuring ? 1 : 0;
        return;
      }
      for (int at = 0; at < length; at += CHUNK) {
        began = System.nanoTime();
        boolean isTaken = append(writer, at, Math.min(length, at + CHUNK), began);
        note(appends, began);
        if (!isTaken) {
          givenUp += isMeasuring ? 1 : 0;
          writer.abort();
          return;
        }
      }
      began = System.nanoTime();
      while (!writer.reserveHead() && writer.lacksRoom() && isPatient(began)) {
        Thread.onSpinWait();
      }
      note(appends, began);
      if (writer.finish() == InstallOutcome.INSTALLED && isMeasuring) {
        objects++;
        bytes += length;
      }
    }

    private void note(Times times, long began) {
      if (isMeasuring) {
        times.add(System.nanoTime() - began);
      }
    }

    private @Nullable ObjectWriter begin(HeadSpec spec, long began) {
      while (true) {
        ObjectWriter writer = lane.begin(spec);
        if (writer != null || !lane.lacksRoom() || !isPatient(began)) {
          return writer;
        }
      }
    }

    private boolean append(ObjectWriter writer, int from, int to, long began) {
      ByteBuffer chunk = body.clear().position(from).limit(to);
      while (!writer.append(chunk)) {
        if (!writer.lacksRoom() || !isPatient(began)) {
          return false;
        }
      }
      return true;
    }

    private boolean isPatient(long began) {
      waits += isMeasuring ? 1 : 0;
      LockSupport.parkNanos(RETRY_NANOS);
      return System.nanoTime() - began < PATIENCE_NANOS;
    }
  }

  private HeadSpec spec(byte[] key, long high, long low, int length) {
    long birth;
    while ((birth = store.nextBirth()) < 0) {
      Thread.onSpinWait();
    }
    return new HeadSpec(
        high,
        low,
        key,
        key.length,
        HEADER,
        new long[] {high, 1, 2},
        birth,
        System.currentTimeMillis() + HOUR_MILLIS,
        HeadSpec.Kind.OBJECT,
        length);
  }
}
