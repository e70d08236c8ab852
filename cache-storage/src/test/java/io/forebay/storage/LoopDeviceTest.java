package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.disk.DiskTier;
import io.forebay.storage.disk.WriteLog;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A disk on a block device of the kernel: power cuts at each force, from a log of the writes; a
 * device that dies and is replaced; trims that reach it.
 */
@Tag("full")
class LoopDeviceTest {
  private static final int MEBI = 1 << 20;

  /** Each takes about a tenth of a second. */
  private static final int MAX_CUTS = 150;

  private static final long WAIT_NANOS = 20_000_000_000L;
  private static final List<String> JOURNALS = List.of("purge.journal", "purge.journal.copy");

  @TempDir Path directory;
  private final AtomicLong clock = new AtomicLong(1_000_000);

  private StoreFixture open(Path data, Path disk, long diskBytes, DiskTier.Opener opener)
      throws StoreException {
    DeviceSettings device =
        new DeviceSettings("d", disk, diskBytes, MEBI, 1 << 18, 4, 1, 3, 10_000, 0).withTrim(true);
    StoreFixture fixture =
        new StoreFixture(
            StoreSettings.of(data, 2L * MEBI, 1, () -> 0)
                .withMemoryDirectory(memory(data))
                .withSizes(1 << 17, 20_000, 64)
                .withLockMemory(false)
                .withPurges(64, 1000, 1 << 16)
                .withDisks(DiskSettings.of(List.of(device)).withOpener(opener)),
            clock);
    fixture.stepAll();
    return fixture;
  }

  private static byte[] body(long seed) {
    return StoreFixture.body(seed, (int) Math.floorMod(seed, 30_000L));
  }

  private static DiskStats disk(StoreFixture fixture) {
    return fixture.store.diskStats().getFirst();
  }

  /**
   * What is known at a force: the copies of the journal that there are by then, and of each name
   * every body since its last purge.
   */
  private record Moment(Map<String, byte[]> journals, Map<Integer, List<Long>> bodies) {}

  @Test
  void aPowerCutAfterAForceLeavesNothingThatWasPurgedOrNeverStored() throws Exception {
    powerCuts(MAX_CUTS);
  }

  @Tag("campaign")
  @Test
  void aPowerCutAtEachForceLeavesNothingThatWasPurgedOrNeverStored() throws Exception {
    powerCuts(Integer.MAX_VALUE);
  }

  /**
   * @param most how many forces are tried, evenly spread
   */
  private void powerCuts(int most) throws Exception {
    long seed = new SplittableRandom().nextLong();
    System.out.println("LoopDeviceTest seed " + seed + "L");
    SplittableRandom random = new SplittableRandom(seed);
    Map<Integer, List<Long>> bodies = new HashMap<>();
    List<Moment> moments = new ArrayList<>();
    Path data = directory.resolve("data");
    WriteLog log = new WriteLog(() -> moments.add(moment(data, bodies)));
    try (StoreFixture fixture = open(data, directory.resolve("disk"), 8 * MEBI, log)) {
      StoreLane lane = fixture.store.lane(0);
      for (int n = 0; n < 6_000; n++) {
        int name = random.nextInt(150);
        int dice = random.nextInt(100);
        if (dice < 60) {
          long body = random.nextLong();
          // Known before it is written: the log may be forced in the middle.
          bodies.computeIfAbsent(name, key -> new ArrayList<>()).add(body);
          InstallOutcome ignored =
              fixture.put(lane, "/" + name, body(body), true, "tag" + name % 7);
        } else if (dice < 64) {
          int tag = random.nextInt(7);
          fixture.store.purge(
              new Purge(PurgeKind.TAG, new long[] {StoreFixture.scope("tag" + tag)}, false, ""));
          bodies.keySet().removeIf(known -> known % 7 == tag);
        } else {
          clock.addAndGet(random.nextInt(2_000));
          fixture.steps(random.nextInt(60));
        }
      }
      assertTrue(disk(fixture).reclaimedRegions() > 3, disk(fixture).toString());
      assertTrue(disk(fixture).trimmedBytes() > 8 * MEBI, disk(fixture).toString());
    }
    assertTrue(log.forces() > 50, log.forces() + " forces");
    int hits = 0;
    int cuts = 0;
    try (LoopDevice loop = LoopDevice.make(directory.resolve("loop"), 40L * MEBI, "nodev")) {
      int step = Math.max(1, log.forces() / most);
      for (int force = random.nextInt(step); force < log.forces(); force += step) {
        cuts++;
        Path disk = Files.createDirectory(loop.path().resolve("disk"));
        log.replay(force, disk.resolve("disk.store"), random);
        // What the power cut leaves is read from the device.
        loop.unmount();
        loop.mount("nodev");
        Path there = Files.createDirectory(directory.resolve("cut" + force));
        Moment moment = moments.get(force);
        for (Map.Entry<String, byte[]> journal : moment.journals().entrySet()) {
          Files.write(there.resolve(journal.getKey()), journal.getValue());
        }
        Moment next = moments.get(Math.min(force + 1, moments.size() - 1));
        try (StoreFixture fixture = open(there, disk, 8 * MEBI, DiskTier.Opener.files())) {
          for (int name = 0; name < 150; name++) {
            byte[] found = fixture.read(fixture.store.lane(0), "/" + name);
            boolean isRight =
                found == null
                    || isOneOf(found, moment.bodies().get(name))
                    || isOneOf(found, next.bodies().get(name));
            assertTrue(isRight, "seed " + seed + "L, force " + force + ", /" + name);
            hits += found == null ? 0 : 1;
          }
        }
        delete(disk);
        delete(there);
        delete(memory(there));
      }
    }
    System.out.println("  " + cuts + " of " + log.forces() + " forces, " + hits + " hits");
    assertTrue(hits > 10 * cuts, hits + " hits after " + cuts + " cuts");
  }

