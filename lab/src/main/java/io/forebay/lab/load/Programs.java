package io.forebay.lab.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Programs that make load and end by themselves. */
final class Programs {
  private static final Path NOTHING = Path.of("/dev/null");
  private static final long SAMPLE_MILLIS = 50;
  private static final long MAX_OUTPUT_BYTES = 1 << 20;

  private Programs() {}

  /**
   * What a program said, and the CPU it took.
   *
   * @param cpu within 50 ms
   */
  record Finished(String output, Duration cpu) {}

  static boolean isThere(String program) {
    String path = System.getenv("PATH");
    if (path == null) {
      return false;
    }
    for (String directory : path.split(":", -1)) {
      if (!directory.isEmpty() && Files.isExecutable(Path.of(directory, program))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Runs a program to its end.
   *
   * @throws IOException when it fails or does not end in time; the message has what it said
   */
  static Finished run(List<String> command, long limitMillis)
      throws IOException, InterruptedException {
    return run(command, NOTHING, limitMillis);
  }

  /**
   * The same.
   *
   * @param input what the program reads on standard input
   */
  static Finished run(List<String> command, Path input, long limitMillis)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile("forebay-lab", ".out");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectInput(input.toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      Duration cpu = Duration.ZERO;
      try {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMillis);
        while (!process.waitFor(SAMPLE_MILLIS, TimeUnit.MILLISECONDS)) {
          cpu = process.info().totalCpuDuration().orElse(cpu);
          if (System.nanoTime() > deadline) {
            throw new IOException(command.get(0) + " did not end in time: " + text(output));
          }
        }
      } finally {
        Processes.end(process);
      }
      if (process.exitValue() != 0) {
        throw new IOException(
            command.get(0) + " ended with " + process.exitValue() + ": " + text(output));
      }
      return new Finished(text(output), cpu);
    } finally {
      Files.delete(output);
    }
  }

  private static String text(Path file) throws IOException {
    if (Files.size(file) > MAX_OUTPUT_BYTES) {
      throw new IOException("more output than " + MAX_OUTPUT_BYTES + " bytes");
    }
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip();
  }
}
