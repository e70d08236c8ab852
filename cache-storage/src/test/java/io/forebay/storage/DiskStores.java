package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.disk.DiskWaiter;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.purge.Purge;
import io.forebay.storage.purge.PurgeFailedException;
import io.forebay.storage.purge.PurgeKind;
import io.forebay.storage.transit.TransitBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;

/** Small stores with simulated disks, and numbered objects that leave memory as others come. */
abstract class DiskStores {
  static final int MEMORY = 4 << 20;
  static final int REGION = 1 << 18;
  static final int DISK = 32 << 20;

  @TempDir Path directory;
  final AtomicLong clock = new AtomicLong(1_000_000);
  SimulatedDisk simulated = new SimulatedDisk(clock, new SplittableRandom(1));

  /** Where the files of the next store lie. */
  Path place() {
    return directory;
  }

  /** A disk of regions of 1 MiB that is fenced after three errors, or after 10 s. */
  DeviceSettings device(String name, String path, long bytes) {
    return new DeviceSettings(
        name, place().resolve(path), bytes, 1 << 20, 1 << 18, 4, 1, 3, 10_000, 0);
  }

  DeviceSettings device(String name) {
    return device(name, name, DISK);
  }

  StoreFixture open(DiskSettings disks) throws StoreException {
    StoreFixture fixture =
        new StoreFixture(
            StoreSettings.of(place().resolve("data"), MEMORY, 1, () -> 0)
                .withMemoryDirectory(place().resolve("memory"))
                .withSizes(REGION, 20_000, 64)
                .withLockMemory(false)
                .withPurges(64, 1000, 1 << 16)
                .withDisks(disks),
            clock);
    fixture.stepAll();
    return fixture;
  }

  static String name(int n) {
    return "/object/" + n;
  }

  /** Some whole in their head, some with several slices of 16 KiB. */
  static byte[] body(int n) {
    return StoreFixture.body(n, 1000 + n * 137 % 60_000);
  }

  /** Puts objects and has them leave memory as others come. */
  static void fill(StoreFixture fixture, int from, int to) {
    for (int n = from; n < to; n++) {
      InstallOutcome result =
          fixture.put(fixture.store.lane(0), name(n), body(n), true, "tag" + n % 5);
      assertEquals(InstallOutcome.INSTALLED, result);
      fixture.steps(20);
    }
    settle(fixture);
  }

  static void settle(StoreFixture fixture) {
    fixture.clock.addAndGet(6_000);
    fixture.stepAll();
  }

  /** Requests objects: each is right, and so many are there. */
  static int hits(StoreFixture fixture, int from, int to) {
    int hits = 0;
    for (int n = from; n < to; n++) {
      byte[] body = fixture.read(fixture.store.lane(0), name(n));
      if (body != null) {
        assertArrayEquals(body(n), body, name(n));
        hits++;
      }
      fixture.steps(20);
    }
    return hits;
  }

  static void purge(StoreFixture fixture, String name, boolean isSoft) {
    try {
      Purge purge = new Purge(PurgeKind.URL, new long[] {StoreFixture.scope(name)}, isSoft, name);
      assertTrue(fixture.store.purge(purge).sequence() > 0);
    } catch (PurgeFailedException e) {
      throw new AssertionError(e);
    }
  }

  static DiskStats disk(StoreFixture fixture) {
    return fixture.store.diskStats().getFirst();
  }

  /** Takes what is read outside of memory, and remembers what it was told. */
  static final class Reader implements DiskWaiter {
    final List<@Nullable TransitBuffer> told = new ArrayList<>();
    Runnable onTold = () -> {};

    @Override
    public boolean needsMemory() {
      return false;
    }

    @Override
    public void onRead(@Nullable TransitBuffer read) {
      told.add(read);
      onTold.run();
    }

    TransitBuffer bytes() {
      assertEquals(1, told.size());
      return Objects.requireNonNull(told.getFirst());
    }
  }
}
