package io.forebay.lab.target;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MissLogTest {
  @TempDir Path directory;

  private void append(Path file, String text) throws IOException {
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  @Test
  void countsLinesAndSumsTheirBytesAsTheLogGrows() throws IOException {
    Path file = directory.resolve("missed.log");
    MissLog log = new MissLog(file);
    assertEquals(new MissLog.Misses(0, 0), log.read());
    append(file, "100\n-\n0, 25 : 5\n");
    assertEquals(new MissLog.Misses(3, 130), log.read());
    append(file, "12");
    assertEquals(3, log.read().count());
    append(file, "34\n7\n");
    assertEquals(new MissLog.Misses(5, 130 + 1234 + 7), log.read());
    assertEquals(new MissLog.Misses(5, 130 + 1234 + 7), log.read());
  }
}
