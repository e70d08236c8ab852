package io.forebay.cli.warm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WarmStateTest {
  @TempDir private Path directory;

  @Test
  void remembersOverRuns() throws Exception {
    Path file = directory.resolve("state");
    try (WarmState state = WarmState.open(file)) {
      assertFalse(state.isWarmed("http://a/1"));
      state.add("http://a/1");
    }
    try (WarmState state = WarmState.open(file)) {
      assertTrue(state.isWarmed("http://a/1"));
      assertFalse(state.isWarmed("http://a/2"));
    }
  }

  @Test
  void whatWasFlushedIsOnDiskBeforeTheEnd() throws Exception {
    Path file = directory.resolve("state");
    try (WarmState state = WarmState.open(file)) {
      state.add("http://a/1");
      state.flush();
      assertTrue(Files.readString(file).contains("http://a/1\n"));
    }
  }

  @Test
  void aTornLastLineDoesNotCountAndIsNotGluedToTheNext() throws Exception {
    Path file = directory.resolve("state");
    try (WarmState state = WarmState.open(file)) {
      state.add("http://a/1");
    }
    Files.writeString(file, Files.readString(file) + "http://a/22");
    try (WarmState state = WarmState.open(file)) {
      assertTrue(state.isWarmed("http://a/1"));
      assertFalse(state.isWarmed("http://a/22"));
      state.add("http://a/3");
    }
    assertEquals("http://a/3", Files.readAllLines(file).getLast());
  }

  @Test
  void aFileOfSomebodyElseIsLeftAlone() throws Exception {
    Path file = directory.resolve("letter.txt");
    Files.writeString(file, "Dear Sir\n");

    CommandException refused =
        assertThrows(CommandException.class, () -> WarmState.open(file).close());

    assertEquals(ExitCode.USAGE, refused.exitCode());
    assertEquals("Dear Sir\n", Files.readString(file));
  }
}
