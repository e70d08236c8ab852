package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A child is killed with -9 under load; what it left is checked byte by byte. */
class CrashTest {
  static final int NAMES = 3000;
  static final long MEMORY = 24 << 20;

  @TempDir Path directory;

  @Test
  void killedProcessLeavesOnlyWholeObjectsAndNoPurgedOnes() throws Exception {
    kill(2);
  }

  @Test
  @Tag("campaign")
  void killedProcessLeavesOnlyWholeObjectsAndNoPurgedOnesForLong() throws Exception {
    kill(200);
  }

  static StoreSettings settings(Path directory) {
    return StoreSettings.of(directory.resolve("data"), MEMORY, 2, System::currentTimeMillis)
        .withMemoryDirectory(directory.resolve("memory"))
        .withSizes(1 << 18, 0, 256)
        .withPurges(500, 50, 1 << 16)
        .withLockMemory(false);
  }

  static String tag(String name) {
    return "tag" + Math.floorMod(name.hashCode(), 50);
  }

  static byte[] body(String name, long birth) {
    long seed = StoreFixture.scope(name) ^ birth;
    return StoreFixture.body(seed, Math.floorMod(Long.hashCode(seed), 60_000));
  }

  private void kill(int rounds) throws Exception {
    long seed = new SplittableRandom().nextLong();
    System.out.println("CrashTest seed " + seed + "L");
    SplittableRandom random = new SplittableRandom(seed);
    Map<String, Long> purged = new HashMap<>();
    long highest = 0;
    for (int round = 0; round < rounds; round++) {
      Process child = start(random.nextLong());
      Set<String> stored = new HashSet<>();
      int lines = 0;
      int limit = 3_000 + random.nextInt(20_000);
      try (BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
        String line;
        while ((line = reader.readLine()) != null) {
          String[] words = line.split(" ", -1);
          if (words[0].equals("PURGED")) {
            purged.merge(words[1], Long.parseLong(words[2]), Math::max);
            highest = Math.max(highest, Long.parseLong(words[2]));
          } else if (words[0].equals("STORED")) {
            stored.add(words[1]);
            highest = Math.max(highest, Long.parseLong(words[2]));
          } else {
            throw new AssertionError("seed " + seed + "L: the child says " + line);
          }
          if (++lines == limit) {
            // Whatever it does now, it does not finish it. Its last lines may still be in the pipe.
            // By its handle, because the other way closes that pipe.
            assertTrue(child.toHandle().destroyForcibly());
          }
        }
      }
      assertEquals(137, child.waitFor(), "the child ended by itself");
      check(seed, round, purged, stored, highest);
    }
  }

  private void check(
      long seed, int round, Map<String, Long> purged, Set<String> stored, long highest)
      throws Exception {
    int hits = 0;
    try (StoreFixture fixture = new StoreFixture(settings(directory))) {
      assertEquals(RecoveryState.Phase.REBUILDING, fixture.store.recovery().phase());
      for (int pass = 0; pass < 2; pass++) {
        StoreLane lane = fixture.store.lane(pass);
        hits = 0;
        for (int n = 0; n < NAMES; n++) {
          String name = "/" + n;
          byte[] body = fixture.read(lane, name);
          if (body == null) {
            continue;
          }
          hits++;
          long birth = lane.head().bodyBirth();
          String where = "seed " + seed + "L, round " + round + ", " + name + " born " + birth;
          assertArrayEquals(body(name, birth), body, where);
          assertTrue(birth > purged.getOrDefault(tag(name), 0L), where + " was purged by tag");
          assertTrue(birth > purged.getOrDefault(name, 0L), where + " was purged");
        }
        fixture.stepAll();
      }
      StoreStats stats = fixture.store.stats();
      assertEquals(0, stats.checksumFailures());
      assertTrue(fixture.store.nextBirth() > highest, "numbers are given out twice");
      System.out.println(
          "  round "
              + round
              + ": "
              + stored.size()
              + " stored, "
              + hits
              + " hits, "
              + purged.size()
              + " purges known");
      assertTrue(hits > stored.size() / 10, "hardly anything survived: " + hits);
      fixture.store.abandon();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
    }
  }

  private Process start(long seed) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Objects.requireNonNull(ProcessHandle.current().info().command().orElse("java")));
    for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (argument.startsWith("--")) {
        command.add(argument);
      }
    }
    command.add("-Xmx128m");
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(CrashChild.class.getName());
    command.add(directory.toString());
    command.add(Long.toString(seed));
    return new ProcessBuilder(command)
        .redirectError(directory.resolve("child.err").toFile())
        .start();
  }
}
