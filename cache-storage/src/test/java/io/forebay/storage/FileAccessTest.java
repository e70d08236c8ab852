package io.forebay.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether other users of the machine can read, replace or block the files of a store. */
final class FileAccessTest {
  private static final Path SHARED = Path.of("/dev/shm");
  private static final int STRANGER = 65_534;

  @TempDir Path directory;
  private Path data;
  private Path disk;

  @BeforeEach
  void prepare() throws IOException {
    assumeTrue(Files.isWritable(SHARED), "needs a writable /dev/shm");
    data = directory.resolve("data");
    disk = Files.createDirectory(directory.resolve("disk"));
  }

  @AfterEach
  void removeWhatWasMade() throws IOException {
    for (Path made : List.of(memoryPlace(), predictable())) {
      if (Files.isSymbolicLink(made)) {
        Files.delete(made);
      } else if (Files.exists(made)) {
        PurgeTest.deleteAll(made);
      }
    }
  }

  @Test
  void everythingIsForItsOwnerOnly() throws Exception {
    try (ObjectStore store = ObjectStore.open(settings())) {
      assertTrue(store.outlivesProcess());
      Path memory = place(store);
      assertNotEquals(predictable(), memory);
      assertEquals("rwx------", mode(memory));
      assertEquals("rwx------", mode(data));
      for (Path at : List.of(memory, data, disk)) {
        for (Path file : files(at)) {
          assertEquals("rw-------", mode(file), file.toString());
        }
      }
      assumeTrue(isRoot(), "only root can become somebody else");
      for (String file : List.of("memory.tier", "index.map", "owner.lock")) {
        assertNotEquals(0, asStranger("cat", memory.resolve(file).toString()), file);
      }
      assertNotEquals(0, asStranger("ls", memory.toString()));
    }
  }

  @Test
  void theSameDirectoryIsUsedAgain() throws Exception {
    Path first;
    try (ObjectStore store = ObjectStore.open(settings())) {
      first = place(store);
      put(store);
    }
    try (ObjectStore store = ObjectStore.open(settings())) {
      assertEquals(first, place(store));
      assertEquals(StoreLane.Found.HIT, look(store));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"purge.journal", "owner.lock", "memory.directory"})
  void linkInTheDataDirectoryIsRefused(String name) throws Exception {
    Files.createDirectories(data);
    refusesLink(data.resolve(name), settings());
  }

