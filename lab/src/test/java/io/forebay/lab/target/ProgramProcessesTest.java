package io.forebay.lab.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgramProcessesTest {
  @TempDir Path directory;

  private static List<String> shell(String script) {
    return List.of("sh", "-c", script);
  }

  @Test
  void endsWithItsChildrenAndItsDirectories() throws Exception {
    Path memory;
    Path disk;
    List<ProcessHandle> handles;
    try (ProgramProcesses group = new ProgramProcesses(directory)) {
      memory = group.memoryDirectory();
      Files.writeString(memory.resolve("file"), "held");
      TargetSpec spec =
          new TargetSpec(
              directory, URI.create("http://127.0.0.1:9"), 1, 1, 1, null, -1, null, false);
      disk = group.diskDirectories(spec).getFirst();
      Files.createDirectories(disk.resolve("a/b"));
      // The shell heeds TERM, the child does not.
      group.start("parent", shell("(trap '' TERM; echo up; exec sleep 600) & wait"), Map.of());
      group.await(
          "the child is up",
          () -> Files.readString(directory.resolve("parent.log")).contains("up"));
      handles = group.handles();
      assertTrue(handles.size() >= 2, handles::toString);
    }
    assertTrue(handles.stream().noneMatch(ProcessHandle::isAlive));
    assertFalse(Files.exists(memory));
    assertFalse(Files.exists(disk));
  }

  /** The program that is started does not heed TERM, and has a child. */
  @Test
  @Tag("full")
  void itsProgramsAndDirectoriesDoNotOutliveAProcessThatIsKilled() throws Exception {
    Process owner =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Owner.class.getName(),
                directory.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    Path memory;
    List<ProcessHandle> started;
    try {
      memory = Path.of(owner.inputReader(StandardCharsets.UTF_8).readLine());
      started = owner.descendants().toList();
      assertTrue(started.size() >= 3, started::toString);
      assertTrue(Files.exists(memory.resolve("file")));
    } finally {
      owner.destroyForcibly();
    }

    Await.until(
        "nothing is left",
        () -> started.stream().noneMatch(ProcessHandle::isAlive) && !Files.exists(memory));
  }

  /** A process with an open group. */
  static final class Owner {
    private Owner() {}

    public static void main(String[] arguments) throws Exception {
      ProgramProcesses group = new ProgramProcesses(Path.of(arguments[0]));
      Path memory = group.memoryDirectory();
      Files.writeString(memory.resolve("file"), "held");
      group.start(
          "stubborn", shell("trap '' TERM; sleep 600 & echo up; while :; do wait; done"), Map.of());
      group.await(
          "the program is up",
          () -> Files.readString(Path.of(arguments[0], "stubborn.log")).contains("up"));
      System.out.println(memory);
      Thread.currentThread().join();
    }
  }

  @Test
  void aProcessThatEndsIsToldWithItsLastWords() throws IOException {
    try (ProgramProcesses group = new ProgramProcesses(directory)) {
      group.start("short", shell("echo no such setting; exit 3"), Map.of());
      IOException failed = assertThrows(IOException.class, () -> group.await("never", () -> false));
      String told = String.valueOf(failed.getMessage());
      assertTrue(told.contains("short ended with 3"), told);
      assertTrue(told.contains("no such setting"), told);
    }
  }

  @Test
  void whatIsNotReadyYetIsAskedAgain() throws Exception {
    int[] asked = new int[1];
    try (ProgramProcesses group = new ProgramProcesses(directory)) {
      group.start("long", shell("exec sleep 600"), Map.of());
      group.await(
          "the third answer",
          () -> {
            asked[0]++;
            if (asked[0] == 1) {
              throw new IOException("refused");
            }
            return asked[0] == 3;
          });
    }
    assertEquals(3, asked[0]);
  }

  @Test
  void settingsOfForebayDoNotLeakIntoPrograms() throws Exception {
    try (ProgramProcesses group = new ProgramProcesses(directory)) {
      group.start(
          "env", shell("env; exec sleep 600"), Map.of("FOREBAY_STORE_MEMORY", "1", "END", "yes"));
      Path log = directory.resolve("env.log");
      group.await("the environment", () -> Files.readString(log).contains("END=yes"));
      // One that is given is there; those of the own environment are not.
      assertEquals(
          1, Files.readAllLines(log).stream().filter(line -> line.startsWith("FOREBAY_")).count());
    }
  }
}
