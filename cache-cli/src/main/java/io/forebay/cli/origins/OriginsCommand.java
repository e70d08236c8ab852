package io.forebay.cli.origins;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** Shows the origins of a running node with their servers; its subcommands drain servers. */
@Command(
    name = "origins",
    header = "Show the servers of a running node's origins and their state.",
    sortOptions = false,
    subcommands = {DrainCommand.class, UndrainCommand.class},
    description = {
      "",
      "One line per address: usable, ejected because its requests failed, or drained, and why.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  forebay origins",
      "  forebay origins drain http://10.0.0.1:8080 --reason 'kernel update'",
      "  forebay origins undrain http://10.0.0.1:8080"
    })
public final class OriginsCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  public OriginsCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    JsonNode origins;
    try (AdminClient client = admin.client()) {
      origins = client.get("/v1/origins");
    }
    output.json(origins);
    OriginsScreen.lines(output, origins).forEach(output::line);
    return ExitCode.OK;
  }
}
