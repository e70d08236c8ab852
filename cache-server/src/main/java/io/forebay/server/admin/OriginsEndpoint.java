package io.forebay.server.admin;

import io.forebay.server.admin.report.OriginReport;
import io.forebay.server.json.AdminError;
import io.forebay.server.json.InputProblems;
import io.forebay.server.json.Json;
import io.forebay.server.node.NodeControl;
import io.forebay.server.origin.drain.Drain;
import io.forebay.server.origin.drain.DrainOrder;
import io.forebay.server.origin.drain.DrainOutcome;
import io.forebay.server.text.Printable;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import tools.jackson.databind.node.ObjectNode;

/** {@code /v1/origins}: the servers of origins, and which of them are drained. */
final class OriginsEndpoint {
  private static final int MAX_SERVER_LENGTH = 300;
  private static final int MAX_NAME_LENGTH = 64;
  private static final Set<String> UNDRAIN_FIELDS = Set.of("server", "origin");
  private static final Set<String> DRAIN_FIELDS = Set.of("server", "origin", "reason", "force");

  private final NodeControl node;
  private final Logger audit;

  OriginsEndpoint(NodeControl node, Logger audit) {
    this.node = node;
    this.audit = audit;
  }

  ObjectNode list() {
    return OriginReport.of(node.origins());
  }

  ObjectNode drain(ObjectNode body, String caller) throws AdminError {
    InputProblems problems = new InputProblems();
    Json.onlyKnown(body, DRAIN_FIELDS, problems);
    String server = server(body, problems);
    String origin = Json.text(body, "origin", MAX_NAME_LENGTH, problems);
    String reason = Json.text(body, "reason", Drain.MAX_REASON, problems);
    boolean isForced = Json.flag(body, "force", false, problems);
    if (reason != null && !reason.chars().allMatch(c -> c >= 0x20 && c < 0x7f)) {
      problems.add("reason must be ASCII");
    }
    refuse(problems);
    return run(
        "drained",
        caller,
        server,
        () ->
            node.drain(
                new DrainOrder(server, origin, reason == null ? "" : reason.strip(), isForced)));
  }

  ObjectNode undrain(ObjectNode body, String caller) throws AdminError {
    InputProblems problems = new InputProblems();
    Json.onlyKnown(body, UNDRAIN_FIELDS, problems);
    String server = server(body, problems);
    String origin = Json.text(body, "origin", MAX_NAME_LENGTH, problems);
    refuse(problems);
    return run("undrained", caller, server, () -> node.undrain(server, origin));
  }

  private static String server(ObjectNode body, InputProblems problems) {
    String server = Json.text(body, "server", MAX_SERVER_LENGTH, problems);
    if (server == null && problems.isEmpty()) {
      problems.add("server must be the URL of a server, or ADDRESS:PORT");
    }
    return server == null ? "" : server;
  }

  private static void refuse(InputProblems problems) throws AdminError {
    if (!problems.isEmpty()) {
      throw new AdminError(400, "the order is malformed", problems);
    }
  }

  private interface Change {
    DrainOutcome run() throws IOException;
  }

  private ObjectNode run(String word, String caller, String server, Change change)
      throws AdminError {
    try {
      DrainOutcome outcome = change.run();
      audit.info(
          "server {} caller={} origin={} server={} changed={}",
          word,
          caller,
          outcome.origin(),
          outcome.target(),
          outcome.isChanged());
      return OriginReport.of(outcome, node.origins());
    } catch (IllegalArgumentException e) {
      throw new AdminError(404, String.valueOf(e.getMessage()));
    } catch (IllegalStateException e) {
      throw new AdminError(409, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      audit.info(
          "server {} caller={} server={} failed: {}",
          word,
          caller,
          Printable.line(server),
          e.toString());
      throw new AdminError(
          507, "it could not be made durable, so nothing was changed", List.of(e.toString()));
    }
  }
}
