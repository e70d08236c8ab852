package io.forebay.benchmarks.lab;

import io.forebay.storage.ObjectStore;
import io.forebay.storage.RecoveryState;
import io.forebay.storage.StoreException;
import io.forebay.storage.StoreSettings;
import io.forebay.storage.lane.StoreLane;
import io.forebay.testing.Directories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * How long a store of many small objects takes to be back: after a stop in order, and after kill
 * -9, while it is asked for objects at random all the time.
 *
 * <pre>
 * java @benchmarks/jvm.options -cp benchmarks/target/benchmarks.jar \\
 *     io.forebay.benchmarks.lab.RestartLab [OBJECTS [BYTES]]
 * </pre>
 */
public final class RestartLab {
  private static final int OBJECTS = 1_000_000;
  private static final int BODY_BYTES = 1024;
  private static final byte[] HEADER = new byte[400];
  private static final int ROUNDS = 3;
  private static final long REPORT_NANOS = 250_000_000;

  private RestartLab() {}

  public static void main(String[] arguments) throws Exception {
    if (arguments.length > 0 && arguments[0].startsWith("/")) {
      child(Path.of(arguments[0]), arguments[1], number(arguments, 2), number(arguments, 3));
      return;
    }
    int objects = arguments.length > 0 ? number(arguments, 0) : OBJECTS;
    int bytes = arguments.length > 1 ? number(arguments, 1) : BODY_BYTES;
    Path directory = Files.createTempDirectory(Path.of("/dev/shm"), "forebay-restart-");
    try {
      System.out.printf("%d objects of %d bytes%n", objects, bytes);
      run(directory, "fill", objects, bytes, false);
      for (int round = 0; round < ROUNDS; round++) {
        System.out.println("after a stop in order:");
        run(directory, "open", objects, bytes, true);
        System.out.println("after kill -9:");
        run(directory, "open", objects, bytes, false);
      }
    } finally {
      Directories.delete(directory);
    }
  }

  private static int number(String[] arguments, int at) {
    return Integer.parseInt(arguments[at]);
  }

  private static void run(Path directory, String task, int objects, int bytes, boolean isKilled)
      throws IOException, InterruptedException {
    LabProcess.run(
        RestartLab.class,
        List.of(directory.toString(), task, Integer.toString(objects), Integer.toString(bytes)),
        isKilled);
  }

  private static StoreSettings settings(Path directory, int objects, int bytes) {
    // An object takes its body, its head and a directory entry; a tenth is for what is half full.
    long memory = (long) objects * (bytes + HEADER.length + 256) / 10 * 11 + (64 << 20);
    return StoreSettings.of(directory.resolve("data"), memory, 1, System::currentTimeMillis)
        .withMemoryDirectory(directory.resolve("memory"))
        .withSizes(0, objects + objects / 4, 8192);
  }

  private static void child(Path directory, String task, int objects, int bytes)
      throws StoreException, IOException {
    long begin = System.nanoTime();
    try (ObjectStore store = ObjectStore.open(settings(directory, objects, bytes))) {
      if (task.equals("fill")) {
        NumberedObjects.fill(store, objects, bytes, HEADER);
        LabProcess.say("filled in", begin);
      } else {
        LabProcess.say("open in", begin);
        ask(store, objects, begin);
      }
      LabProcess.awaitEnd();
      begin = System.nanoTime();
    }
    LabProcess.say("closed in", begin);
  }

  /** Asks without pause until the index is complete, and then for a tenth of all objects. */
  private static void ask(ObjectStore store, int objects, long begin) {
    SplittableRandom random = new SplittableRandom(7);
    StoreLane lane = store.lane(0);
    boolean isHitSaid = false;
    long asked = 0;
    long hits = 0;
    long said = System.nanoTime();
    while (!store.recovery().isComplete()) {
      asked++;
      hits += isHit(lane, random.nextInt(objects)) ? 1 : 0;
      if (hits > 0 && !isHitSaid) {
        LabProcess.say("first hit after", begin);
        isHitSaid = true;
      }
      if (System.nanoTime() - said > REPORT_NANOS) {
        said = System.nanoTime();
        System.out.printf(
            Locale.ROOT,
            "  %3.0f %% rebuilt, %5.1f %% hits of %d lookups%n",
            store.recovery().fraction() * 100,
            100.0 * hits / asked,
            asked);
        asked = 0;
        hits = 0;
      }
    }
    boolean isWarm = store.recovery().phase() == RecoveryState.Phase.WARM;
    LabProcess.say(isWarm ? "warm after" : "rebuilt after", begin);
    hits = 0;
    for (int n = 0; n < objects / 10; n++) {
      hits += isHit(lane, random.nextInt(objects)) ? 1 : 0;
      if (hits > 0 && !isHitSaid) {
        LabProcess.say("first hit after", begin);
        isHitSaid = true;
      }
    }
    System.out.printf(
        Locale.ROOT, "%.1f %% hits of %d lookups%n", 1000.0 * hits / objects, objects / 10);
  }

  private static boolean isHit(StoreLane lane, int n) {
    if (NumberedObjects.find(lane, n) != StoreLane.Found.HIT) {
      return false;
    }
    lane.unpin(lane.head().region());
    return true;
  }
}
