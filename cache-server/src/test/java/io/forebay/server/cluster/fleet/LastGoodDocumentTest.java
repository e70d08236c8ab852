package io.forebay.server.cluster.fleet;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.cluster.fleet.FleetDocument.File;
import io.forebay.server.cluster.fleet.LastGoodDocument.Stored;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LastGoodDocumentTest {
  @TempDir Path directory;

  private static FleetDocument document(String text) throws FleetException {
    return FleetDocument.of(
        List.of(
            new File("fleet.yaml", text.getBytes(StandardCharsets.UTF_8)),
            new File("errors/503.html", new byte[] {1, 2, 3})));
  }

  private Path file() {
    return directory.resolve("last-good");
  }

  @Test
  void whatWasSavedLastComesBack() throws Exception {
    LastGoodDocument kept = new LastGoodDocument(directory, "eu");
    assertNull(kept.load());
    kept.save(7, document("a"));
    kept.save(8, document("b"));
    Stored stored = loaded(kept);
    assertEquals(8, stored.version());
    assertEquals("errors/503.html", stored.document().files().get(0).name());
    assertArrayEquals(new byte[] {'b'}, stored.document().files().get(1).content());
    assertEquals(
        PosixFilePermissions.fromString("rw-------"), Files.getPosixFilePermissions(file()));
    kept.delete();
    assertNull(kept.load());
  }

  private static Stored loaded(LastGoodDocument kept) {
    Stored stored = kept.load();
    assertTrue(stored != null);
    return stored;
  }

  @Test
  void aFileThatIsShorterOrChangedAnywhereCountsAsMissing() throws Exception {
    LastGoodDocument kept = new LastGoodDocument(directory, "eu");
    kept.save(7, document("a"));
    byte[] whole = Files.readAllBytes(file());
    for (int length = 0; length < whole.length; length++) {
      Files.write(file(), Arrays.copyOf(whole, length));
      assertNull(kept.load(), "length " + length);
    }
    for (int i = 0; i < whole.length; i++) {
      byte[] changed = whole.clone();
      changed[i] ^= 1;
      Files.write(file(), changed);
      assertNull(kept.load(), "byte " + i);
    }
    Files.write(file(), whole);
    assertEquals(7, loaded(kept).version());
  }

  @Test
  void aFileThatIsTooLargeIsNotRead() throws Exception {
    try (RandomAccessFile sparse = new RandomAccessFile(file().toFile(), "rw")) {
      sparse.setLength(1L << 32);
    }
    assertNull(new LastGoodDocument(directory, "eu").load());
  }

  @Test
  void aDirectoryHasTheFilesOfItsDocumentAndNoOthers() throws Exception {
    FleetDirectory unpacked = new FleetDirectory(directory);
    String hash = "ab".repeat(32);
    Path main = unpacked.unpack(3, hash, document("a"));
    assertEquals("a", Files.readString(main));
    assertEquals(unpacked.main(3, hash), main);
    Path page = main.resolveSibling("errors/503.html");
    Files.write(page, new byte[] {9, 9, 9});
    Path stranger = main.resolveSibling("errors/more.yaml");
    Files.writeString(stranger, "x");
    Path victim = Files.writeString(directory.resolve("victim"), "unharmed");
    Files.delete(main);
    Files.createSymbolicLink(main, victim);

    assertEquals(main, unpacked.unpack(3, hash, document("a")));

    assertArrayEquals(new byte[] {1, 2, 3}, Files.readAllBytes(page));
    assertFalse(Files.exists(stranger));
    assertFalse(Files.isSymbolicLink(main));
    assertEquals("unharmed", Files.readString(victim));
    Path other = unpacked.unpack(4, hash, document("b"));
    unpacked.keep(Set.of(other));
    assertFalse(Files.exists(main));
    assertTrue(Files.exists(other));
  }
}
