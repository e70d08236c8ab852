package io.forebay.storage;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.lane.ObjectWriter;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeKind;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Slices of bodies that were stored at the same time go to a disk object by object. */
class SliceDemotionTest {
  private static final int MEMORY = 8 << 20;
  private static final int REGION = 1 << 18;
  private static final int SLICE = REGION / 16;
  private static final int OBJECTS = 60;

  @TempDir Path directory;
  private final long seed = new SplittableRandom().nextLong();
  private final SplittableRandom random = new SplittableRandom(seed);
  private final List<byte[]> bodies = new ArrayList<>();

  private StoreFixture open() throws StoreException {
    System.out.println("SliceDemotionTest seed " + seed + "L");
    DeviceSettings device =
        new DeviceSettings(
            "d", directory.resolve("d"), 64 << 20, 4 << 20, 1 << 20, 8, 1, 3, 9_000, 0);
    StoreFixture fixture =
        new StoreFixture(
            StoreSettings.of(directory.resolve("data"), MEMORY, 1, () -> 0)
                .withMemoryDirectory(directory.resolve("memory"))
                .withSizes(REGION, 20_000, 64)
                .withLockMemory(false)
                .withDisks(DiskSettings.of(List.of(device)).withRecoveryThreads(3)));
    fixture.stepAll();
    return fixture;
  }

  /** Stores all objects, some at a time, a piece of each in turn. */
  private void store(StoreFixture fixture) {
    List<ObjectWriter> writers = new ArrayList<>();
    List<ByteBuffer> rests = new ArrayList<>();
    while (bodies.size() < OBJECTS || !writers.isEmpty()) {
      if (bodies.size() < OBJECTS && writers.size() < 4) {
        byte[] body = StoreFixture.body(random.nextLong(), 6 * SLICE + random.nextInt(12 * SLICE));
        String name = "/" + bodies.size();
        writers.add(
            requireNonNull(
                fixture
                    .store
                    .lane(0)
                    .begin(StoreFixture.spec(name, fixture.store.nextBirth(), body.length, name))));
        rests.add(ByteBuffer.wrap(body));
        bodies.add(body);
      }
      int at = random.nextInt(writers.size());
      ByteBuffer rest = rests.get(at);
      ByteBuffer piece = rest.slice(rest.position(), Math.min(5_000, rest.remaining()));
      rest.position(rest.position() + piece.remaining());
      assertTrue(writers.get(at).append(piece), "seed " + seed + "L");
      if (!rest.hasRemaining()) {
        rests.remove(at);
        assertEquals(InstallOutcome.INSTALLED, writers.remove(at).finish(), "seed " + seed + "L");
      }
      fixture.steps(20);
    }
  }

  private static DiskStats disk(StoreFixture fixture) {
    return fixture.store.diskStats().getFirst();
  }

  private void requireAll(StoreFixture fixture) {
    for (int n = 0; n < OBJECTS; n++) {
      assertArrayEquals(
          bodies.get(n), fixture.read(fixture.store.lane(0), "/" + n), "seed " + seed + "L, " + n);
      fixture.steps(20);
    }
  }

  /** Everything leaves memory: what the disk has is all that there is. */
  private static void restart(StoreFixture fixture, boolean isClean) throws Exception {
    if (isClean) {
      fixture.store.close();
    } else {
      fixture.steps(10_000);
      fixture.store.abandon();
    }
    fixture.loseMemory();
    fixture.store = ObjectStore.open(fixture.settings);
    fixture.stepAll();
  }

  @Test
  void anObjectTakesFewEntriesAndItsSlicesAreFoundAfterEveryStop() throws Exception {
    try (StoreFixture fixture = open()) {
      store(fixture);
      requireAll(fixture);
      restart(fixture, true);
      long slices = bodies.stream().mapToLong(body -> (body.length + SLICE - 1L) / SLICE).sum();
      long entries = disk(fixture).indexEntries();
      System.out.println(OBJECTS + " objects, " + slices + " slices, " + entries + " entries");
      assertTrue(entries <= OBJECTS + slices / 3, entries + " entries, seed " + seed + "L");
      requireAll(fixture);
      restart(fixture, false);
      requireAll(fixture);
      assertEquals(0, disk(fixture).errors() + disk(fixture).checksumFailures());
    }
  }

  @Test
  void aPurgedObjectDoesNotComeBackByItsRuns() throws Exception {
    try (StoreFixture fixture = open()) {
      store(fixture);
      restart(fixture, true);
      for (int n = 0; n < OBJECTS; n += 2) {
        fixture.store.purge(
            new Purge(PurgeKind.URL, new long[] {StoreFixture.scope("/" + n)}, false, ""));
      }
      for (boolean isClean : new boolean[] {false, true}) {
        for (int n = 0; n < OBJECTS; n++) {
          byte[] found = fixture.read(fixture.store.lane(0), "/" + n);
          if (n % 2 == 0) {
            assertNull(found, "/" + n);
          } else {
            assertNotNull(found, "/" + n);
          }
        }
        restart(fixture, isClean);
      }
      StoreLane lane = fixture.store.lane(0);
      assertEquals(StoreLane.Found.MISS, StoreFixture.find(lane, "/0"));
    }
  }
}
