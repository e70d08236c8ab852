package io.forebay.benchmarks.attack;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Other programs, run to their end. */
final class Commands {

  private Commands() {}

  static List<String> list(List<List<String>> parts) {
    return parts.stream().flatMap(List::stream).toList();
  }

  /**
   * What a program prints.
   *
   * @throws IOException when it can't be started or fails
   */
  static String output(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int exit = process.waitFor();
    if (exit != 0) {
      throw new IOException(String.join(" ", command) + " ended with " + exit + ": " + text);
    }
    return text;
  }
}
