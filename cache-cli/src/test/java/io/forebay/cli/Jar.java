package io.forebay.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The packaged jar as operators run it: a process of its own, plain {@code java -jar}. */
final class Jar {
  private static final int PATIENCE_SECONDS = 240;

  private final Map<String, String> environment = new LinkedHashMap<>();
  private final List<String> command;
  private String input = "";

  private Jar(List<String> command) {
    this.command = command;
  }

  /** What a finished process said and how it ended. */
  record Ended(int code, String out, String err) {
    List<String> errLines() {
      return err.lines().toList();
    }
  }

  static Path file() {
    return Path.of(System.getProperty("forebay.jar"));
  }

  static Path launcher() {
    return Path.of(System.getProperty("forebay.launcher")).normalize();
  }

  static Path java() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  static Jar with() {
    return new Jar(List.of(java().toString(), "-jar", file().toString()));
  }

  static Jar command(String... command) {
    return new Jar(List.of(command));
  }

  Jar env(String name, String value) {
    environment.put(name, value);
    return this;
  }

  Jar input(String text) {
    input = text;
    return this;
  }

  Process start(String... arguments) throws IOException {
    List<String> all = new ArrayList<>(command);
    all.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(all);
    builder.environment().keySet().removeIf(name -> name.startsWith("FOREBAY_"));
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    builder.environment().remove("NO_COLOR");
    builder.environment().putAll(environment);
    return builder.start();
  }

  Ended run(String... arguments) throws IOException, InterruptedException {
    Path in = Files.createTempFile("forebay-it", ".in");
    Path out = Files.createTempFile("forebay-it", ".out");
    Path err = Files.createTempFile("forebay-it", ".err");
    try {
      Files.writeString(in, input);
      List<String> all = new ArrayList<>(command);
      all.addAll(List.of(arguments));
      ProcessBuilder builder =
          new ProcessBuilder(all)
              .redirectInput(in.toFile())
              .redirectOutput(out.toFile())
              .redirectError(err.toFile());
      builder.environment().keySet().removeIf(name -> name.startsWith("FOREBAY_"));
      builder.environment().remove("JAVA_TOOL_OPTIONS");
      builder.environment().remove("NO_COLOR");
      builder.environment().putAll(environment);
      Process process = builder.start();
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
        throw new AssertionError(
            all + " did not end; it said: " + Files.readString(out) + Files.readString(err));
      }
      return new Ended(
          process.exitValue(),
          Files.readString(out, StandardCharsets.UTF_8),
          Files.readString(err, StandardCharsets.UTF_8));
    } finally {
      Files.delete(in);
      Files.delete(out);
      Files.delete(err);
    }
  }
}
