package io.forebay.lab.command;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The commands of the lab. Exits with 0, with 2 for wrong usage, and with 1 for all else. */
@Command(
    name = "forebay lab",
    mixinStandardHelpOptions = true,
    description = "Repeats published tests of edge caches on this machine.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ChannelsCommand.class,
      ClientCommand.class,
      CompareCommand.class,
      ListCommand.class,
      OriginCommand.class,
      ReportCommand.class,
      RunCommand.class,
      TcoCommand.class,
    })
public final class LabCommand {

  private LabCommand() {}

  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  static CommandLine commandLine() {
    return new CommandLine(new LabCommand());
  }
}
