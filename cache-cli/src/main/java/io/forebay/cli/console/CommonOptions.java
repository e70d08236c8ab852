package io.forebay.cli.console;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options of every command. */
public final class CommonOptions {
  @Spec(Spec.Target.MIXEE)
  public CommandSpec spec;

  @Option(
      names = "--json",
      order = 90,
      description = "Print one JSON object per line, for programs.")
  boolean isJson;

  @Option(
      names = "--no-color",
      order = 91,
      description = "Disable colours, as NO_COLOR in the environment does.")
  boolean isPlain;

  @Option(
      names = {"-h", "--help"},
      order = 92,
      usageHelp = true,
      description = "Print this help.")
  boolean isHelp;

  @SuppressWarnings("NullAway.Init") // picocli sets the spec before anything is called
  public CommonOptions() {}

  public Output output() {
    String noColour = System.getenv("NO_COLOR");
    boolean isColoured =
        !isJson && !isPlain && (noColour == null || noColour.isEmpty()) && Terminal.isOutput();
    return new Output(spec.commandLine().getOut(), spec.commandLine().getErr(), isJson, isColoured);
  }
}
