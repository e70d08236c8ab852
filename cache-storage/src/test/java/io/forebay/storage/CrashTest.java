package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.lane.StoreLane;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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

/**
 * A child is killed with -9 under load, sometimes before it has rebuilt its index; what it left is
 * checked byte by byte, and against what its memory held when it ended.
 */
@Tag("full")
class CrashTest {
  static final int NAMES = 3000;
  static final long MEMORY = 24 << 20;

  @TempDir Path directory;

  /** What lies behind the memory tier, which the child is told in one word. */
  enum Behind {
    NOTHING,
    DISK,
    TIER,
    TIER_AND_DISK;

    boolean hasDisk() {
      return this == DISK || this == TIER_AND_DISK;
    }

    boolean hasTier() {
      return this == TIER || this == TIER_AND_DISK;
    }
  }

  @Test
  void killedProcessLeavesOnlyWholeObjectsAndNoPurgedOnes() throws Exception {
    kill(3, Behind.NOTHING);
  }

  @Test
  void withAMiddleTierItLosesNothingElse() throws Exception {
    kill(3, Behind.TIER);
  }

  @Test
  void withAMiddleTierAndADiskItLosesNothingElse() throws Exception {
    kill(3, Behind.TIER_AND_DISK);
  }

  @Test
  void withADiskItLosesNothingElse() throws Exception {
    kill(3, Behind.DISK);
  }

  @Test
  @Tag("campaign")
  void killedProcessLeavesOnlyWholeObjectsAndNoPurgedOnesForLong() throws Exception {
    kill(200, Behind.NOTHING);
  }

  @Test
  @Tag("campaign")
  void withADiskItLosesNothingElseForLong() throws Exception {
    kill(200, Behind.DISK);
  }

  @Test
  @Tag("campaign")
  void withAMiddleTierItLosesNothingElseForLong() throws Exception {
    kill(100, Behind.TIER);
    kill(100, Behind.TIER_AND_DISK);
  }

  static StoreSettings settings(Path directory, Behind behind) {
    StoreSettings settings =
        StoreSettings.of(
                directory.resolve("data"),
                behind.hasTier() ? MEMORY / 4 : MEMORY,
                2,
                System::currentTimeMillis)
            .withMemoryDirectory(directory.resolve("memory"))
            .withSizes(1 << 18, 0, 256)
            .withPurges(500, 50, 1 << 16)
            .withLockMemory(false)
            .withTiers(
                behind.hasTier()
                    ? List.of(
                        new StoreSettings.MiddleTier(directory.resolve("tier"), MEMORY / 4 * 3))
                    : List.of());
    DeviceSettings disk =
        new DeviceSettings(
            "d", directory.resolve("disk"), 64 << 20, 1 << 20, 1 << 18, 8, 2, 5, 60_000, 0);
    // Nothing counts as expired: what is on the disk is asked for.
    settings = StoreFixture.divided(settings);
    return behind.hasDisk()
        ? settings.withDisks(DiskSettings.of(List.of(disk)).withKeepMillis(1L << 50))
        : settings;
  }

  static String tag(String name) {
    return "tag" + Math.floorMod(name.hashCode(), 50);
  }

  static byte[] body(String name, long birth) {
    long seed = StoreFixture.scope(name) ^ birth;
    return StoreFixture.body(seed, Math.floorMod(Long.hashCode(seed), 60_000));
  }

