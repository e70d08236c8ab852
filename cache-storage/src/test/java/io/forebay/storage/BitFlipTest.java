package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.layout.RegionHeader;
import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeFailedException;
import io.forebay.storage.purge.PurgeKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Flips random bits in one file of a store at rest, opens the store and looks everything up. Each
 * result is a miss or the exact bytes, nothing purged is alive, nothing hangs or throws, and the
 * store continues to store. {@code -Dforebay.flips.seed=} repeats a run, {@code
 * -Dforebay.flips.file=} names the one file whose bits are flipped.
 */
@Tag("full")
class BitFlipTest {
  static final int DEVICE_REGION = 1 << 20;
  private static final int REGION = 1 << 18;
  private static final int OBJECTS = 420;
  private static final int NEW_OBJECTS = 40;

  /** Purged by URL, tag or prefix. */
  private static final int PURGED_EVERY = 5;

  private static final int SOFT_EVERY = 7;

  /** So many objects later some are replaced. */
  private static final int REPLACED_AFTER = 150;

  /** Far longer than a round takes on a busy machine, so that it is a hang that ends here. */
  private static final long DEADLINE_SECONDS = 120;

  @TempDir Path directory;

  enum Stop {
    CLEAN,
    KILLED
  }

  /** Files of a store, under its directory. */
  enum Target {
    MEMORY("memory/memory.tier"),
    INDEX("memory/index.map"),
    JOURNAL("data/purge.journal"),
    DISK("disk/disk.store");

    final String path;

    Target(String path) {
      this.path = path;
    }
  }

  /** What a key must be answered with. */
  enum Fate {
    ALIVE,
    SOFT,
    PURGED
  }

  @SuppressWarnings("ArrayRecordComponent")
  record Truth(byte[] body, Fate fate) {}

  /** What a round found wrong. */
  static final class Findings {
    int hits;
    int answers;
    int wrong;
    int revived;
    int threw;
    int hung;
    int refused;
    String first = "";

    void note(String what) {
      if (first.isEmpty()) {
        first = what;
      }
    }

    void add(Findings other) {
      hits += other.hits;
      answers += other.answers;
      wrong += other.wrong;
      revived += other.revived;
      threw += other.threw;
      hung += other.hung;
      refused += other.refused;
      note(other.first);
    }

