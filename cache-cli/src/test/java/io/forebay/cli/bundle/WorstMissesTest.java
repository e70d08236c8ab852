package io.forebay.cli.bundle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.cli.bundle.WorstMisses.Missed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WorstMissesTest {
  @TempDir private Path directory;

  private static String line(String cache, String target, long fetchMicros) {
    return "{\"v\":1,\"method\":\"GET\",\"scheme\":\"http\",\"host\":\"h\",\"target\":\""
        + target
        + "\",\"cache\":\""
        + cache
        + "\",\"fetch_us\":"
        + fetchMicros
        + "}\n";
  }

  @Test
  void theMostTimeAtTheOriginComesFirst() throws IOException {
    Path log =
        Files.writeString(
            directory.resolve("access.log"),
            line("miss", "/often", 400)
                + line("hit", "/hit", 0)
                + line("miss", "/slow", 700)
                + "no line of JSON\n"
                + line("pass", "/often", 400)
                + line("miss", "/masked?token=***", 9000)
                + line("miss", "/quick", 10));
    assertEquals(
        List.of(new Missed("http://h/often", 2, 800), new Missed("http://h/slow", 1, 700)),
        WorstMisses.of(log, 2));
  }

  @Test
  void theEndOfALongFileBeginsWithAWholeLine() throws IOException {
    Path log = Files.writeString(directory.resolve("log"), "one\ntwo\nthree\n");
    assertEquals("three\n", WorstMisses.tail(log, 8));
    assertEquals("one\ntwo\nthree\n", WorstMisses.tail(log, 80));
  }
}