  private static Path memory(Path data) {
    return data.resolveSibling(data.getFileName() + "-memory");
  }

  /** A directory of files. */
  private static void delete(Path directory) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  private static Moment moment(Path data, Map<Integer, List<Long>> bodies) {
    try {
      // The first forces come while the store is made, before its journal.
      Map<String, byte[]> journals = new HashMap<>();
      for (String name : JOURNALS) {
        if (Files.exists(data.resolve(name))) {
          journals.put(name, Files.readAllBytes(data.resolve(name)));
        }
      }
      Map<Integer, List<Long>> copy = new HashMap<>();
      bodies.forEach((name, list) -> copy.put(name, List.copyOf(list)));
      return new Moment(journals, copy);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isOneOf(byte[] found, @Nullable List<Long> seeds) {
    return seeds != null && seeds.stream().anyMatch(seed -> Arrays.equals(found, body(seed)));
  }

  private static void fill(StoreFixture fixture, int from, int to) {
    for (int n = from; n < to; n++) {
      assertEquals(
          InstallOutcome.INSTALLED,
          fixture.put(fixture.store.lane(0), "/" + n, StoreFixture.body(n, 20_000), true));
      fixture.steps(20);
    }
    fixture.clock.addAndGet(6_000);
    fixture.stepAll();
  }

  private static int hits(StoreFixture fixture, int from, int to) {
    int hits = 0;
    for (int n = from; n < to; n++) {
      byte[] found = fixture.read(fixture.store.lane(0), "/" + n);
      if (found != null) {
        assertTrue(Arrays.equals(found, StoreFixture.body(n, 20_000)), "/" + n);
        hits++;
      }
      fixture.steps(20);
    }
    return hits;
  }

  @Test
  void trimsReachTheDevice() throws Exception {
    try (LoopDevice loop = LoopDevice.make(directory.resolve("loop"), 160L * MEBI, "discard");
        StoreFixture fixture =
            open(
                directory.resolve("data"),
                loop.path().resolve("d"),
                32 * MEBI,
                DiskTier.Opener.files())) {
      fill(fixture, 0, 1_000);
      long full = loop.allocatedBytes();
      assertTrue(full > 15 * MEBI, full + " bytes");
      fixture.store.reinitialise("d");
      // The file system tells the device when its journal is committed, and not at once.
      long empty = loop.allocatedBytes();
      long end = System.nanoTime() + WAIT_NANOS;
      while (empty >= full - 10 * MEBI && System.nanoTime() < end) {
        LockSupport.parkNanos(100_000_000);
        empty = loop.allocatedBytes();
      }
      assertTrue(empty < full - 10 * MEBI, empty + " bytes of " + full);
      fill(fixture, 1_000, 1_200);
      assertTrue(hits(fixture, 1_000, 1_200) > 190);
      fixture.store.evacuate("d");
      fixture.stepAll();
      assertEquals("evacuated", disk(fixture).state());
      // Nothing of it is open: it can be pulled.
      loop.unmount();
      loop.mount("discard");
    }
  }

  @Test
  void aDeviceThatDiesIsFencedAndAnotherOneTakesItsPlace() throws Exception {
    Path place = directory.resolve("place");
    try (LoopDevice dying = LoopDevice.make(directory.resolve("dying"), 64L * MEBI, "nodev");
        LoopDevice fresh = LoopDevice.make(directory.resolve("fresh"), 64L * MEBI, "nodev")) {
      Files.createSymbolicLink(place, dying.path());
      try (StoreFixture fixture =
          open(
              directory.resolve("data"), place.resolve("d"), 32 * MEBI, DiskTier.Opener.direct())) {
        fill(fixture, 0, 600);
        assertTrue(hits(fixture, 0, 600) > 590);
        dying.die();
        for (int n = 0; n < 600 && !disk(fixture).state().equals("fenced"); n += 20) {
          int ignored = hits(fixture, n, n + 20);
        }
        assertEquals("fenced", disk(fixture).state());
        fill(fixture, 600, 700);
        Files.delete(place);
        Files.createSymbolicLink(place, fresh.path());
        fixture.store.replace(fixture.settings.disks().devices().getFirst());
        assertEquals("online", disk(fixture).state());
        fill(fixture, 700, 1_200);
        assertTrue(disk(fixture).writtenBytes() > 2 * MEBI);
        assertTrue(hits(fixture, 700, 1_200) > 490);
        assertTrue(disk(fixture).errors() >= 3);
      }
    }
  }
}
