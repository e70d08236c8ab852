package io.forebay.benchmarks.lab;

import io.forebay.storage.IndexCapacity;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.StoreException;
import io.forebay.storage.StoreSettings;
import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.layout.DeviceHeader;
import io.forebay.testing.Directories;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * How long a store with disks takes to be back, whose objects nearly all lie on disks only: after a
 * stop in order and after kill -9, with the memory tier and, as after a stop of the machine,
 * without it. Each start is a process that asks for objects at random, some thousand in a second.
 *
 * <pre>
 * java @benchmarks/jvm.options -cp benchmarks/target/benchmarks.jar \\
 *     io.forebay.benchmarks.lab.DiskRestartLab DIRECTORY \\
 *     [OBJECTS [BYTES [DISKS [DISK_GIB [buffered|direct]]]]]
 * </pre>
 *
 * The files of the disks are made in the directory, with holes: they may be larger than the file
 * system. Before a start that is said to be cold their pages leave the page cache (dd, of
 * coreutils); direct reads never use it.
 */
public final class DiskRestartLab {
  private static final long MEMORY_BYTES = 256 << 20;
  private static final byte[] HEADER = new byte[100];
  private static final int LOOKUPS = 200_000;
  private static final int LOADS = 2_000;
  private static final long PAUSE_NANOS = 200_000;
  private static final long STOP_MILLIS = 60_000;

  private DiskRestartLab() {}

  /** What is measured. */
  private record Setup(
      Path directory, Path memory, int objects, int bytes, int disks, long gib, String io) {
    static Setup of(String[] from) {
      return new Setup(
          Path.of(from[0]),
          Path.of(from[1]),
          Integer.parseInt(from[2]),
          Integer.parseInt(from[3]),
          Integer.parseInt(from[4]),
          Long.parseLong(from[5]),
          from[6]);
    }

    List<String> arguments() {
      return List.of(
          directory.toString(),
          memory.toString(),
          Integer.toString(objects),
          Integer.toString(bytes),
          Integer.toString(disks),
          Long.toString(gib),
          io);
    }

    Path file(int disk) {
      return directory.resolve("disk" + disk).resolve("disk.store");
    }

    StoreSettings settings() {
      List<DeviceSettings> devices = new ArrayList<>();
      for (int n = 0; n < disks; n++) {
        devices.add(DeviceSettings.of("disk" + n, directory.resolve("disk" + n), gib << 30));
      }
      DiskSettings settings = DiskSettings.of(devices).withStopMillis(STOP_MILLIS);
      IndexCapacity index =
          IndexCapacity.of(
              MEMORY_BYTES,
              settings.bytes(),
              2L * objects + 1_000_000,
              IndexCapacity.Learned.NOTHING,
              0);
      return StoreSettings.of(directory.resolve("data"), MEMORY_BYTES, 1, System::currentTimeMillis)
          .withMemoryDirectory(memory)
          .withIndex(index)
          .withDisks(
              io.equals("direct") ? settings.withOpener(DiskTier.Opener.direct()) : settings);
    }

    /** Makes the files, of the length that the store wants, without a block. */
    void make() throws IOException {
      for (DeviceSettings device : settings().disks().devices()) {
        Files.createDirectories(device.directory());
        long region = device.resolved().regionBytes();
        Path file = device.directory().resolve("disk.store");
        try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
          made.setLength(DeviceHeader.LENGTH + device.bytes() / region * region);
        }
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 8) {
      child(Setup.of(arguments), arguments[7]);
      return;
    }
    Path memory = Files.createTempDirectory(Path.of("/dev/shm"), "forebay-restart-");
    Path directory = Files.createTempDirectory(Path.of(arguments[0]), "forebay-disks-");
    Setup setup =
        new Setup(
            directory,
            memory,
            Integer.parseInt(at(arguments, 1, "1000000")),
            Integer.parseInt(at(arguments, 2, "200")),
            Integer.parseInt(at(arguments, 3, "1")),
            Long.parseLong(at(arguments, 4, "64")),
            at(arguments, 5, "buffered"));
    try {
      System.out.printf(
          "%,d objects of %d bytes, %d disks of %d GiB, %s%n",
          setup.objects, setup.bytes, setup.disks, setup.gib, setup.io);
      setup.make();
      run(setup, "fill", false);
      System.out.println("after a stop in order:");
      run(setup, "open", false);
      System.out.println("after a stop in order, memory lost, cold:");
      forget(setup, true);
      run(setup, "open", true);
      System.out.println("after kill -9:");
      run(setup, "open", true);
      System.out.println("after kill -9, memory lost, cold:");
      forget(setup, true);
      run(setup, "open", true);
      System.out.println("after kill -9, memory lost:");
      forget(setup, false);
      run(setup, "open", false);
    } finally {
      Directories.delete(memory);
      Directories.delete(directory);
    }
  }

  private static String at(String[] arguments, int n, String otherwise) {
    return n < arguments.length ? arguments[n] : otherwise;
  }

