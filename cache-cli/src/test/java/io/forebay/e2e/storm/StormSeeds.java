package io.forebay.e2e.storm;

import io.forebay.e2e.storm.Storm.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** A file with a line for each storm that was run: its seed, and what came of it. */
final class StormSeeds {
  private static final String COUNTS = "counts";

  private StormSeeds() {}

  /**
   * How far the storms of a file have come.
   *
   * @param next the seed after the last one; the given one where the file has none
   */
  record Progress(int counted, long offences, long next) {}

  static Progress read(Path file, long first) throws IOException {
    List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
    int counted = 0;
    long offences = 0;
    long next = first;
    for (String line : lines) {
      String[] words = line.split(" ", 4);
      next = Long.parseLong(words[0]) + 1;
      counted += words[1].equals(COUNTS) ? 1 : 0;
      offences += Long.parseLong(words[2]);
    }
    return new Progress(counted, offences, next);
  }

  static void append(Path file, Verdict verdict) throws IOException {
    Files.writeString(
        file,
        "%d %s %d offences, %d purges acknowledged\n"
            .formatted(
                verdict.seed(),
                verdict.isCounted() ? COUNTS : "void",
                verdict.tally().offences(),
                verdict.tally().purges()),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }
}
