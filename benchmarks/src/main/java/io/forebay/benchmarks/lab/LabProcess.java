package io.forebay.benchmarks.lab;

import io.forebay.benchmarks.micro.Bench;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.annotations.Fork;

/** A part of a laboratory that runs in a process of its own, with the JVM of the benchmarks. */
final class LabProcess {
  private static final String DONE = "done";
  private static final int EXIT_OF_KILLED = 137;

  private LabProcess() {}

  /**
   * Runs a process and prints what it says, until it ends or says that it may be killed.
   *
   * @param main its class
   */
  static void run(Class<?> main, List<String> arguments, boolean isKilled)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(Bench.class.getAnnotation(Fork.class).jvmArgsPrepend()));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(arguments);
    Process child =
        new ProcessBuilder(command)
            .redirectError(
                Boolean.getBoolean("verbose")
                    ? ProcessBuilder.Redirect.INHERIT
                    : ProcessBuilder.Redirect.DISCARD)
            .start();
    try (var writer = child.outputWriter(StandardCharsets.UTF_8);
        var reader =
            new BufferedReader(
                new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
      String line;
      while ((line = reader.readLine()) != null) {
        if (line.equals(DONE)) {
          if (isKilled) {
            child.toHandle().destroyForcibly();
          } else {
            writer.write('\n');
            writer.flush();
          }
        } else {
          System.out.println("  " + line);
        }
      }
    }
    int exit = child.waitFor();
    if (exit != (isKilled ? EXIT_OF_KILLED : 0)) {
      throw new IllegalStateException("the process ended with " + exit);
    }
  }

  /** In the process: it may be killed now, or is told to go on. */
  static void awaitEnd() throws IOException {
    System.out.println(DONE);
    int ignored = System.in.read();
  }

  /** In the process: what took so long. */
  static void say(String what, long beginNanos) {
    System.out.printf(
        Locale.ROOT, "%s %.2f s%n", what, (System.nanoTime() - beginNanos) / 1_000_000_000.0);
  }
}