  @ParameterizedTest
  @ValueSource(strings = {"disk.store", "owner.lock"})
  void linkInTheDirectoryOfADiskIsRefused(String name) throws Exception {
    refusesLink(disk.resolve(name), settings());
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory.tier", "index.map", "owner.lock"})
  void linkInANamedMemoryDirectoryIsRefused(String name) throws Exception {
    Path memory = Files.createDirectory(directory.resolve("memory"));
    refusesLink(memory.resolve(name), settings().withMemoryDirectory(memory));
  }

  @Test
  void nextFileIsNeverWrittenThroughALink() throws Exception {
    Path victim = Files.writeString(directory.resolve("victim"), "precious");
    Files.createDirectories(data);
    Path memory = Files.createDirectory(directory.resolve("memory"));
    Files.createSymbolicLink(data.resolve("purge.journal.new"), victim);
    Files.createSymbolicLink(memory.resolve("memory.tier.new"), victim);
    ObjectStore.open(settings().withMemoryDirectory(memory)).close();
    assertEquals("precious", Files.readString(victim));
  }

  @Test
  void ownFilesOfOlderModesAreTightened() throws Exception {
    Path memory;
    try (ObjectStore store = ObjectStore.open(settings())) {
      memory = place(store);
      put(store);
    }
    widen(memory);
    widen(data);
    widen(disk);
    try (ObjectStore store = ObjectStore.open(settings())) {
      assertEquals(StoreLane.Found.HIT, look(store));
      assertEquals("rwx------", mode(place(store)));
      for (Path at : List.of(place(store), data, disk)) {
        for (Path file : files(at)) {
          assertEquals("rw-------", mode(file), file.toString());
        }
      }
    }
  }

  @Test
  void directoryOfAnEarlierVersionIsTakenOver() throws Exception {
    Path place;
    try (ObjectStore store = ObjectStore.open(settings())) {
      put(store);
      place = place(store);
    }
    // The stop reads the index where it lies.
    if (!place.equals(predictable())) {
      Files.move(place, predictable());
    }
    Files.deleteIfExists(data.resolve("memory.directory"));
    Files.deleteIfExists(predictable().resolve("data.directory"));
    widen(predictable());
    try (ObjectStore store = ObjectStore.open(settings())) {
      assertEquals(StoreLane.Found.HIT, look(store));
      assertNotEquals(predictable(), place(store));
      assertFalse(Files.exists(predictable()));
      assertEquals("rwx------", mode(place(store)));
    }
  }

  @Test
  void directoryOfSomebodyElseIsLeftAlone() throws Exception {
    assumeTrue(isRoot(), "only root can give a directory away");
    Files.createDirectories(data);
    Path theirs = Files.createDirectory(predictable());
    Files.writeString(theirs.resolve("owner.lock"), "1\n");
    Files.setAttribute(theirs, "unix:uid", STRANGER);
    try (ObjectStore store = ObjectStore.open(settings())) {
      assertTrue(store.outlivesProcess());
      assertNotEquals(theirs, place(store));
      assertEquals(Set.of(theirs.resolve("owner.lock")), files(theirs));
    }
  }

  @Test
  void linkInPlaceOfTheDirectoryIsLeftAlone() throws Exception {
    Files.createDirectories(data);
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Files.createSymbolicLink(predictable(), elsewhere);
    try (ObjectStore store = ObjectStore.open(settings())) {
      assertNotEquals(predictable(), place(store));
      assertEquals(Set.of(), files(elsewhere));
    }
  }

  @Test
  void recordedDirectoryThatWasReplacedIsReplacedByAFreshOne() throws Exception {
    Path first;
    try (ObjectStore store = ObjectStore.open(settings())) {
      first = place(store);
    }
    Path aside = directory.resolve("aside");
    Files.createDirectory(aside);
    PurgeTest.deleteAll(first);
    Files.createSymbolicLink(first, aside);
    try (ObjectStore store = ObjectStore.open(settings())) {
      assertTrue(store.outlivesProcess());
      assertNotEquals(first, place(store));
      assertEquals(Set.of(), files(aside));
    } finally {
      Files.deleteIfExists(first);
    }
  }

  @Test
  void linkInTheDefaultMemoryDirectoryLeadsToAFreshOne() throws Exception {
    Path victim = Files.writeString(directory.resolve("victim"), "precious");
    Path first;
    try (ObjectStore store = ObjectStore.open(settings())) {
      first = place(store);
    }
    Files.delete(first.resolve("memory.tier"));
    Files.createSymbolicLink(first.resolve("memory.tier"), victim);
    try (ObjectStore store = ObjectStore.open(settings())) {
      assertNotEquals(first, place(store));
      assertEquals("precious", Files.readString(victim));
    } finally {
      PurgeTest.deleteAll(first);
    }
  }

  @Test
  void heldLockInTheDefaultMemoryDirectoryDoesNotBlockAStart() throws Exception {
    Path first;
    try (ObjectStore store = ObjectStore.open(settings())) {
      first = place(store);
    }
    Process holder =
        new ProcessBuilder(
                "python3",
                "-c",
                "import fcntl,sys;f=open(sys.argv[1],'r+');fcntl.lockf(f,fcntl.LOCK_EX);"
                    + "print('held',flush=True);sys.stdin.read()",
                first.resolve("owner.lock").toString())
            .start();
    try {
      assertEquals('h', holder.getInputStream().read());
      try (ObjectStore store = ObjectStore.open(settings())) {
        assertNotEquals(first, place(store));
      }
    } finally {
      holder.getOutputStream().close();
      assertEquals(0, holder.waitFor());
      PurgeTest.deleteAll(first);
    }
  }

  private void refusesLink(Path link, StoreSettings settings) throws IOException {
    Path victim = Files.writeString(directory.resolve("victim"), "precious");
    Files.createSymbolicLink(link, victim);
    StoreException refused =
        assertThrows(StoreException.class, () -> ObjectStore.open(settings).close());
    String message = String.valueOf(refused.getMessage());
    assertTrue(message.contains(link.getFileName() + " is a symbolic link"), message);
    assertEquals("precious", Files.readString(victim));
    assertTrue(Files.isSymbolicLink(link));
  }

  private StoreSettings settings() {
    return StoreSettings.of(data, 16 * StoreFixture.MEBI, 1, System::currentTimeMillis)
        .withDisks(DiskSettings.of(List.of(DeviceSettings.of("d", disk, 8 << 20))))
        .withLockMemory(false);
  }

  private static void put(ObjectStore store) {
    StoreLane lane = store.lane(0);
    HeadSpec spec = StoreFixture.spec("/kept", store.nextBirth(), 3);
    assertEquals(InstallOutcome.INSTALLED, lane.putSmall(spec, java.nio.ByteBuffer.allocate(3)));
  }

  private static StoreLane.Found look(ObjectStore store) {
    StoreLane.Found found = StoreFixture.find(store.lane(0), "/kept");
    if (found == StoreLane.Found.HIT) {
      store.lane(0).unpin(store.lane(0).head().region());
    }
    return found;
  }

  private static Path place(ObjectStore store) {
    return Path.of(store.memoryParts().place());
  }

  private Path memoryPlace() throws IOException {
    Path record = data.resolve("memory.directory");
    return Files.isRegularFile(record)
        ? Path.of(Files.readString(record).trim())
        : SHARED.resolve("forebay-none");
  }

  /** The name that earlier versions gave it. */
  private Path predictable() throws IOException {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(
                  directory
                      .toRealPath()
                      .resolve("data")
                      .toString()
                      .getBytes(StandardCharsets.UTF_8));
      return SHARED.resolve("forebay-" + HexFormat.of().formatHex(digest, 0, 8));
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new IOException(e);
    }
  }

  private static void widen(Path at) throws IOException {
    for (Path file : files(at)) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }
    Files.setPosixFilePermissions(at, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static Set<Path> files(Path at) throws IOException {
    try (Stream<Path> all = Files.list(at)) {
      return Set.copyOf(all.toList());
    }
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static boolean isRoot() throws IOException {
    return Files.readString(Path.of("/proc/self/status"))
        .toLowerCase(Locale.ROOT)
        .contains("uid:\t0\t");
  }

  private static int asStranger(String... command) throws Exception {
    String[] whole = new String[command.length + 3];
    whole[0] = "setpriv";
    whole[1] = "--reuid=" + STRANGER;
    whole[2] = "--clear-groups";
    System.arraycopy(command, 0, whole, 3, command.length);
    Process process =
        new ProcessBuilder(whole)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    return process.waitFor();
  }
}
