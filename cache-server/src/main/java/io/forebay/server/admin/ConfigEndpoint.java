package io.forebay.server.admin;

import io.forebay.server.config.ConfigView;
import io.forebay.server.config.history.AcceptedConfig;
import io.forebay.server.json.AdminError;
import io.forebay.server.json.InputProblems;
import io.forebay.server.json.Json;
import io.forebay.server.node.NodeControl;
import io.forebay.server.node.NodeControl.Reload;
import io.forebay.server.node.NodeControl.ReloadOrder;
import io.forebay.server.text.Printable;
import java.io.IOException;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import org.slf4j.Logger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code /v1/reload} and {@code /v1/config/…}: reloads, and the configurations accepted so far. */
final class ConfigEndpoint {
  private static final String NOTHING_CHANGED =
      "the configuration was rejected, the old one stays in force";

  private final NodeControl node;
  private final Logger audit;

  ConfigEndpoint(NodeControl node, Logger audit) {
    this.node = node;
    this.audit = audit;
  }

  /** The body may be empty. */
  AdminReply reload(byte[] body, String caller) throws AdminError {
    boolean isDryRun = false;
    if (body.length > 0) {
      ObjectNode order = Json.object(body);
      InputProblems problems = new InputProblems();
      Json.onlyKnown(order, Set.of("dryRun"), problems);
      isDryRun = Json.flag(order, "dryRun", false, problems);
      refuse(problems);
    }
    return run(new ReloadOrder(caller, isDryRun, 0));
  }

  AdminReply rollback(ObjectNode body, String caller) throws AdminError {
    InputProblems problems = new InputProblems();
    Json.onlyKnown(body, Set.of("number", "dryRun"), problems);
    boolean isDryRun = Json.flag(body, "dryRun", false, problems);
    JsonNode number = body.path("number");
    if (!number.isIntegralNumber() || !number.canConvertToLong() || number.longValue() < 1) {
      problems.add("number must be that of an accepted configuration");
    }
    refuse(problems);
    long wanted = number.longValue();
    if (node.acceptedConfigs().stream().noneMatch(entry -> entry.number() == wanted)) {
      throw new AdminError(404, "no accepted configuration has the number " + wanted);
    }
    return run(new ReloadOrder(caller, isDryRun, wanted));
  }

  private static void refuse(InputProblems problems) throws AdminError {
    if (!problems.isEmpty()) {
      throw new AdminError(400, "the order is malformed", problems);
    }
  }

  /** One at a time: two would race for which configuration stays. */
  private synchronized AdminReply run(ReloadOrder order) {
    Reload reload = node.reload(order);
    audit.info(
        "{} caller={} id={} changed={} errors={}",
        order.isDryRun() ? "reload tried" : order.number() == 0 ? "reload" : "rollback",
        order.author(),
        reload.id(),
        reload.changed().size(),
        reload.errors().size());
    if (!reload.errors().isEmpty()) {
      InputProblems problems = new InputProblems();
      reload.errors().forEach(problems::add);
      return AdminReply.error(422, NOTHING_CHANGED, problems, problems.leftOut());
    }
    ObjectNode answer = Json.object();
    if (order.isDryRun()) {
      answer.put("dryRun", true);
    } else {
      answer.put("id", reload.id());
    }
    put(answer, "changed", reload.changed());
    put(answer, "changesKeys", reload.changesKeys());
    put(answer, "needsRestart", reload.needsRestart());
    return AdminReply.json(200, answer);
  }

  private static void put(ObjectNode answer, String name, List<String> lines) {
    ArrayNode list = answer.putArray(name);
    lines.forEach(list::add);
  }

  ObjectNode history() {
    ObjectNode answer = Json.object();
    ArrayNode list = answer.putArray("configurations");
    for (AcceptedConfig entry : node.acceptedConfigs()) {
      ObjectNode one =
          list.addObject()
              .put("number", entry.number())
              .put("time", entry.time().toString())
              .put("author", entry.author())
              .put("hash", entry.hash());
      one.put("file", entry.file().isEmpty() ? null : entry.file())
          .put("source", entry.fleet() == 0 ? "local" : "fleet")
          .put("fleetVersion", entry.fleet());
    }
    return answer;
  }

  ObjectNode changes(long from, long to) throws AdminError {
    try {
      ObjectNode answer = Json.object().put("from", from).put("to", to);
      ArrayNode list = answer.putArray("changes");
      for (ConfigView.Change change : node.configChanges(from, to)) {
        list.addObject()
            .put("key", change.key())
            .put("before", change.before())
            .put("after", change.after());
      }
      return answer;
    } catch (NoSuchElementException e) {
      throw new AdminError(404, String.valueOf(e.getMessage()));
    } catch (IllegalStateException e) {
      throw new AdminError(409, Printable.json(String.valueOf(e.getMessage())));
    } catch (IOException e) {
      throw new AdminError(500, "it cannot be read", List.of(e.toString()));
    }
  }
}