    boolean isGood() {
      return wrong + revived + threw + hung + refused == 0;
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%d answers, %d hits, %d wrong, %d revived, %d threw, %d hung, %d not stored%s",
          answers,
          hits,
          wrong,
          revived,
          threw,
          hung,
          refused,
          first.isEmpty() ? "" : "; first: " + first);
    }
  }

  static StoreSettings settings(Path at) {
    DeviceSettings device =
        new DeviceSettings(
            "d", at.resolve("disk"), 16 << 20, DEVICE_REGION, 1 << 18, 4, 1, 3, 10_000, 0);
    return StoreSettings.of(at.resolve("data"), 4 << 20, 1, () -> 0)
        .withMemoryDirectory(at.resolve("memory"))
        .withSizes(REGION, 4096, 256)
        .withLockMemory(false)
        .withPurges(64, 1000, 1 << 16)
        .withDisks(DiskSettings.of(java.util.List.of(device)));
  }

  private static byte[] body(long seed, int n) {
    int length =
        switch (n % 6) {
          case 0 -> n % 60;
          case 1, 2 -> 1_000 + n;
          case 3 -> 6_000 + n;
          case 4 -> 15_000 + n;
          default -> 40_000 + n;
        };
    return StoreFixture.body(seed ^ (n * 7919L), length);
  }

  /** Fills a store, purges, replaces and refills, and stops it. */
  static Map<String, Truth> make(Path at, Stop stop, long seed) throws Exception {
    Map<String, Truth> truth = new TreeMap<>();
    StoreFixture fixture = new StoreFixture(settings(at));
    StoreLane lane = fixture.store.lane(0);
    for (int n = 0; n < OBJECTS; n++) {
      String name = "/" + n;
      boolean isPurged = n % PURGED_EVERY == 0;
      boolean isSoft = !isPurged && n % SOFT_EVERY == 0;
      // Half of the purges are swept and forgotten before the stop, half stand in the journal.
      String half = n < OBJECTS / 2 ? "early" : "late";
      String tag = isPurged ? "dead-" + half : isSoft ? "soft-" + half : "kept";
      put(fixture, name, body(~seed, n), n, tag);
      if (n % 4 == 0) {
        put(fixture, name, body(seed, n), n, tag);
        truth.put(name, truth(seed, n, isPurged, isSoft));
      } else {
        truth.put(name, truth(~seed, n, isPurged, isSoft));
      }
      int old = n - REPLACED_AFTER;
      if (n % 3 == 1 && old >= 0 && old % PURGED_EVERY != 0 && old % SOFT_EVERY != 0) {
        // It has left memory for the disk.
        put(fixture, "/" + old, body(seed ^ 1, old), old, "kept");
        truth.put("/" + old, truth(seed ^ 1, old, false, false));
      }
      if (n % 3 == 0) {
        byte[] ignored = fixture.read(lane, "/" + n / 2);
      }
      if (n == OBJECTS / 2) {
        purge(fixture, "early");
        for (int round = 0; round < 20; round++) {
          fixture.clock.addAndGet(1_000);
          fixture.stepAll();
        }
        assertEquals(0, fixture.store.stats().purgeScopes(), "purges are forgotten");
      }
    }
    for (int round = 0; round < 20; round++) {
      fixture.clock.addAndGet(1_000);
      fixture.stepAll();
    }
    purge(fixture, "late");
    fixture.steps(3);
    if (stop == Stop.CLEAN) {
      fixture.store.close();
    } else {
      fixture.store.abandon();
    }
    return truth;
  }

  private static Truth truth(long seed, int n, boolean isPurged, boolean isSoft) {
    return new Truth(body(seed, n), isPurged ? Fate.PURGED : isSoft ? Fate.SOFT : Fate.ALIVE);
  }

  private static void purge(StoreFixture fixture, String half) throws PurgeFailedException {
    fixture.store.purge(tag("dead-" + half, false));
    fixture.store.purge(tag("soft-" + half, true));
  }

  private static Purge tag(String tag, boolean soft) {
    return new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope(tag)}, soft, tag);
  }

  private static void put(StoreFixture fixture, String name, byte[] body, int n, String tag) {
    InstallOutcome result = InstallOutcome.BUSY;
    for (int attempt = 0; attempt < 200 && result != InstallOutcome.INSTALLED; attempt++) {
      result = fixture.put(fixture.store.lane(0), name, body, n % 2 == 0, tag);
      fixture.clock.addAndGet(10);
      fixture.steps(20);
    }
    assertEquals(InstallOutcome.INSTALLED, result, name);
  }

  private static void flip(Path at, Target target, SplittableRandom random, int flips)
      throws IOException {
    Path file = at.resolve(target.path);
    byte[] bytes = Files.readAllBytes(file);
    for (int n = 0; n < flips; n++) {
      int place = random.nextInt(bytes.length);
      if (target == Target.MEMORY && random.nextBoolean()) {
        place = structural(bytes.length, random);
      }
      bytes[place] ^= (byte) (1 << random.nextInt(8));
    }
    Files.write(file, bytes);
  }

  /** In a directory or a header of the memory tier, which are a small part of it. */
  private static int structural(int length, SplittableRandom random) {
    int header = TierHeader.LENGTH;
    int region = random.nextInt((length - header) / REGION);
    return switch (random.nextInt(16)) {
      case 0 -> random.nextInt(256);
      case 1, 2 -> header + region * REGION + random.nextInt(RegionHeader.LENGTH);
      default -> header + (region + 1) * REGION - 1 - random.nextInt(40 * DirectoryEntry.LENGTH);
    };
  }

  /** A copy of a store, damaged, opened and asked, on a thread that may hang. */
  private Findings round(
      Path template,
      Map<String, Truth> truth,
      Target target,
      SplittableRandom random,
      int flips,
      int number)
      throws Exception {
    Path at = directory.resolve("round-" + target + "-" + number);
    copy(template, at);
    flip(at, target, random, flips);
    Findings findings = new Findings();
    FutureTask<Boolean> task =
        new FutureTask<>(() -> {
          ask(at, truth, findings, number % 2 == 1);
          return true;
        });
    Thread thread = Thread.ofPlatform().daemon(true).name("flips").start(task);
    try {
      Boolean ignored = task.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      findings.hung++;
      findings.note("hangs at " + Arrays.toString(Arrays.copyOf(thread.getStackTrace(), 12)));
      return findings;
    } catch (ExecutionException e) {
      findings.threw++;
      Throwable cause = e.getCause();
      findings.note(cause + (cause == null ? "" : at(cause)));
    }
    delete(at);
    return findings;
  }

  private static String at(Throwable e) {
    return " at " + Arrays.toString(Arrays.copyOf(e.getStackTrace(), 6));
  }

  /**
   * @param isLate whether nothing is asked before all purges are swept and forgotten: what is asked
   *     for while they are in force leaves the index by that
   */
  private static void ask(Path at, Map<String, Truth> truth, Findings findings, boolean isLate)
      throws Exception {
    StoreFixture fixture = new StoreFixture(settings(at));
    try {
      if (!isLate) {
        // While the index may still be made anew.
        askAll(fixture, truth, findings);
      }
      stepAll(fixture, findings);
      askAll(fixture, truth, findings);
      store(fixture, findings);
      stepAll(fixture, findings);
      askAll(fixture, truth, findings);
      assertEquals(0, fixture.store.stats().pins(), "pins left behind");
    } finally {
      fixture.store.close();
    }
    // What was damaged was given no fresh life.
    fixture.store = ObjectStore.open(fixture.settings);
    try {
      stepAll(fixture, findings);
      askAll(fixture, truth, findings);
    } finally {
      fixture.store.close();
    }
  }

  static void stepAll(StoreFixture fixture, Findings findings) {
    for (int round = 0; round < 4; round++) {
      fixture.clock.addAndGet(1_000);
      boolean isBusy = true;
      for (int n = 0; n < 20_000 && isBusy; n++) {
        try {
          isBusy = fixture.store.step();
        } catch (RuntimeException e) {
          findings.threw++;
          findings.note("a step: " + e + at(e));
        }
      }
    }
  }

  static void askAll(StoreFixture fixture, Map<String, Truth> truth, Findings findings) {
    StoreLane lane = fixture.store.lane(0);
    for (Map.Entry<String, Truth> one : truth.entrySet()) {
      findings.answers++;
      try {
        byte[] body = fixture.read(lane, one.getKey());
        if (body != null) {
          findings.hits++;
          judge(one.getKey(), one.getValue(), body, lane.head().softPurged(), findings);
        }
      } catch (AssertionError e) {
        findings.wrong++;
        findings.note(one.getKey() + ": " + e.getMessage());
      } catch (RuntimeException e) {
        findings.threw++;
        findings.note(one.getKey() + ": " + e + at(e));
      }
    }
  }

  private static void judge(
      String name, Truth truth, byte[] body, boolean isSoft, Findings findings) {
    if (truth.fate() == Fate.PURGED) {
      findings.revived++;
      findings.note(name + " was purged and is alive");
    } else if (truth.fate() == Fate.SOFT && !isSoft) {
      findings.revived++;
      findings.note(name + " was purged softly and is fresh");
    } else if (!Arrays.equals(truth.body(), body)) {
      findings.wrong++;
      findings.note(name + ": other bytes, " + body.length + " of them");
    }
  }

  /** New objects are stored and served. */
  private static void store(StoreFixture fixture, Findings findings) {
    for (int n = 0; n < NEW_OBJECTS; n++) {
      byte[] body = body(n, n);
      InstallOutcome result = InstallOutcome.BUSY;
      for (int attempt = 0; attempt < 50 && result != InstallOutcome.INSTALLED; attempt++) {
        fixture.clock.addAndGet(10);
        fixture.steps(50);
        try {
          result = fixture.put(fixture.store.lane(0), "/new-" + n, body, n % 2 == 0, "new");
        } catch (RuntimeException e) {
          findings.threw++;
          findings.note("storing: " + e + at(e));
          return;
        }
      }
      byte[] read = fixture.read(fixture.store.lane(0), "/new-" + n);
      if (result != InstallOutcome.INSTALLED || !Arrays.equals(body, read)) {
        findings.refused++;
        findings.note("/new-" + n + " was not stored: " + result);
      }
    }
  }

  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path one : (Iterable<Path>) all::iterator) {
        Path target = to.resolve(from.relativize(one).toString());
        if (Files.isDirectory(one)) {
          Files.createDirectories(target);
        } else {
          Files.copy(one, target);
        }
      }
    }
  }

  static void delete(Path at) throws IOException {
    try (Stream<Path> all = Files.walk(at)) {
      for (Path one : all.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(one);
      }
    }
  }

  private static long seed() {
    return Long.getLong("forebay.flips.seed", System.nanoTime());
  }

  private void run(Target target, Stop stop, int total, int mostAtOnce) throws Exception {
    long seed = seed();
    System.out.println("bit flips, " + target + " after " + stop + ": seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    Path template = directory.resolve("template");
    Map<String, Truth> truth = make(template, stop, seed);
    Findings sum = new Findings();
    int rounds = 0;
    for (int done = 0; done < total; rounds++) {
      int flips = Math.min(total - done, 1 + random.nextInt(mostAtOnce));
      Findings one = round(template, truth, target, random, flips, rounds);
      sum.add(one);
      done += flips;
      if (sum.hung > 2) {
        break;
      }
      if (total > 1_000 && rounds % 50 == 0) {
        System.out.println(target + " after " + stop + ", " + done + " flips so far: " + sum);
      }
    }
    String line =
        target + " after " + stop + ", " + total + " flips in " + rounds + " rounds: " + sum;
    System.out.println(line);
    assertTrue(sum.isGood(), () -> line + " (seed " + seed + ")");
    if (rounds > 1) {
      assertNotEquals(0, sum.hits, "nothing is served at all");
    }
  }

  static Stream<Arguments> all() {
    String only = System.getProperty("forebay.flips.file", "");
    return of(only.isEmpty() ? Target.values() : new Target[] {Target.valueOf(only)});
  }

  private static Stream<Arguments> of(Target... targets) {
    return Arrays.stream(targets)
        .flatMap(target -> Arrays.stream(Stop.values()).map(stop -> Arguments.of(target, stop)));
  }

  /** With each build. */
  @ParameterizedTest
  @MethodSource("all")
  void flippedBitsAreMisses(Target target, Stop stop) throws Exception {
    run(target, stop, 300, target == Target.JOURNAL ? 8 : 100);
  }

  /** Ten thousand flips of each file, after each kind of stop. */
  @Tag("campaign")
  @ParameterizedTest
  @MethodSource("all")
  void tenThousandFlippedBitsAreMisses(Target target, Stop stop) throws Exception {
    run(
        target,
        stop,
        Integer.getInteger("forebay.flips", 10_000),
        target == Target.JOURNAL ? 8 : 300);
  }
}
