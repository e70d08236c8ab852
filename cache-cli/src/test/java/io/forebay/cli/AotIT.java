package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Commands;
import io.forebay.testing.Jar;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code forebay aot}: the JVM accepts the cache that it creates, and no other file is left. */
@Tag("full")
final class AotIT {
  @TempDir private Path directory;

  @Test
  void makesACacheThatTheJvmStartsWith() throws Exception {
    Path cache = directory.resolve("made.aot");

    Commands.Finished made = Jar.with().run("aot", "--seconds", "2", "--output", cache.toString());

    assertEquals(0, made.exit(), made.out() + made.err());
    assertEquals(List.of(cache), files());
    Commands.Finished started = jarWith("-XX:AOTMode=on", cache).run("--version");
    assertEquals(0, started.exit(), started.out() + started.err());
    assertTrue(started.out().startsWith("forebay "), started.out());
  }

  @Test
  void whereItCannotBeWrittenItSaysSoAndLeavesNothing() throws Exception {
    Path cache = directory.resolve("missing").resolve("made.aot");

    Commands.Finished failed =
        Jar.with().run("aot", "--seconds", "1", "--output", cache.toString());

    assertEquals(1, failed.exit(), failed.out() + failed.err());
    String last = failed.errLines().getLast();
    assertTrue(last.startsWith("forebay: ") && last.contains(cache.toString()), failed.err());
    assertFalse(failed.err().contains("internal error"), failed.err());
    assertEquals(List.of(), files());
  }

  private static Jar jarWith(String mode, Path cache) {
    return Jar.command(
        Jar.java().toString(), "-XX:AOTCache=" + cache, mode, "-jar", Jar.file().toString());
  }

  private List<Path> files() throws Exception {
    try (Stream<Path> found = Files.list(directory)) {
      return new ArrayList<>(found.toList());
    }
  }
}
