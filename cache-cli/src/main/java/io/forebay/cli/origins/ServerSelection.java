package io.forebay.cli.origins;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** The server that a command is about. */
final class ServerSelection {
  @Parameters(
      index = "0",
      paramLabel = "SERVER",
      description = "URL of the server as configured, or ADDRESS:PORT.")
  private String server = "";

  @Option(
      names = "--origin",
      paramLabel = "NAME",
      description = "Its origin, where several have this server.")
  private @Nullable String origin;

  ServerSelection() {}

  /** The body of a request to the admin API, which may get further members. */
  Map<String, Object> order() {
    Map<String, Object> order = new LinkedHashMap<>();
    order.put("server", server);
    if (origin != null) {
      order.put("origin", origin);
    }
    return order;
  }

  /** The server that an answer is about. */
  static String name(JsonNode outcome) {
    return outcome.path("server").asString("?")
        + " of origin "
        + outcome.path("origin").asString("?");
  }
}
