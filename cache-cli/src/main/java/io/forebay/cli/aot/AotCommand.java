package io.forebay.cli.aot;

import io.forebay.cli.console.Certificate;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.EdgeProcess;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.cli.console.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Creates the AOT cache from which the JVM loads classes already linked. */
@Command(
    name = "aot",
    header = "Create the AOT cache, which makes starts faster.",
    sortOptions = false,
    description = {
      "",
      "Runs an edge on loopback with synthetic traffic; its JVM then records the loaded classes in"
          + " the file. ./forebay uses the file from the next start. The file fits only this jar,"
          + " JDK and JVM options; if one of them changes, the JVM starts without the file.",
      ""
    })
public final class AotCommand implements Callable<Integer> {
  private static final long MEMORY_MIB = 64;
  private static final int CHECK_SECONDS = 60;

  @Mixin private final CommonOptions common = new CommonOptions();

  @Option(
      names = "--output",
      paramLabel = "FILE",
      description = "File to write; default forebay.aot next to the jar.")
  private @Nullable Path chosen;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "Duration of the traffic in seconds; default 10.")
  private int seconds;

  public AotCommand() {}

  @Override
  public Integer call() throws IOException, InterruptedException, GeneralSecurityException {
    Path jar = EdgeProcess.code();
    if (Files.isDirectory(jar)) {
      throw new CommandException(
          ExitCode.FAILURE, "an AOT cache requires a jar, but this program runs from class files");
    }
    Path file = chosen == null ? jar.resolveSibling("forebay.aot") : chosen.toAbsolutePath();
    if (!Files.isDirectory(file.resolveSibling("."))) {
      throw new CommandException(ExitCode.FAILURE, "cannot write " + file + ": no such directory");
    }
    // In the same directory, so that it takes the place of an older one in one step.
    Path made = file.resolveSibling(file.getFileName() + ".new");
    Output output = common.output();
    output.note(
        "forebay: sending traffic to an edge for " + seconds + " s, then its JVM writes the cache");
    try (ScratchDirectory scratch = ScratchDirectory.make("forebay-aot-", MEMORY_MIB)) {
      Path log = scratch.data().resolve("edge.log");
      new Training(
              arguments(scratch), log, ScratchDirectory.freePort(), ScratchDirectory.freePort())
          .run(recordingOptions(made), Certificate.make(scratch.data()), seconds);
      check(made, scratch.data().resolve("check.log"));
      Files.move(made, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(made);
    }
    long bytes = Files.size(file);
    output.line(file + ": " + (bytes >> 20) + " MiB");
    output.json(Map.of("file", file.toString(), "bytes", bytes));
    return ExitCode.OK;
  }

  /**
   * Classes alone: what the JVM notes of methods has them compiled at the start, and again and less
   * well once they are used for real (docs/BENCHMARKS.md, The JVM).
   */
  private static List<String> recordingOptions(Path cache) {
    return List.of(
        "-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTRecordTraining", "-XX:AOTCacheOutput=" + cache);
  }

  private static List<String> arguments(ScratchDirectory scratch) throws IOException {
    return List.of(
        "--admin",
        "127.0.0.1:" + ScratchDirectory.freePort(),
        "--memory",
        MEMORY_MIB + "MiB",
        "--memory-dir",
        scratch.memory().toString(),
        "--data",
        scratch.data().resolve("edge").toString(),
        "--access-log",
        scratch.data().resolve("access.log").toString());
  }

  /** Has a JVM start that refuses to do so without the cache. */
  private static void check(Path cache, Path log) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            EdgeProcess.javaCommand(List.of("-XX:AOTCache=" + cache, "-XX:AOTMode=on")));
    command.add("--version");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    if (!Files.exists(cache)
        || !process.waitFor(CHECK_SECONDS, TimeUnit.SECONDS)
        || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new CommandException(
          ExitCode.FAILURE, "the JVM produced no usable cache: " + Files.readString(log).strip());
    }
  }
}
