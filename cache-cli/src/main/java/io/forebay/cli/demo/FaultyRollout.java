package io.forebay.cli.demo;

import io.forebay.cli.console.AdminClient;
import io.forebay.server.cluster.fleet.DocumentParts;
import io.forebay.server.cluster.fleet.FleetDocument;
import io.forebay.server.cluster.fleet.FleetException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/**
 * A configuration with a mistake, which one node gets first:
 *
 * <pre>
 *   push ─▶ edge-2: one article in ten is 503 ─▶ guard ─▶ back to what was before
 * </pre>
 */
final class FaultyRollout {
  /** An article that gets the error. */
  static final int ARTICLE = 9;

  private static final String DOCUMENT =
      """
      routes:
        - name: site
          rules:
            - when: {path: {suffix: "9"}}
              respond: 503
      """;

  private final AdminClient admin;
  private long version;

  /**
   * A roll-out.
   *
   * @param admin of the node that is asked
   */
  FaultyRollout(AdminClient admin) {
    this.admin = admin;
  }

  /** Begins with a stage of one node, which would take an hour. */
  void push(String canary) throws IOException {
    DocumentParts parts;
    try {
      parts =
          DocumentParts.of(
              FleetDocument.of(
                  List.of(
                      new FleetDocument.File(
                          FleetDocument.MAIN, DOCUMENT.getBytes(StandardCharsets.UTF_8)))));
    } catch (FleetException e) {
      throw new IOException(e.getMessage(), e);
    }
    for (String text : parts.texts().values()) {
      JsonNode ignored = admin.postText("/v1/cluster/config/parts", text);
    }
    JsonNode answer =
        admin.post(
            "/v1/cluster/config/push",
            Map.of("manifest", parts.manifest(), "stages", List.of(canary + "@1h", "all")));
    version = answer.path("version").asLong(-1);
  }

  private JsonNode rollout() {
    return admin.get("/v1/cluster/config").path("rollout");
  }

  boolean isGivenUp() {
    return rollout().path("failed").asLong(0) == version;
  }

  /** Why it was given up. */
  String reason() {
    return rollout().path("reason").asString("?");
  }
}
