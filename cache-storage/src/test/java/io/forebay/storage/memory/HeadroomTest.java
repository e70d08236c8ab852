package io.forebay.storage.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeadroomTest {
  @TempDir Path directory;

  private Headroom headroom(String groups) throws Exception {
    return new Headroom(
        new ControlGroups(
            Files.writeString(directory.resolve("cgroup"), groups), directory.resolve("fs")));
  }

  private void group(String path, String limitFile, String limit, String usageFile, String usage)
      throws Exception {
    Path group = Files.createDirectories(directory.resolve("fs").resolve(path));
    Files.writeString(group.resolve(limitFile), limit + "\n");
    Files.writeString(group.resolve(usageFile), usage + "\n");
  }

  @Test
  void takesTheTightestOfAllEnclosingGroups() throws Exception {
    group("a", "memory.max", "1000", "memory.current", "400");
    group("a/b", "memory.max", "max", "memory.current", "300");
    group("a/b/c", "memory.max", "900", "memory.current", "100");
    assertEquals(OptionalLong.of(600), headroom("0::/a/b/c\n").bytes());
  }

  @Test
  void whatTheKernelCanDropIsRoom() throws Exception {
    group("a", "memory.max", "1000", "memory.current", "900");
    Files.writeString(
        directory.resolve("fs/a/memory.stat"),
        "anon 100\nfile 700\nshmem 200\ninactive_file 300\nactive_file 150\n");
    assertEquals(OptionalLong.of(550), headroom("0::/a\n").bytes());
  }

  @Test
  void knowsTheOlderKindOfGroup() throws Exception {
    group("memory/x", "memory.limit_in_bytes", "5000", "memory.usage_in_bytes", "1000");
    assertEquals(OptionalLong.of(4000), headroom("3:cpu:/x\n4:memory:/x\n").bytes());
  }

  @Test
  void saysNothingWhereNothingLimits() throws Exception {
    assertFalse(headroom("0::/nowhere\n").bytes().isPresent());
  }

  @Test
  void tierThatAGroupCanNotHoldIsRefusedBeforeAnythingIsWritten() throws Exception {
    group("a", "memory.max", "1000000", "memory.current", "0");
    Path file = directory.resolve("memory.tier");
    NoSpaceException refused =
        assertThrows(
            NoSpaceException.class,
            () -> TierMemory.map(file, 64 << 20, headroom("0::/a\n"), false));
    assertTrue(String.valueOf(refused.getMessage()).contains("control group"));
    assertFalse(Files.exists(file));
  }
}