  private void kill(int rounds, Behind behind) throws Exception {
    boolean hasDisk = behind.hasDisk();
    long seed = new SplittableRandom().nextLong();
    System.out.println("CrashTest seed " + seed + "L");
    SplittableRandom random = new SplittableRandom(seed);
    Map<String, Long> purged = new HashMap<>();
    Map<String, Long> newest = new HashMap<>();
    long highest = 0;
    int known = 0;
    int kept = 0;
    double worst = 1;
    for (int round = 0; round < rounds; round++) {
      Process child = start(random.nextLong(), behind);
      Set<String> stored = new HashSet<>();
      List<String> unacknowledged = new ArrayList<>();
      int lines = 0;
      boolean isEarly = round > 0 && random.nextInt(4) == 0;
      int limit = isEarly ? 1 + random.nextInt(1_000) : 1_500 + random.nextInt(5_000);
      try (BufferedReader reader =
          new BufferedReader(
              new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
        String line;
        while ((line = reader.readLine()) != null) {
          String[] words = line.split(" ", -1);
          if (words[0].equals("PURGED")) {
            purged.merge(words[1], Long.parseLong(words[2]), Math::max);
            highest = Math.max(highest, Long.parseLong(words[2]));
            unacknowledged.remove(words[1]);
          } else if (words[0].equals("PURGING")) {
            unacknowledged.add(words[1]);
          } else if (words[0].equals("STORED")) {
            stored.add(words[1]);
            newest.merge(words[1], Long.parseLong(words[2]), Math::max);
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
      Set<String> before = new HashSet<>();
      Map<String, Long> sealed =
          new HashMap<>(SealedHeads.of(directory.resolve("memory/memory.tier"), 1 << 18));
      if (behind.hasTier()) {
        sealed.putAll(SealedHeads.of(directory.resolve("tier/middle.tier"), 1 << 18));
      }
      sealed.forEach((name, birth) -> {
        if (birth > purged.getOrDefault(tag(name), 0L)
            && birth > purged.getOrDefault(name, 0L)
            && !unacknowledged.contains(tag(name))
            && !unacknowledged.contains(name)) {
          before.add(name);
        }
      });
      boolean losesMemory = hasDisk && random.nextInt(3) == 0;
      if (losesMemory) {
        Files.delete(directory.resolve("memory/memory.tier"));
        Files.delete(directory.resolve("memory/index.map"));
        newest.clear();
      }
      Set<String> hits = check(seed, round, purged, newest, highest, behind);
      int there = hits.size();
      hits.retainAll(before);
      String line =
          "  round %d: %d stored%s, %d were sealed in memory, %d of them and %d in all are hits"
              .formatted(
                  round,
                  stored.size(),
                  losesMemory ? " and memory lost" : "",
                  before.size(),
                  hits.size(),
                  there);
      System.out.println(line);
      if (!losesMemory) {
        known += before.size();
        kept += hits.size();
        worst = Math.min(worst, before.isEmpty() ? 1 : (double) hits.size() / before.size());
        // With a disk the looking itself drops some: what it loads from there while the index is
        // still being rebuilt takes the room of the oldest.
        double least = hasDisk ? 0.9 : 0.95;
        assertTrue(hits.size() >= before.size() * least, "seed " + seed + "L," + line);
      }
      assertTrue(isEarly || losesMemory || before.size() > NAMES / 10, line);
    }
    System.out.printf(
        "  %d rounds: %d of %d sealed objects were hits after the kill, at worst %.1f %%%n",
        rounds, kept, known, worst * 100);
    assertTrue(kept >= known * 0.95, "seed " + seed + "L: " + kept + " of " + known);
  }

  /** The names that are hits once the index is complete. */
  private Set<String> check(
      long seed,
      int round,
      Map<String, Long> purged,
      Map<String, Long> newest,
      long highest,
      Behind behind)
      throws Exception {
    Set<String> hits = new HashSet<>();
    try (StoreFixture fixture = new StoreFixture(settings(directory, behind))) {
      assertEquals(RecoveryState.Phase.REBUILDING, fixture.store.recovery().phase());
      for (int pass = 0; pass < 2; pass++) {
        StoreLane lane = fixture.store.lane(pass);
        hits.clear();
        for (int n = 0; n < NAMES; n++) {
          String name = "/" + n;
          byte[] body = fixture.read(lane, name);
          if (body == null) {
            continue;
          }
          hits.add(name);
          long birth = lane.head().bodyBirth();
          String where = "seed " + seed + "L, round " + round + ", " + name + " born " + birth;
          assertArrayEquals(body(name, birth), body, where);
          assertTrue(birth > purged.getOrDefault(tag(name), 0L), where + " was purged by tag");
          assertTrue(birth > purged.getOrDefault(name, 0L), where + " was purged");
          // What was on a disk may come back as it was if it was replaced just before the kill.
          assertTrue(
              behind.hasDisk() || birth >= newest.getOrDefault(name, 0L), where + " was replaced");
        }
        while (!fixture.store.recovery().isComplete()) {
          fixture.steps(1);
        }
      }
      StoreStats stats = fixture.store.stats();
      assertEquals(0, stats.checksumFailures());
      assertTrue(fixture.store.nextBirth() > highest, "numbers are given out twice");
      fixture.store.abandon();
      fixture.store = ObjectStore.open(fixture.settings);
      fixture.stepAll();
    }
    return hits;
  }

  private Process start(long seed, Behind behind) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Objects.requireNonNull(ProcessHandle.current().info().command().orElse("java")));
    for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (argument.startsWith("--")) {
        command.add(argument);
      }
    }
    command.add("-Xmx128m");
    command.add("-D" + StoreFixture.CELLS + "=" + Integer.getInteger(StoreFixture.CELLS, 1));
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(CrashChild.class.getName());
    command.add(directory.toString());
    command.add(Long.toString(seed));
    command.add(behind.name());
    return new ProcessBuilder(command)
        .redirectError(directory.resolve("child.err").toFile())
        .start();
  }
}
