package io.forebay.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** Programs that end by themselves. */
public final class Commands {
  private static final Pattern LOGGED = Pattern.compile("^[0-9-]{10}T[^ ]+ \\[[^]]*] INFO ");
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private Commands() {}

  /** How a program ended and what it said. */
  public record Finished(List<String> command, int exit, String out, String err) {
    /** Lines on standard error. */
    public List<String> errLines() {
      return err.lines().toList();
    }

    /** Lines on standard error, without those of the JVM itself and what was logged on the way. */
    public List<String> messages() {
      return err.lines()
          .filter(line -> !line.isBlank() && !line.startsWith("WARNING:"))
          .filter(line -> !LOGGED.matcher(line).find())
          .toList();
    }

    public Finished orFail() {
      if (exit != 0) {
        throw new AssertionError("exit of " + this);
      }
      return this;
    }
  }

  /** Runs a program that may take a minute. */
  public static Finished run(String... command) throws IOException, InterruptedException {
    return run(LIMIT, List.of(command));
  }

  public static Finished run(Duration limit, List<String> command)
      throws IOException, InterruptedException {
    return run(limit, new ProcessBuilder(command), "");
  }

  /**
   * The same.
   *
   * @param input what the program reads on standard input
   */
  static Finished run(Duration limit, ProcessBuilder builder, String input)
      throws IOException, InterruptedException {
    Path in = Files.createTempFile("forebay-test", ".in");
    Path out = Files.createTempFile("forebay-test", ".out");
    Path err = Files.createTempFile("forebay-test", ".err");
    try {
      Files.writeString(in, input);
      Process process =
          builder
              .redirectInput(in.toFile())
              .redirectOutput(out.toFile())
              .redirectError(err.toFile())
              .start();
      try {
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
          throw new AssertionError(
              builder.command()
                  + " still ran after "
                  + limit.toSeconds()
                  + " s; it said: "
                  + text(out)
                  + text(err));
        }
      } finally {
        process.destroyForcibly().waitFor();
      }
      return new Finished(
          List.copyOf(builder.command()), process.exitValue(), text(out), text(err));
    } finally {
      Files.delete(in);
      Files.delete(out);
      Files.delete(err);
    }
  }

  /** What is no UTF-8 is replaced. */
  private static String text(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }
}
