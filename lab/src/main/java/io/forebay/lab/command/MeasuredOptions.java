package io.forebay.lab.command;

import io.forebay.lab.model.MeasuredServer;
import io.forebay.lab.result.ResultFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that take a server's figures from a run. */
final class MeasuredOptions {

  @Option(
      names = "--from",
      paramLabel = "DIR",
      required = true,
      description =
          "Gbit/s, watts and byte hits of a server of yours, from a step of these results; a VOID"
              + " step or a missing figure is an error.")
  private Path from = Path.of("");

  @Option(
      names = "--scenario",
      paramLabel = "NAME",
      description = "Of the results, where they have several.")
  private @Nullable String scenario;

  @Option(
      names = "--program",
      paramLabel = "NAME",
      defaultValue = "forebay",
      description = "Of the results.")
  private String program = "forebay";

  @Option(
      names = "--step",
      paramLabel = "NAME",
      description = "Of the scenario, where it has several.")
  private @Nullable String step;

  MeasuredOptions() {}

  /**
   * Reads the results.
   *
   * @throws IllegalArgumentException where they do not have what is asked for
   */
  MeasuredServer read(OptionalDouble watts) throws IOException {
    return MeasuredServer.of(
        ResultFiles.read(from), new MeasuredServer.Choice(scenario, program, step), watts);
  }
}
