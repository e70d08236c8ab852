package io.forebay.benchmarks.lab;

import io.forebay.benchmarks.micro.Bench;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.RecoveryState;
import io.forebay.storage.StoreException;
import io.forebay.storage.StoreSettings;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.testing.Directories;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Fork;

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
  private static final long YEAR_MILLIS = 365L * 86_400_000;
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

  /** Runs a process and prints what it says, until it ends or says that it may be killed. */
  private static void run(Path directory, String task, int objects, int bytes, boolean isKilled)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(Bench.class.getAnnotation(Fork.class).jvmArgsPrepend()));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(RestartLab.class.getName());
    command.addAll(
        List.of(directory.toString(), task, Integer.toString(objects), Integer.toString(bytes)));
    Process child =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    try (var writer = child.outputWriter(StandardCharsets.UTF_8);
        var reader =
            new BufferedReader(
                new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
      String line;
      while ((line = reader.readLine()) != null) {
        if (line.equals("done")) {
          if (isKilled) {
            child.toHandle().destroyForcibly();
          } else {
            writer.write('\n');
            writer.flush();
          }
        } else {
          System.out.println("  " + line);
        }
      }
    }
    int exit = child.waitFor();
    if (exit != (isKilled ? 137 : 0)) {
      throw new IllegalStateException("the process ended with " + exit);
    }
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
        fill(store, objects, bytes);
        say("filled in", begin);
      } else {
        say("open in", begin);
        ask(store, objects, begin);
      }
      System.out.println("done");
      int ignored = System.in.read();
      begin = System.nanoTime();
    }
    say("closed in", begin);
  }

  private static void say(String what, long begin) {
    System.out.printf(
        Locale.ROOT, "%s %.2f s%n", what, (System.nanoTime() - begin) / 1_000_000_000.0);
  }

  private static void fill(ObjectStore store, int objects, int bytes) {
    ByteBuffer body = ByteBuffer.allocate(bytes);
    for (int n = 0; n < objects; n++) {
      while (store.lane(0).putSmall(spec(store, n, bytes), body.clear())
          != InstallOutcome.INSTALLED) {
        Thread.onSpinWait();
      }
    }
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
        say("first hit after", begin);
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
    say(isWarm ? "warm after" : "rebuilt after", begin);
    hits = 0;
    for (int n = 0; n < objects / 10; n++) {
      hits += isHit(lane, random.nextInt(objects)) ? 1 : 0;
      if (hits > 0 && !isHitSaid) {
        say("first hit after", begin);
        isHitSaid = true;
      }
    }
    System.out.printf(
        Locale.ROOT, "%.1f %% hits of %d lookups%n", 1000.0 * hits / objects, objects / 10);
  }

  private static boolean isHit(StoreLane lane, int n) {
    byte[] key = key(n);
    if (lane.find(mix(n), mix(~n), key, key.length) != StoreLane.Found.HIT) {
      return false;
    }
    lane.unpin(lane.head().region());
    return true;
  }

  private static HeadSpec spec(ObjectStore store, int n, int bytes) {
    byte[] key = key(n);
    long birth;
    while ((birth = store.nextBirth()) < 0) {
      Thread.onSpinWait();
    }
    return new HeadSpec(
        mix(n),
        mix(~n),
        key,
        key.length,
        HEADER,
        new long[] {mix(n), 1, 2},
        birth,
        System.currentTimeMillis() + YEAR_MILLIS,
        HeadSpec.Kind.OBJECT,
        bytes);
  }

  private static byte[] key(int n) {
    return ("http://example.com/objects/" + n).getBytes(StandardCharsets.US_ASCII);
  }

  private static long mix(long n) {
    return new SplittableRandom(n).nextLong();
  }
}
