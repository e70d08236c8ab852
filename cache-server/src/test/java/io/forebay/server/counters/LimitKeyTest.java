package io.forebay.server.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every limit is counted somewhere; otherwise its counter would always be 0. */
final class LimitKeyTest {

  @Test
  void everyLimitIsCountedByWhoeverHoldsIt() throws IOException {
    StringBuilder sources = new StringBuilder();
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        if (!file.endsWith("LimitKey.java")) {
          sources.append(Files.readString(file));
        }
      }
    }
    String text = sources.toString();
    List<LimitKey> uncounted =
        Arrays.stream(LimitKey.values())
            .filter(limit -> !text.contains("LimitKey." + limit.name()))
            .toList();
    assertEquals(List.of(), uncounted);
  }
}
