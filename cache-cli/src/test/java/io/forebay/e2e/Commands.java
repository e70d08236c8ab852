package io.forebay.e2e;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assertions;

/** Programs that end by themselves. */
final class Commands {
  private static final Pattern LOGGED = Pattern.compile("^[0-9-]{10}T[^ ]+ \\[[^]]*] INFO ");
  private static final File NOTHING = new File("/dev/null");

  private Commands() {}

  /** How a program ended and what it said. */
  record Finished(List<String> command, int exit, String out, String err) {
    /** Lines on standard error, without those of the JVM itself and what was logged on the way. */
    List<String> errLines() {
      return err.lines()
          .filter(line -> !line.isBlank() && !line.startsWith("WARNING:"))
          .filter(line -> !LOGGED.matcher(line).find())
          .toList();
    }

    Finished orFail() {
      Assertions.assertEquals(0, exit, () -> "exit of " + this);
      return this;
    }
  }

  static Finished run(Duration limit, List<String> command)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile("forebay-e2e", ".out");
    Path err = Files.createTempFile("forebay-e2e", ".err");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectInput(NOTHING)
              .redirectOutput(out.toFile())
              .redirectError(err.toFile())
              .start();
      try {
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
          Assertions.fail(
              command + " still ran after " + limit.toSeconds() + " s; it said: " + text(out, err));
        }
      } finally {
        process.destroyForcibly().waitFor();
      }
      return new Finished(
          command,
          process.exitValue(),
          Files.readString(out, StandardCharsets.ISO_8859_1),
          Files.readString(err, StandardCharsets.ISO_8859_1));
    } finally {
      Files.delete(out);
      Files.delete(err);
    }
  }

  static Finished run(String... command) throws IOException, InterruptedException {
    return run(Duration.ofSeconds(60), List.of(command));
  }

  private static String text(Path out, Path err) throws IOException {
    return Files.readString(out, StandardCharsets.ISO_8859_1)
        + Files.readString(err, StandardCharsets.ISO_8859_1);
  }
}
