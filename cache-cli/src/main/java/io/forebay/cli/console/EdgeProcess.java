package io.forebay.cli.console;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An edge that a command starts: a separate process of the same jar and the same JVM. */
public final class EdgeProcess {
  private static final int START_SECONDS = 120;

  private final Process process;
  private final long startNanos;

  private EdgeProcess(Process process, long startNanos) {
    this.process = process;
    this.startNanos = startNanos;
  }

  /**
   * Starts an edge and returns once it listens; its log goes to the file.
   *
   * @param javaOptions beside those of this process
   */
  public static EdgeProcess start(List<String> javaOptions, List<String> serveArguments, Path log)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(javaCommand(javaOptions));
    command.add("serve");
    command.add("--json");
    command.addAll(serveArguments);
    long from = System.nanoTime();
    Process process =
        new ProcessBuilder(command)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start();
    if (!isStarted(process)) {
      process.destroyForcibly().waitFor();
      throw new CommandException(
          ExitCode.FAILURE, "the edge did not start: " + lastLine(log) + " (its log: " + log + ")");
    }
    return new EdgeProcess(process, System.nanoTime() - from);
  }

  public long pid() {
    return process.pid();
  }

  /** From the start of the process to its listening. */
  public long startNanos() {
    return startNanos;
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** SIGKILL: no handler, no flush, no goodbye. */
  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /**
   * SIGTERM, and SIGKILL to one that has not ended in time.
   *
   * @return whether it ended by itself
   */
  public boolean stop(int patienceSeconds) {
    process.destroy();
    try {
      if (process.waitFor(patienceSeconds, TimeUnit.SECONDS)) {
        return true;
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
    return false;
  }

  /** Its first line of output says that it listens; after that it prints no more than a few. */
  private static boolean isStarted(Process process) throws InterruptedException {
    CompletableFuture<Boolean> isStarted = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(() -> {
          try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            String first = out.readLine();
            isStarted.complete(first != null && first.contains("\"started\""));
            while (out.readLine() != null) {
              // read on, so that a full pipe never holds the edge
            }
          } catch (IOException closed) {
            isStarted.complete(false);
          }
        });
    try {
      return isStarted.get(START_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException late) {
      return false;
    }
  }

  /** How this process was started, up to the command, with more options. */
  public static List<String> javaCommand(List<String> javaOptions) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(javaOptions);
    Path code = code();
    if (Files.isDirectory(code)) {
      command.addAll(
          List.of("-cp", System.getProperty("java.class.path"), "io.forebay.launch.Main"));
    } else {
      command.addAll(List.of("-jar", code.toString()));
    }
    return command;
  }

  /** The jar, or the directory of classes, that this process runs. */
  public static Path code() {
    try {
      return Path.of(EdgeProcess.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException("the jar's place is no URI", impossible);
    }
  }

  private static String lastLine(Path log) throws IOException {
    if (!Files.exists(log)) {
      return "it printed nothing";
    }
    return Files.readAllLines(log, StandardCharsets.UTF_8).stream()
        .filter(line -> !line.isBlank() && !line.startsWith("WARNING:"))
        .reduce((earlier, later) -> later)
        .map(line -> line.startsWith("forebay: ") ? line.substring("forebay: ".length()) : line)
        .orElse("it printed nothing");
  }
}
