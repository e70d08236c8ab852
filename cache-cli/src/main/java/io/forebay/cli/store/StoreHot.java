package io.forebay.cli.store;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.ByteSizes;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** What a running node is asked for most. */
@Command(
    name = "hot",
    header = "List the URLs that a running node is asked for most.",
    sortOptions = false,
    description = {
      "",
      "One line per URL in memory, the hottest first: requests since it was stored or last kept (up"
          + " to 3), segment, size, URL. URLs of routes with a protection are left out.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  forebay store hot --limit 20",
      "  forebay store hot --json | jq -r .objects[].url | ssh other forebay warm -"
    })
final class StoreHot implements Callable<Integer> {
  private static final int MAX_LIMIT = 10_000;

  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "Maximum number of URLs, up to 10000; default 100.")
  private int limit;

  StoreHot() {}

  @Override
  public Integer call() {
    Output output = common.output();
    if (limit < 1 || limit > MAX_LIMIT) {
      throw new CommandException(ExitCode.USAGE, "--limit must be between 1 and " + MAX_LIMIT);
    }
    JsonNode hot;
    try (AdminClient client = admin.client()) {
      hot = client.get("/v1/store/hot?limit=" + limit);
    }
    output.json(hot);
    for (JsonNode one : hot.path("objects")) {
      output.line(
          String.format(
              Locale.ROOT,
              "%d  %-9s  %9s  %s",
              one.path("touches").asInt(0),
              one.path("segment").asString("?"),
              ByteSizes.text(one.path("bytes").asLong(0)),
              one.path("url").asString("")));
    }
    if (hot.path("objects").isEmpty()) {
      output.line("nothing that everybody may ask for is in memory");
    }
    if (!hot.path("complete").asBoolean(true)) {
      output.note("forebay: the time limit was reached: not every region was read");
    }
    return ExitCode.OK;
  }
}
