package io.forebay.cli.config;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import io.forebay.cli.reload.ReloadReport;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Puts a configuration in force that was accepted before. */
@Command(
    name = "rollback",
    header = "Put a configuration in force that a running node accepted before.",
    sortOptions = false,
    description = {
      "",
      "The node reads the text that it kept instead of its file. Certificates and other files that"
          + " the text names are read as they are now. The file itself is not changed: until it is,"
          + " the next reload or restart puts its content in force again. The text is in the node's"
          + " data directory, config-history/NUMBER.yaml.",
      ""
    },
    footer = {"", "Example:", "  forebay config rollback 12"})
final class RollbackCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Parameters(
      paramLabel = "NUMBER",
      description = "Number of the configuration, as 'forebay config history' lists it.")
  private long number;

  @Option(
      names = "--dry-run",
      description = "Say what would change, and which problems there are; change nothing.")
  private boolean isDryRun;

  RollbackCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    JsonNode outcome;
    try (AdminClient client = admin.client()) {
      outcome = client.post("/v1/config/rollback", Map.of("number", number, "dryRun", isDryRun));
    }
    ReloadReport.print(output, "rollback to " + number + (isDryRun ? "" : ": reload"), outcome);
    if (!isDryRun) {
      output.note(
          "forebay: the file of the configuration is unchanged: replace it by config-history/"
              + number
              + ".yaml of the data directory, or the next reload or restart undoes this");
    }
    return ExitCode.OK;
  }
}