  /** Memory is gone, as after a stop of the machine; and, if cold, the page cache. */
  private static void forget(Setup setup, boolean isCold) throws IOException, InterruptedException {
    try (Stream<Path> files = Files.list(setup.memory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    for (int disk = 0; isCold && disk < setup.disks; disk++) {
      for (Path file :
          List.of(setup.file(disk), setup.file(disk).resolveSibling("disk.checkpoint"))) {
        if (Files.exists(file)) {
          int exit =
              new ProcessBuilder(
                      "dd",
                      "if=/dev/null",
                      "of=" + file,
                      "oflag=nocache",
                      "conv=notrunc,fdatasync",
                      "count=0",
                      "status=none")
                  .inheritIO()
                  .start()
                  .waitFor();
          if (exit != 0) {
            throw new IOException("dd ended with " + exit);
          }
        }
      }
    }
  }

  private static void run(Setup setup, String task, boolean isKilled)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(setup.arguments());
    arguments.add(task);
    LabProcess.run(DiskRestartLab.class, arguments, isKilled);
  }

  private static void child(Setup setup, String task)
      throws StoreException, IOException, InterruptedException {
    long begin = System.nanoTime();
    try (ObjectStore store = ObjectStore.open(setup.settings())) {
      if (task.equals("fill")) {
        NumberedObjects.fill(store, setup.objects, setup.bytes, HEADER);
        LabProcess.say("filled in", begin);
      } else {
        LabProcess.say("open in", begin);
        ask(store, setup.objects, begin);
      }
      report(store);
      LabProcess.awaitEnd();
      begin = System.nanoTime();
    }
    LabProcess.say("closed in", begin);
  }

  /** What the process takes, and what it has read by now. */
  private static void report(ObjectStore store) throws IOException {
    long entries = 0;
    long bytes = 0;
    long dropped = 0;
    for (DiskStats disk : store.diskStats()) {
      entries += disk.indexEntries();
      bytes += disk.indexBytes();
      dropped += disk.dropped();
    }
    System.out.printf(
        Locale.ROOT,
        "%,d records in tables of %,d bytes, %.1f each; %,d dropped%n",
        entries,
        bytes,
        (double) bytes / Math.max(1, entries),
        dropped);
    System.out.println(
        "read: "
            + lines("/proc/self/io", "rchar", "read_bytes")
            + "; memory: "
            + lines("/proc/self/status", "VmHWM", "RssAnon", "RssFile", "RssShmem"));
  }

  private static String lines(String file, String... names) throws IOException {
    List<String> found = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of(file))) {
      for (String name : names) {
        if (line.startsWith(name + ":")) {
          found.add(line.replaceAll("\\s+", " "));
        }
      }
    }
    return String.join(", ", found);
  }

  /** Asks until the index is complete, then looks up and loads some. */
  private static void ask(ObjectStore store, int objects, long begin) throws InterruptedException {
    SplittableRandom random = new SplittableRandom(7);
    StoreLane lane = store.lane(0);
    boolean isHitSaid = false;
    double shown = 0;
    long asked = 0;
    long found = 0;
    while (!store.recovery().isComplete()) {
      // Not so often that it takes much of a CPU.
      LockSupport.parkNanos(PAUSE_NANOS);
      asked++;
      found += isThere(lane, random.nextInt(objects)) ? 1 : 0;
      if (found > 0 && !isHitSaid) {
        LabProcess.say("first object known after", begin);
        isHitSaid = true;
      }
      double fraction = store.recovery().fraction();
      if (fraction >= shown + 0.25) {
        shown = fraction;
        System.out.printf(
            Locale.ROOT,
            "  %3.0f %% after %.2f s, %5.1f %% known of %d%n",
            fraction * 100,
            (System.nanoTime() - begin) / 1_000_000_000.0,
            100.0 * found / asked,
            asked);
        asked = 0;
        found = 0;
      }
    }
    LabProcess.say("all taken up after", begin);
    System.out.printf(Locale.ROOT, "CPU of the threads: %s%n", cpu());
    found = 0;
    for (int n = 0; n < LOOKUPS; n++) {
      found += isThere(lane, random.nextInt(objects)) ? 1 : 0;
    }
    int loaded = 0;
    for (int n = 0; n < LOADS; n++) {
      int object = random.nextInt(objects);
      StoreLane.Found is = find(lane, object);
      if (is == StoreLane.Found.ON_DISK) {
        CountDownLatch isOver = new CountDownLatch(1);
        if (lane.load(isOver::countDown)) {
          isOver.await();
          is = find(lane, object);
        }
      }
      if (is == StoreLane.Found.HIT) {
        lane.unpin(lane.head().region());
        loaded++;
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%.2f %% known of %,d; %.2f %% hits of %,d%n",
        100.0 * found / LOOKUPS,
        LOOKUPS,
        100.0 * loaded / LOADS,
        LOADS);
  }

  /** Of the threads of the disks and of all together, in seconds. */
  private static String cpu() {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    TreeMap<String, Double> seconds = new TreeMap<>();
    for (long id : threads.getAllThreadIds()) {
      ThreadInfo thread = threads.getThreadInfo(id);
      if (thread != null && thread.getThreadName().startsWith("disk-")) {
        boolean isWriter = thread.getThreadName().endsWith("-0");
        seconds.merge(
            isWriter ? "writers" : "readers", threads.getThreadCpuTime(id) / 1e9, Double::sum);
      }
    }
    seconds.put("process", cpuOfProcess());
    StringJoiner text = new StringJoiner(", ");
    seconds.forEach(
        (name, value) -> text.add(String.format(Locale.ROOT, "%s %.2f s", name, value)));
    return text.toString();
  }

  private static double cpuOfProcess() {
    return ProcessHandle.current()
        .info()
        .totalCpuDuration()
        .map(duration -> duration.toMillis() / 1e3)
        .orElse(0.0);
  }

  private static StoreLane.Found find(StoreLane lane, int n) {
    StoreLane.Found found;
    do {
      found = NumberedObjects.find(lane, n);
    } while (found == StoreLane.Found.BUSY);
    return found;
  }

  private static boolean isThere(StoreLane lane, int n) {
    StoreLane.Found found = find(lane, n);
    if (found == StoreLane.Found.HIT) {
      lane.unpin(lane.head().region());
    }
    return found == StoreLane.Found.HIT || found == StoreLane.Found.ON_DISK;
  }
}
