package io.forebay.server.config.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ConfigText;
import io.forebay.server.config.ConfigText.Included;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ConfigHistoryTest {
  private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

  @TempDir Path data;

  private static ConfigText text(String main) {
    return new ConfigText(main, List.of());
  }

  private static List<Long> numbers(ConfigHistory history) {
    return history.entries().stream().map(AcceptedConfig::number).toList();
  }

  @Test
  void keepsWhatWasAcceptedOverAStop() throws IOException {
    ConfigHistory first = ConfigHistory.open(data);
    assertEquals(0, first.newest());
    first.add("/etc/forebay.yaml", text("a: 1 # \u00e4\n"), "start", NOON);
    first.add("", text(""), "unix user 0", NOON.plusSeconds(1));
    ConfigHistory second = ConfigHistory.open(data);
    assertEquals(first.entries(), second.entries());
    assertEquals(2, second.newest());
    AcceptedConfig entry = second.entries().getFirst();
    assertEquals("start", entry.author());
    assertEquals(NOON, entry.time());
    assertEquals("/etc/forebay.yaml", entry.file());
    assertEquals("a: 1 # \u00e4\n", second.text(1).main());
    assertEquals("", second.text(2).main());
    assertEquals(3, second.add("f", text("b: 2\n"), "signal", NOON).number());
  }

  @Test
  void theTextOfTheNewestEntryMakesNoOther() throws IOException {
    ConfigHistory history = ConfigHistory.open(data);
    history.add("f", text("a: 1\n"), "start", NOON);
    assertEquals(1, history.add("f", text("a: 1\n"), "signal", NOON).number());
    history.add("f", text("a: 2\n"), "signal", NOON);
    assertEquals(3, history.add("f", text("a: 1\n"), "signal", NOON).number());
    assertEquals(List.of(1L, 2L, 3L), numbers(history));
  }

  @Test
  void includedFilesAreKeptAndMakeAnotherEntry() throws IOException {
    ConfigHistory history = ConfigHistory.open(data);
    List<Included> files = List.of(new Included("/c/a.yaml", "b: \"\u00e4\"\n"));
    history.add("/c/f", new ConfigText("include: a.yaml\n", files), "start", NOON);
    assertEquals(
        1, history.add("/c/f", new ConfigText("include: a.yaml\n", files), "x", NOON).number());
    List<Included> others = List.of(new Included("/c/a.yaml", "b: c\n"));
    history.add("/c/f", new ConfigText("include: a.yaml\n", others), "signal", NOON);
    history.add("/c/f", text("include: a.yaml\n"), "signal", NOON);
    ConfigHistory again = ConfigHistory.open(data);
    assertEquals(List.of(1L, 2L, 3L), numbers(again));
    assertEquals(files, again.text(1).included());
    assertEquals(others, again.text(2).included());
    assertEquals(List.of(), again.text(3).included());

    Path included = again.file(2).resolveSibling("2.included");
    assertEquals(
        "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(included)));
    Files.delete(included);
    assertThrows(IOException.class, () -> again.text(2));
    // Left by a stop before the description was written.
    Files.writeString(included.resolveSibling("4.included"), "[]");
    again.add("/c/f", text("d: e\n"), "signal", NOON);
    assertEquals(List.of(), again.text(4).included());
  }

  @Test
  void theOldestIsForgottenBeyondFifty() throws IOException {
    ConfigHistory history = ConfigHistory.open(data);
    for (int i = 1; i <= ConfigHistory.MAX + 3; i++) {
      history.add("f", text("a: " + i + "\n"), "signal", NOON);
    }
    assertEquals(ConfigHistory.MAX, history.entries().size());
    assertEquals(4, history.entries().getFirst().number());
    assertFalse(Files.exists(history.file(3)));
    assertThrows(NoSuchElementException.class, () -> history.text(3));
    try (var files = Files.list(data.resolve("config-history"))) {
      assertEquals(2 * ConfigHistory.MAX, files.count());
    }
    assertEquals(numbers(history), numbers(ConfigHistory.open(data)));
  }

  @Test
  void onlyTheUserOfTheNodeMayReadIt() throws IOException {
    ConfigHistory history = ConfigHistory.open(data);
    history.add("f", text("admin: {token: secret}\n"), "start", NOON);
    Path file = history.file(1);
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertEquals(
        "rwx------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())));
  }

  @Test
  void aTextThatWasChangedIsNotUsed() throws IOException {
    ConfigHistory history = ConfigHistory.open(data);
    history.add("f", text("a: 1\n"), "start", NOON);
    Files.writeString(history.file(1), "a: 2\n");
    IOException changed = assertThrows(IOException.class, () -> history.text(1));
    assertTrue(changed.toString().contains("its hash differs"), changed.toString());
    Files.delete(history.file(1));
    assertThrows(IOException.class, () -> history.text(1));
  }

  @Test
  void aTextWithoutItsDescriptionIsNoEntry() throws IOException {
    ConfigHistory history = ConfigHistory.open(data);
    history.add("f", text("a: 1\n"), "start", NOON);
    // A stop between the two files of the next entry, and one within the first.
    Files.writeString(history.file(2), "a: 2\n");
    Files.writeString(history.file(3).resolveSibling("3.yaml.new"), "a");
    ConfigHistory again = ConfigHistory.open(data);
    assertEquals(List.of(1L), numbers(again));
    assertEquals(2, again.add("f", text("a: 3\n"), "signal", NOON).number());
    assertEquals("a: 3\n", again.text(2).main());
  }

  @Test
  void damagedDescriptionsAreIgnored() throws IOException {
    ConfigHistory history = ConfigHistory.open(data);
    history.add("f", text("a: 1\n"), "start", NOON);
    Path directory = data.resolve("config-history");
    String good = Files.readString(directory.resolve("1.json"));
    Files.writeString(directory.resolve("2.json"), "{");
    Files.writeString(directory.resolve("x.json"), good);
    Files.writeString(directory.resolve("0.json"), good);
    Files.writeString(directory.resolve("3.json"), good.replace("2026", "soon"));
    Files.writeString(directory.resolve("4.json"), "{\"time\":\"" + NOON + "\",\"hash\":\"0\"}");
    Files.writeString(directory.resolve("5.json"), good + " ".repeat(1 << 20));
    assertEquals(List.of(1L), numbers(ConfigHistory.open(data)));
  }
}
