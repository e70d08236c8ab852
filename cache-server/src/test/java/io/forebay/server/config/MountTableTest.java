package io.forebay.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountTableTest {

  @TempDir private Path root;
  private MountTable mounts;

  @BeforeEach
  void read() throws IOException {
    root = root.toRealPath();
    Path table = root.resolve("mounts");
    Files.writeString(
        table,
        """
        /dev/sda1 / ext4 rw,relatime 0 0
        tmpfs ROOT/shm tmpfs rw,nosuid,nodev 0 0
        /dev/sdb1 ROOT/shm/disk xfs rw 0 0
        nodev ROOT/huge hugetlbfs rw,pagesize=2M 0 0
        /dev/pmem0 ROOT/pmem ext4 rw,dax=always 0 0
        /dev/sdc1 ROOT/twice ext4 rw 0 0
        tmpfs ROOT/twice tmpfs rw 0 0
        tmpfs ROOT/a\\040b\\134c tmpfs rw 0 0
        broken line
        """
            .replace("ROOT", root.toString()));
    mounts = MountTable.read(table);
  }

  private String under(String path) {
    String type = mounts.diskUnder(root.resolve(path));
    return type == null ? "memory" : type;
  }

  @Test
  void theLongestMountPointCounts() {
    assertEquals("ext4", under("elsewhere"));
    assertEquals("memory", under("shm"));
    assertEquals("memory", under("shm/forebay/deep"));
    assertEquals("xfs", under("shm/disk/forebay"));
    // A name that only begins alike is another directory.
    assertEquals("ext4", under("shmx"));
    assertEquals("memory", under("huge"));
    assertEquals("memory", under("pmem/x"));
  }

  @Test
  void ofTwoMountsAtOnePlaceTheLaterLiesOnTop() {
    assertEquals("memory", under("twice/x"));
  }

  @Test
  void blanksInNamesAreUnderstood() {
    assertEquals("memory", under("a b\\c/x"));
    assertEquals("ext4", under("a b"));
  }

  @Test
  void aLinkLeadsWhereItLeads() throws IOException {
    Files.createDirectories(root.resolve("shm/disk"));
    Files.createSymbolicLink(root.resolve("link"), root.resolve("shm/disk"));
    assertEquals("xfs", under("link/not/made/yet"));
  }

  @Test
  void withoutATableNothingIsKnown() {
    assertNull(MountTable.read(root.resolve("nowhere")).diskUnder(root));
  }

  @Test
  void theKernelsTableIsUnderstood() {
    assertNull(MountTable.system().diskUnder(Path.of("/dev/shm")));
    assertEquals("proc", MountTable.system().diskUnder(Path.of("/proc")));
  }

  @Test
  void aMemoryTierOnADiskIsAWarningAndNoMore() {
    ConfigEnvironment nothing =
        new ConfigEnvironment(Map.of(), root, root.resolve("none"), root, root, "edge");
    ConfigLoader loader = new ConfigLoader(nothing, mounts);
    List<String> warnings = warnings(loader, root.resolve("shm/disk/tier").toString());
    assertEquals(1, warnings.size());
    String warning = warnings.getFirst();
    assertTrue(warning.startsWith("store.memory-directory: "), warning);
    assertTrue(warning.contains("xfs") && warning.contains("tmpfs"), warning);
    assertTrue(warning.lines().count() == 1, warning);
    assertEquals(List.of(), warnings(loader, root.resolve("shm/tier").toString()));
  }

  @Test
  void aMiddleTierOnADiskIsAWarningAndNoMore() {
    ConfigEnvironment nothing =
        new ConfigEnvironment(Map.of(), root, root.resolve("none"), root, root, "edge");
    ConfigOutcome outcome =
        new ConfigLoader(nothing, mounts)
            .load(
                null,
                Map.of(
                    "origin",
                    "http://127.0.0.1:9",
                    "store.tiers",
                    root.resolve("shm/tier") + ":1GiB," + root.resolve("shm/disk/tier") + ":1GiB"));
    List<String> warnings =
        outcome instanceof ConfigOutcome.Loaded loaded ? loaded.warnings() : List.of("refused");
    assertEquals(1, warnings.size(), warnings.toString());
    String warning = warnings.getFirst();
    assertTrue(warning.startsWith("store.tiers: " + root.resolve("shm/disk/tier")), warning);
    assertTrue(warning.contains("xfs") && warning.contains("stores"), warning);
  }

  @Test
  void aDiskStoreOnTheRootDeviceIsAWarningAndNoMore() {
    ConfigEnvironment nothing =
        new ConfigEnvironment(Map.of(), root, root.resolve("none"), root, root, "edge");
    ConfigLoader loader = new ConfigLoader(nothing, mounts);
    for (String place : List.of("/mnt-that-is-not/nvme0", root.resolve("shm/disk/d").toString())) {
      ConfigOutcome outcome =
          loader.load(
              null,
              Map.of(
                  "origin", "http://127.0.0.1:9",
                  "stores.d.path", place,
                  "stores.d.size", "1GiB"));
      List<String> warnings =
          outcome instanceof ConfigOutcome.Loaded loaded ? loaded.warnings() : List.of("refused");
      List<String> expected =
          place.startsWith("/mnt-that-is-not")
              ? List.of(
                  "stores.d.path: /mnt-that-is-not/nvme0 is on the root file system: if it should"
                      + " be a disk, that disk is not mounted")
              : List.of();
      assertEquals(expected, warnings);
    }
  }

  private static List<String> warnings(ConfigLoader loader, String directory) {
    ConfigOutcome outcome =
        loader.load(
            null, Map.of("origin", "http://127.0.0.1:9", "store.memory-directory", directory));
    return switch (outcome) {
      case ConfigOutcome.Loaded loaded -> loaded.warnings();
      case ConfigOutcome.Refused refused -> throw new AssertionError(refused);
    };
  }
}
