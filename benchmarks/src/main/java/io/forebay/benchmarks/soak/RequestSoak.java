package io.forebay.benchmarks.soak;

import io.forebay.benchmarks.soak.SoakClient.Tally;
import io.forebay.testing.Directories;
import io.forebay.testing.EdgeProcess;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * An edge in front of a healthy origin whose objects are several times as large as its tiers: 64
 * connections ask for objects and ranges of them, and every byte is verified. The requests are
 * divided evenly among three sizes: 128 MiB of memory and 512 MiB of disk, 256 MiB and 1 GiB, and
 * 128 MiB of memory alone. {@code flip} flips random bits of the disk's file meanwhile. Prints
 * requests, aborted, wrong, 5xx, hits, fetches; exits with 1 unless aborted, wrong and 5xx are 0.
 * Loopback only; the edge is a process of its own.
 *
 * <pre>
 * mvn -B -ntp -q package -Dmaven.test.skip -pl benchmarks -am
 * java -cp benchmarks/target/benchmarks.jar io.forebay.benchmarks.soak.RequestSoak \\
 *     cache-cli/target/forebay.jar [REQUESTS [flip]]
 * </pre>
 */
public final class RequestSoak {

  private static final int CONNECTIONS = 64;
  private static final long REQUESTS = 1_000_000;
  private static final int FLIPS_A_SECOND = 20;
  private static final long MIB = 1 << 20;

  /** Sizes in MiB; no disk where that is 0. */
  private record Sizes(int memory, int disk) {}

  private static final List<Sizes> SIZES =
      List.of(new Sizes(128, 512), new Sizes(256, 1024), new Sizes(128, 0));

  private RequestSoak() {}

  public static void main(String[] arguments) throws Exception {
    Path jar = Path.of(arguments[0]).toAbsolutePath();
    long requests = arguments.length > 1 ? Long.parseLong(arguments[1]) : REQUESTS;
    boolean isFlipping = arguments.length > 2 && arguments[2].equals("flip");
    long seed = Long.getLong("seed", 16);
    System.out.println("seed " + seed);
    boolean isClean = true;
    for (Sizes sizes : SIZES) {
      Path directory = Files.createTempDirectory("forebay-soak-");
      try {
        isClean &= run(jar, directory, sizes, requests / SIZES.size(), isFlipping, seed);
      } finally {
        Directories.delete(directory);
      }
    }
    System.exit(isClean ? 0 : 1);
  }

  private static boolean run(
      Path jar, Path directory, Sizes sizes, long requests, boolean isFlipping, long seed)
      throws Exception {
    // Some 230 KiB each: twice what memory and disk hold.
    Objects objects = new Objects(8 * (sizes.memory() + sizes.disk()), seed);
    Tally tally = new Tally(requests);
    try (SoakOrigin origin = new SoakOrigin(objects)) {
      EdgeProcess edge = settings(jar, directory, sizes, origin.port()).start();
      try (edge) {
        List<Thread> clients = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < CONNECTIONS; i++) {
          clients.add(
              Thread.ofVirtual()
                  .start(new SoakClient(objects, edge.port(), random.split(), tally)));
        }
        Thread flips =
            Thread.ofPlatform()
                .daemon()
                .start(() -> flip(directory, sizes, isFlipping, random.split()));
        for (Thread client : clients) {
          client.join();
        }
        flips.interrupt();
        flips.join();
      }
      System.out.printf(
          "memory %d MiB, disk %d MiB%s: requests %d, aborted %d, wrong %d, 5xx %d, hits %d,"
              + " fetches %d%n",
          sizes.memory(),
          sizes.disk(),
          isFlipping ? ", bits flipped" : "",
          tally.done.get(),
          tally.aborted.get(),
          tally.wrong.get(),
          tally.serverErrors.get(),
          tally.hits.get(),
          origin.requests());
      if (!tally.isClean()) {
        System.out.println(edge.outText() + edge.errText());
      }
    }
    return tally.isClean();
  }

  private static EdgeProcess.Settings settings(
      Path jar, Path directory, Sizes sizes, int originPort) throws IOException {
    String disk =
        sizes.disk() == 0
            ? ""
            : "stores: {one: {path: "
                + directory.resolve("disk")
                + ", size: "
                + sizes.disk()
                + "MiB}}";
    EdgeProcess.Settings settings = EdgeProcess.of(jar, directory).allByFile().noisy().jvm();
    return settings.config(
        """
        origin: http://127.0.0.1:%d
        listen: [{address: "127.0.0.1:%d"}]
        admin: {address: "127.0.0.1:%d"}
        threads: {pin: off}
        store: {memory: %dMiB, memory-directory: %s, data: %s}
        access-log: "off"
        %s
        """
            .formatted(
                originPort,
                settings.port(),
                settings.adminPort(),
                sizes.memory(),
                settings.memoryDirectory(),
                directory.resolve("data"),
                disk));
  }

  /** Flips bits of the disk's file behind its first MiB until it is interrupted. */
  private static void flip(
      Path directory, Sizes sizes, boolean isFlipping, SplittableRandom random) {
    if (!isFlipping || sizes.disk() == 0) {
      return;
    }
    Path file = directory.resolve("disk").resolve("disk.store");
    while (!Thread.currentThread().isInterrupted()) {
      try (RandomAccessFile disk = new RandomAccessFile(file.toFile(), "rw")) {
        for (int i = 0; i < FLIPS_A_SECOND; i++) {
          long at = random.nextLong(MIB, disk.length());
          disk.seek(at);
          int value = disk.read();
          disk.seek(at);
          disk.write(value ^ (1 << random.nextInt(8)));
        }
        TimeUnit.SECONDS.sleep(1);
      } catch (InterruptedException e) {
        return;
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
  }
}
