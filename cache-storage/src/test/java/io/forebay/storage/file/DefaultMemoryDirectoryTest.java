package io.forebay.storage.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DefaultMemoryDirectoryTest {
  @TempDir Path directory;
  private Path data;
  private DefaultMemoryDirectory places;

  @BeforeEach
  void make() throws IOException {
    data = Files.createDirectory(directory.resolve("data"));
    Path root = Files.createDirectory(directory.resolve("shm"));
    places = new DefaultMemoryDirectory(root, new SecureRandom());
  }

  @Test
  void eachNamesTheOther() throws IOException {
    Path made = places.take(data);
    assertEquals(made, places.recorded(data));
    assertEquals(made, places.find(data));
    assertEquals(made + "\n", Files.readString(data.resolve(DefaultMemoryDirectory.RECORD)));
    assertEquals(
        data.toRealPath() + "\n", Files.readString(made.resolve(DefaultMemoryDirectory.MARK)));
    assertEquals(made, places.take(data));
  }

  @Test
  void copyOfADataDirectoryGetsADirectoryOfItsOwn() throws IOException {
    Path made = places.take(data);
    Path copy = Files.createDirectory(directory.resolve("copy"));
    Files.copy(
        data.resolve(DefaultMemoryDirectory.RECORD), copy.resolve(DefaultMemoryDirectory.RECORD));
    assertNotEquals(made, places.take(copy));
    assertEquals(made, places.take(data));
  }

  @Test
  void movedDataDirectoryKeepsItsMemory() throws IOException {
    Path made = places.take(data);
    Path moved = Files.move(data, directory.resolve("moved"));
    assertEquals(made, places.take(moved));
    assertEquals(
        moved.toRealPath() + "\n", Files.readString(made.resolve(DefaultMemoryDirectory.MARK)));
  }

  @Test
  void recordThatNamesAnotherPlaceIsNotFollowed() throws IOException {
    Path elsewhere = Files.createDirectory(directory.resolve("forebay-" + "0".repeat(32)));
    for (String text : new String[] {elsewhere + "\n", "/etc\n", "x", "", "/a\n/b\n"}) {
      Files.writeString(data.resolve(DefaultMemoryDirectory.RECORD), text);
      assertNull(places.recorded(data), text);
      assertNotEquals(elsewhere, places.take(data), text);
    }
  }

  @Test
  void directoryThatOthersCouldWriteToIsNotTrusted() throws IOException {
    Path made = places.take(data);
    Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertNotEquals(made, places.take(data));
    assertTrue(Files.exists(made), "it is left alone");
  }

  @Test
  void forgottenOneLeavesNothing() throws IOException {
    Path made = places.take(data);
    Path victim = Files.writeString(directory.resolve("victim"), "precious");
    Files.createSymbolicLink(made.resolve("link"), victim);
    places.forget(made, data);
    assertFalse(Files.exists(made));
    assertFalse(Files.exists(data.resolve(DefaultMemoryDirectory.RECORD)));
    assertEquals("precious", Files.readString(victim));
    assertNull(places.find(data));
  }
}
