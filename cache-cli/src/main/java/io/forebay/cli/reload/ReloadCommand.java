package io.forebay.cli.reload;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import tools.jackson.databind.JsonNode;

/** Reloads the configuration of a running node and reports the result. */
@Command(
    name = "reload",
    header = "Make a running node reload its configuration.",
    sortOptions = false,
    description = {
      "",
      "An invalid file changes nothing; every problem is reported. 'forebay config rollback' goes"
          + " back to a configuration that was accepted before.",
      ""
    })
public final class ReloadCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Option(
      names = "--dry-run",
      description = "Say what would change, and which problems there are; change nothing.")
  private boolean isDryRun;

  @Option(
      names = "--logs",
      description = "Open the files of logs again, after they were moved; reload nothing.")
  private boolean isOfLogs;

  public ReloadCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    if (isOfLogs) {
      return reopenLogs(output);
    }
    JsonNode reload;
    try (AdminClient client = admin.client()) {
      reload = client.post("/v1/reload", isDryRun ? Map.of("dryRun", true) : Map.of());
    }
    ReloadReport.print(output, "reload", reload);
    return ExitCode.OK;
  }

  private int reopenLogs(Output output) {
    if (isDryRun) {
      throw new ParameterException(
          common.spec.commandLine(), "--logs has nothing to say before: leave --dry-run out");
    }
    JsonNode answer;
    try (AdminClient client = admin.client()) {
      answer = client.post("/v1/logs/reopen", Map.of());
    }
    output.json(answer);
    for (JsonNode log : answer.path("logs")) {
      output.line(log.path("log").asString("?") + " " + log.path("result").asString("?"));
    }
    return ExitCode.OK;
  }
}
