package io.forebay.cli.origins;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** Takes a server of an origin out of service. */
@Command(
    name = "drain",
    header = "Send a server no new requests.",
    sortOptions = false,
    description = {
      "",
      "Requests in progress finish; 'forebay origins' shows the server as draining, and as drained"
          + " once none is left. It stays drained through reloads and restarts, until 'origins"
          + " undrain'. The URL of a server stands for all its addresses.",
      "",
      "A server without which its origin has no usable address is drained only with --force. If"
          + " every server of an origin is drained, requests to it fail.",
      ""
    },
    footer = {
      "",
      "Exit codes: 0 no new request goes to the server, 1 the node refused, 2 usage error.",
      "",
      "Example:",
      "  forebay origins drain http://10.0.0.1:8080 --reason 'kernel update'"
    })
final class DrainCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();
  @Mixin private final ServerSelection selection = new ServerSelection();

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "Why, for those who look at 'forebay origins'.")
  private @Nullable String reason;

  @Option(names = "--force", description = "Also if the origin has no usable address left.")
  private boolean isForced;

  DrainCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    Map<String, Object> order = selection.order();
    if (reason != null) {
      order.put("reason", reason);
    }
    if (isForced) {
      order.put("force", true);
    }
    JsonNode outcome;
    try (AdminClient client = admin.client()) {
      outcome = client.post("/v1/origins/drain", order);
    }
    output.json(outcome);
    int requests = 0;
    boolean isDrained = true;
    for (JsonNode endpoint : outcome.path("endpoints")) {
      requests += endpoint.path("requests").asInt(0);
      isDrained &= endpoint.path("state").asString("").equals("drained");
    }
    output.line(
        ServerSelection.name(outcome)
            + (isDrained
                ? " is drained"
                : " is draining: "
                    + requests
                    + (requests == 1 ? " request" : " requests")
                    + " in progress"));
    return ExitCode.OK;
  }
}
