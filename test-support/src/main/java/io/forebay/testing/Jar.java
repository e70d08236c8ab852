package io.forebay.testing;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A command of the packaged jar as operators run it: a process of its own. */
public final class Jar {
  static final String ONE_COMPILER = "-XX:TieredStopAtLevel=1";

  private static final Duration LIMIT = Duration.ofMinutes(4);

  private final Map<String, String> environment = new LinkedHashMap<>();
  private final List<String> command;
  private String input = "";

  private Jar(List<String> command) {
    this.command = command;
  }

  /** The jar; the system property {@code forebay.jar} names it. */
  public static Path file() {
    String jar = System.getProperty("forebay.jar");
    if (jar == null || !Files.isRegularFile(Path.of(jar))) {
      throw new AssertionError("the system property forebay.jar names no file: " + jar);
    }
    return Path.of(jar);
  }

  /** The script that starts it. */
  public static Path launcher() {
    return Path.of(System.getProperty("forebay.launcher")).normalize();
  }

  /** The Java that runs the test. */
  public static Path java() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  /** By {@code java -jar}. */
  public static Jar with() {
    return new Jar(List.of(java().toString(), "-jar", file().toString()));
  }

  /** By a Java that compiles quickly, for one that ends soon. */
  public static Jar quick() {
    List<String> command = new ArrayList<>(List.of(java().toString(), ONE_COMPILER));
    command.addAll(aotCache());
    command.addAll(List.of("-jar", file().toString()));
    return new Jar(command);
  }

  /**
   * Options by which a JVM takes the jar's classes loaded and linked from the cache that the build
   * makes before these tests (JEP 483), which halves the CPU time of a start. None without it.
   */
  static List<String> aotCache() {
    Path cache = file().resolveSibling("test.aot");
    return Files.exists(cache) ? List.of("-XX:AOTCache=" + cache, "-Xlog:aot=off") : List.of();
  }

  /**
   * Where the JVM of the test has the first compiler alone, a node has that too, and its reports of
   * lost buffers say only where they were allocated.
   */
  static List<String> savingCpu() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().contains(ONE_COMPILER)
        ? List.of(ONE_COMPILER, "-Dio.netty.leakDetection.targetRecords=0")
        : List.of();
  }

  /** Started by something else. */
  public static Jar command(String... command) {
    return new Jar(List.of(command));
  }

  public Jar env(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /** What it reads on standard input; nothing where that is not said. */
  public Jar input(String text) {
    input = text;
    return this;
  }

  private ProcessBuilder builder(String... arguments) {
    List<String> all = new ArrayList<>(command);
    all.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(all);
    builder.environment().keySet().removeIf(name -> name.startsWith("FOREBAY_"));
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    builder.environment().remove("NO_COLOR");
    builder.environment().putAll(environment);
    return builder;
  }

  /** Starts a command that goes on. */
  public Process start(String... arguments) throws IOException {
    return builder(arguments).start();
  }

  /** Runs a command to its end. */
  public Commands.Finished run(String... arguments) throws IOException, InterruptedException {
    return Commands.run(LIMIT, builder(arguments), input);
  }
}
