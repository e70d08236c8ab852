package io.forebay.cli.explain;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.AdminOptions;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.CommonOptions;
import io.forebay.cli.console.ExitCode;
import io.forebay.cli.console.Output;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Asks a running node what it would do with a request, and why. */
@Command(
    name = "explain",
    header = "Show what a running node would do with a request, and why, without doing it.",
    sortOptions = false,
    description = {
      "",
      "Shows the route, key, stored responses, rules that apply, age, and request to the origin.",
      ""
    },
    footer = {
      "",
      "Examples:",
      "  forebay explain http://www.example.com/index.html",
      "  forebay explain -H 'Accept-Language: de' -H 'Range: bytes=0-99' URL",
      "  forebay explain -X HEAD --json http://www.example.com/ | jq .answer"
    })
public final class ExplainCommand implements Callable<Integer> {
  @Mixin private final CommonOptions common = new CommonOptions();
  @Mixin private final AdminOptions admin = new AdminOptions();

  @Parameters(
      index = "0",
      paramLabel = "URL",
      description = "URL with its scheme, as clients request it.")
  private String url = "";

  @Option(
      names = {"-H", "--header"},
      paramLabel = "'NAME: VALUE'",
      description = "Header field of the request; repeatable.")
  private List<String> headers = new ArrayList<>();

  @Option(
      names = {"-X", "--method"},
      paramLabel = "METHOD",
      defaultValue = "GET",
      description = "Method of the request. Default GET.")
  private String method = "GET";

  public ExplainCommand() {}

  @Override
  public Integer call() {
    Output output = common.output();
    Map<String, Object> order = new LinkedHashMap<>();
    order.put("method", method);
    order.put("url", url);
    order.put("fields", headers.stream().map(ExplainCommand::pair).toList());
    JsonNode answer;
    try (AdminClient client = admin.client()) {
      answer = client.post("/v1/explain", order);
    }
    output.json(answer);
    answer.path("notes").forEach(note -> output.note("forebay: " + note.asString("")));
    new ExplainScreen(output).lines(answer).forEach(output::line);
    return ExitCode.OK;
  }

  private static List<String> pair(String header) {
    int colon = header.indexOf(':');
    if (colon < 1) {
      throw new CommandException(ExitCode.USAGE, "'" + header + "' must look like 'Name: value'");
    }
    return List.of(header.substring(0, colon), header.substring(colon + 1).strip());
  }
}
