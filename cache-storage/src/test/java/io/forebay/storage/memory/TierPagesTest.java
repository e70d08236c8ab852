package io.forebay.storage.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.purge.PurgeTest;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pages of a tier's file, given back to the kernel and taken again. */
class TierPagesTest {
  private static final int PART = 1 << 20;
  private static final int PARTS = 8;

  @TempDir Path groups;
  private Path directory;
  private Path file;

  @BeforeEach
  void makeADirectory() throws IOException {
    directory = Files.createTempDirectory(Path.of("/dev/shm"), "forebay-pages-");
    file = directory.resolve("memory.tier");
  }

  @AfterEach
  void removeIt() throws IOException {
    PurgeTest.deleteAll(directory);
  }

  private TierMemory map(boolean lock) throws IOException {
    return TierMemory.map(file, (long) PARTS * PART, new Headroom(), lock);
  }

  private static void write(TierMemory tier, int part, byte value) {
    tier.memory().asSlice((long) part * PART, PART).fill(value);
  }

  private static byte first(TierMemory tier, int part) {
    return tier.memory().get(ValueLayout.JAVA_BYTE, (long) part * PART);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void blocksGoAndComeBack(boolean lock) throws Exception {
    try (TierMemory tier = map(lock)) {
      assertNull(tier.fixedBecause());
      for (int part = 0; part < PARTS; part++) {
        write(tier, part, (byte) (part + 1));
      }
      long whole = Blocks.of(file);
      assertEquals((long) PARTS * PART, whole);
      tier.release(2 * PART, 3 * PART);
      assertEquals(whole - 3 * PART, Blocks.of(file));
      assertEquals((long) PARTS * PART, Files.size(file));
      assertTrue(tier.isWhole());
      assertFalse(tier.hasHole(0, 2 * PART));
      assertTrue(tier.hasHole(PART, 2 * PART));
      assertTrue(tier.hasHole(4 * PART, PART));
      assertFalse(tier.hasHole(5 * PART, 3 * PART));

      tier.allocate(3 * PART, PART);
      assertEquals(whole - 2 * PART, Blocks.of(file));
      assertFalse(tier.hasHole(3 * PART, PART), "its pages were touched");
      for (int part = 0; part < PARTS; part++) {
        if (part < 2 || part == 3 || part > 4) {
          assertEquals(part == 3 ? 0 : part + 1, first(tier, part));
        }
      }
      write(tier, 3, (byte) 9);
      tier.allocate(3 * PART, PART);
      assertEquals(9, first(tier, 3), "what is there stays");
      assertEquals(whole - 2 * PART, Blocks.of(file));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aStartDoesNotFillTheHoles(boolean lock) throws Exception {
    try (TierMemory tier = map(lock)) {
      write(tier, 7, (byte) 5);
      tier.release(PART, 4 * PART);
    }
    long left = Blocks.of(file);
    assertEquals(4L * PART, left);
    try (TierMemory tier = map(lock)) {
      assertFalse(tier.isNew());
      assertEquals(left, Blocks.of(file));
      assertTrue(tier.hasHole(PART, PART));
      assertEquals(5, first(tier, 7));
    }
    assertEquals(left, Blocks.of(file));
  }

  @Test
  void nothingIsAllocatedBeyondTheLimitOfAGroup() throws Exception {
    Path group = Files.createDirectories(groups.resolve("fs/a"));
    Files.writeString(group.resolve("memory.max"), Long.toString(100L << 20));
    Files.writeString(group.resolve("memory.current"), "0");
    Headroom headroom =
        new Headroom(
            new ControlGroups(
                Files.writeString(groups.resolve("cgroup"), "0::/a\n"), groups.resolve("fs")));
    try (TierMemory tier = TierMemory.map(file, (long) PARTS * PART, headroom, false)) {
      tier.release(0, 2 * PART);
      Files.writeString(group.resolve("memory.current"), Long.toString(90L << 20));
      long left = Blocks.of(file);
      IOException refused = assertThrows(NoSpaceException.class, () -> tier.allocate(0, PART));
      assertEquals("the control group leaves 10 MiB", refused.getMessage());
      assertEquals(left, Blocks.of(file));
      Files.writeString(group.resolve("memory.current"), Long.toString(20L << 20));
      tier.allocate(0, PART);
      assertEquals(left + PART, Blocks.of(file));
    }
  }

  @Test
  void memoryOfTheProcessIsNotGivenBack() throws Exception {
    try (TierMemory tier = TierMemory.anonymous(PART, new Headroom(), false)) {
      assertNotNull(tier.fixedBecause());
      assertFalse(tier.hasHole(0, PART));
      assertThrows(IOException.class, () -> tier.release(0, PART));
    }
  }

  @Test
  void anotherFileInItsPlaceIsNotTouched() throws Exception {
    Files.write(file, new byte[PART]);
    Object key = FileBlocks.key(file);
    // While the first one is there, so that the second one cannot have its inode.
    Path other = Files.write(directory.resolve("other"), new byte[PART]);
    Files.move(other, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    assertNull(FileBlocks.open(file, key));
    assertNull(FileBlocks.open(directory.resolve("missing"), key));
    assertNull(FileBlocks.open(file, null));
    try (FileBlocks blocks = FileBlocks.open(file, FileBlocks.key(file))) {
      assertNotNull(blocks);
      assertThrows(IOException.class, () -> blocks.release(-4096, 4096));
    }
  }
}
