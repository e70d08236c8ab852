package io.forebay.storage.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.layout.DirectoryEntry;
import io.forebay.storage.placement.StorageClass.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A name of a class keeps its number for the life of a data directory. */
class ClassNumbersTest {
  @TempDir Path directory;

  private Path file() {
    return directory.resolve("storage.classes");
  }

  @Test
  void namesKeepTheirNumbers() throws IOException {
    StorageClassNumbers first = StorageClassNumbers.read(directory);
    assertFalse(first.isSound(), "there is no file");
    first.assign(List.of("a", "b"));
    first.assign(List.of("c", "b"));
    StorageClassNumbers second = StorageClassNumbers.read(directory);
    assertTrue(second.isSound());
    assertEquals(Map.of("a", 1, "b", 2, "c", 3), second.byName());
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file())));
  }

  @Test
  void aClassThatIsNotConfiguredAnyMoreKeepsItsNumberAndStaysOffDisks() throws IOException {
    StorageClasses classes = new StorageClasses(StorageClassNumbers.read(directory));
    List<StorageClass> configured = List.of(StorageClass.of("a", Tier.DISK));
    classes.prepare(configured);
    classes.configure(configured);
    int number = classes.number("a");
    assertEquals(Tier.DISK, classes.of(number).tier());

    classes.configure(List.of());

    assertEquals(number, classes.number("a"));
    assertEquals(Tier.MEMORY, classes.of(number).tier());
    assertFalse(classes.isConfigured(number));
  }

  @Test
  void noNameNoFile() throws IOException {
    StorageClassNumbers.read(directory).assign(List.of());
    assertFalse(Files.exists(file()));
  }

  @Test
  void whenAllNumbersAreTakenThatIsSaid() throws IOException {
    StorageClassNumbers numbers = StorageClassNumbers.read(directory);
    numbers.assign(
        IntStream.range(0, DirectoryEntry.MAX_CLASS).mapToObj(n -> "class" + n).toList());
    IOException told = assertThrows(IOException.class, () -> numbers.assign(List.of("last")));
    assertTrue(
        String.valueOf(told.getMessage()).startsWith("no number is left for storage class last"));
    numbers.assign(List.of("class7"));
    assertEquals(DirectoryEntry.MAX_CLASS, StorageClassNumbers.read(directory).byName().size());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "another file\n1 a\n",
        "forebay storage classes 1\n1 a",
        "forebay storage classes 1\n1 a\n1 b\n",
        "forebay storage classes 1\n1 a\n2 a\n",
        "forebay storage classes 1\n0 a\n",
        "forebay storage classes 1\n32 a\n",
        "forebay storage classes 1\nx a\n",
        "forebay storage classes 1\n1\n",
        "forebay storage classes 1\n1  \n"
      })
  void whatMakesNoSenseCountsAsNone(String text) throws IOException {
    Files.writeString(file(), text);
    StorageClassNumbers read = StorageClassNumbers.read(directory);
    assertFalse(read.isSound());
    assertEquals(Map.of(), read.byName());
  }
}
