package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.storage.disk.DeviceSettings;
import io.forebay.storage.disk.DiskSettings;
import io.forebay.storage.lane.StoreLane;
import io.forebay.storage.object.HeadSpec;
import io.forebay.storage.object.InstallOutcome;
import io.forebay.storage.purge.PurgeTest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A failed start leaves no files in memory and removes none that existed. */
@Tag("slow")
final class FailedStartTest {
  private static final Path SHARED = Path.of("/dev/shm");

  /** Why a start fails. */
  enum Cause {
    DISK_IS_A_FILE,
    DISK_IS_FOREIGN,
    DISK_HAS_NO_ROOM,
    INDEX_HAS_NO_ROOM
  }

  @TempDir Path directory;
  private Path data;
  private Set<String> before = new TreeSet<>();

  @BeforeEach
  void look() throws IOException {
    assumeTrue(Files.isWritable(SHARED), "needs a writable /dev/shm");
    data = directory.resolve("data");
    before = mine();
  }

  @AfterEach
  void clean() throws IOException {
    Path record = data.resolve("memory.directory");
    if (Files.exists(record)) {
      PurgeTest.deleteAll(Path.of(Files.readString(record).trim()));
    }
  }

  /** Directories whose owner is a data directory of this test; others run at the same time. */
  private Set<String> mine() throws IOException {
    Set<String> found = new TreeSet<>();
    try (Stream<Path> all = Files.list(SHARED)) {
      for (Path one : all.toList()) {
        Path mark = one.resolve("data.directory");
        if (Files.exists(mark)
            && Files.readString(mark).trim().startsWith(directory.toRealPath().toString())) {
          found.add(one.toString());
        }
      }
    }
    return found;
  }

  private StoreSettings failing(Cause cause) throws IOException {
    StoreSettings good =
        StoreSettings.of(data, 16 * StoreFixture.MEBI, 1, System::currentTimeMillis)
            .withLockMemory(false);
    Path disk = directory.resolve("disk");
    long bytes = 8 << 20;
    switch (cause) {
      case DISK_IS_A_FILE -> Files.writeString(disk, "x");
      case DISK_IS_FOREIGN ->
          Files.write(
              Files.createDirectory(disk).resolve("disk.store"),
              "somebody's diary".getBytes(StandardCharsets.UTF_8));
      case DISK_HAS_NO_ROOM -> bytes = 1L << 55;
      case INDEX_HAS_NO_ROOM -> {
        return good.withIndexEntries(1L << 40);
      }
    }
    return good.withDisks(DiskSettings.of(List.of(DeviceSettings.of("d", disk, bytes))));
  }

  @ParameterizedTest
  @EnumSource(Cause.class)
  void nothingIsLeftAtTheDefaultPlace(Cause cause) throws Exception {
    StoreSettings settings = failing(cause);
    assertThrows(StoreException.class, () -> ObjectStore.open(settings).close());
    assertEquals(before, mine());
    assertFalse(Files.exists(data.resolve("memory.directory")));
  }

  @ParameterizedTest
  @EnumSource(Cause.class)
  void nothingIsLeftInANamedDirectory(Cause cause) throws Exception {
    Path memory = Files.createTempDirectory(SHARED, "forebay-test-");
    try {
      StoreSettings made = failing(cause).withMemoryDirectory(memory.resolve("made"));
      assertThrows(StoreException.class, () -> ObjectStore.open(made).close());
      assertFalse(Files.exists(memory.resolve("made")));
      StoreSettings there = made.withMemoryDirectory(memory);
      assertThrows(StoreException.class, () -> ObjectStore.open(there).close());
      assertFalse(Files.exists(memory.resolve("memory.tier")));
      assertFalse(Files.exists(memory.resolve("index.map")));
    } finally {
      PurgeTest.deleteAll(memory);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Cause.class, mode = EnumSource.Mode.EXCLUDE, names = "INDEX_HAS_NO_ROOM")
  void tierThatWasThereStays(Cause cause) throws Exception {
    StoreSettings bad = failing(cause);
    StoreSettings good = bad.withDisks(DiskSettings.NONE);
    try (ObjectStore store = ObjectStore.open(good)) {
      HeadSpec spec = StoreFixture.spec("/kept", store.nextBirth(), 3);
      assertEquals(InstallOutcome.INSTALLED, store.lane(0).putSmall(spec, ByteBuffer.allocate(3)));
    }
    assertThrows(StoreException.class, () -> ObjectStore.open(bad).close());
    try (ObjectStore store = ObjectStore.open(good)) {
      long deadline = System.nanoTime() + 60_000_000_000L;
      while (!store.recovery().isComplete() && System.nanoTime() < deadline) {
        Thread.onSpinWait();
      }
      assertEquals(StoreLane.Found.HIT, StoreFixture.find(store.lane(0), "/kept"));
      store.lane(0).unpin(store.lane(0).head().region());
    }
  }

  @Test
  void nothingIsLeftOfAStoreWhoseNodeCouldNotStart() throws Exception {
    StoreSettings good =
        StoreSettings.of(data, 16 * StoreFixture.MEBI, 1, System::currentTimeMillis)
            .withLockMemory(false);
    ObjectStore unused = ObjectStore.open(good);
    assertEquals(before.size() + 1, mine().size());
    unused.closeUnused();
    assertEquals(before, mine());
    ObjectStore.open(good).close();
    ObjectStore.open(good).closeUnused();
    assertEquals(before.size() + 1, mine().size(), "the tier of an earlier run stays");
    assertTrue(Files.exists(data.resolve("memory.directory")));
  }
}
