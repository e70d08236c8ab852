package io.forebay.e2e.storm;

import io.forebay.e2e.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * The time of day of one process, by Debian's {@code libfaketime}: it steps while the process runs.
 * Monotonic time stays as it is, as with a clock that is set.
 */
final class StormClock {
  private final Path file;
  private final Path library;

  StormClock(Path file) throws IOException {
    this.file = file;
    this.library = Tools.requireFaketime();
    step(0);
  }

  /** The command that runs what follows it by this clock. */
  List<String> command() {
    return List.of(
        "env",
        "LD_PRELOAD=" + library,
        "FAKETIME_TIMESTAMP_FILE=" + file,
        "FAKETIME_CACHE_DURATION=1",
        "FAKETIME_DONT_FAKE_MONOTONIC=1",
        "DONT_FAKE_MONOTONIC=1",
        // By default it turns every timed wait of a JVM into one that ends at once.
        "FAKETIME_FORCE_MONOTONIC_FIX=0");
  }

  /** It is so many seconds ahead of the machine's from now on. */
  void step(int seconds) throws IOException {
    Path next = file.resolveSibling("clock.next");
    Files.writeString(next, (seconds < 0 ? "" : "+") + seconds + "\n");
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }
}
