package io.forebay.storage.recover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.file.DefaultMemoryDirectory;
import io.forebay.storage.lock.DirectoryLock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OrphanedTiersTest {
  @TempDir Path directory;
  private Path root;
  private Path data;
  private DefaultMemoryDirectory places;
  private OrphanedTiers tiers;

  @BeforeEach
  void make() throws IOException {
    root = Files.createDirectory(directory.resolve("shm"));
    data = Files.createDirectory(directory.resolve("data"));
    places = new DefaultMemoryDirectory(root, new SecureRandom());
    tiers = new OrphanedTiers(places);
  }

  private Path made() throws IOException {
    Path memory = places.take(data);
    Files.write(memory.resolve("memory.tier"), new byte[1000]);
    return memory;
  }

  private void deleteData() throws IOException {
    Files.delete(data.resolve(DefaultMemoryDirectory.RECORD));
    Files.delete(data);
  }

  @Test
  void tierOfADataDirectoryThatIsThereIsNone() throws IOException {
    Path memory = made();
    assertEquals(List.of(), tiers.find());
    assertTrue(Files.exists(memory));
  }

  @Test
  void tierOfADeletedDataDirectoryIsFoundAndRemoved() throws IOException {
    Path memory = made();
    deleteData();
    OrphanedTiers.Orphan orphan = tiers.find().getFirst();
    assertEquals(memory, orphan.directory());
    assertEquals(data.toString(), orphan.data().toString());
    assertTrue(orphan.bytes() >= 1000);
    assertTrue(tiers.remove(orphan));
    assertFalse(Files.exists(memory));
    assertEquals(List.of(), tiers.find());
  }

  @Test
  void tierThatItsDataDirectoryNoLongerNamesIsOne() throws IOException {
    Path first = made();
    Path second = places.fresh(data);
    List<OrphanedTiers.Orphan> found = tiers.find();
    assertEquals(List.of(first), found.stream().map(OrphanedTiers.Orphan::directory).toList());
    assertTrue(tiers.remove(found.getFirst()));
    assertTrue(Files.exists(second));
  }

  @Test
  void directoryThatAStartIsMakingIsNone() throws IOException {
    Path first = made();
    try (DirectoryLock _ = DirectoryLock.take(data)) {
      Path second = places.fresh(data);
      assertEquals(List.of(), tiers.find(), first + " " + second);
    }
  }

  @Test
  void lockedTierIsNone() throws IOException {
    Path memory = made();
    deleteData();
    List<OrphanedTiers.Orphan> found = tiers.find();
    try (DirectoryLock _ = DirectoryLock.take(memory)) {
      assertEquals(List.of(), tiers.find());
      assertFalse(tiers.remove(found.getFirst()));
    }
    assertTrue(Files.exists(memory.resolve("memory.tier")));
  }

  @Test
  void whatIsNotMarkedAsOursIsLeftAlone() throws IOException {
    Path bare = Files.createDirectory(root.resolve("forebay-" + "a".repeat(32)));
    Path other = Files.createDirectory(root.resolve("other"));
    Files.writeString(other.resolve("data.directory"), "/gone\n");
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Files.writeString(elsewhere.resolve("data.directory"), "/gone\n");
    Files.createSymbolicLink(root.resolve("forebay-" + "b".repeat(32)), elsewhere);
    assertEquals(List.of(), tiers.find());
    assertTrue(Files.exists(bare));
  }
}
