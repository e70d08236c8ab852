package io.forebay.server.admin;

import io.forebay.server.cluster.fleet.DocumentVersion;
import io.forebay.server.cluster.fleet.FleetConfig;
import io.forebay.server.cluster.fleet.FleetConfig.Push;
import io.forebay.server.cluster.fleet.FleetConfig.Pushed;
import io.forebay.server.cluster.fleet.FleetConfig.State;
import io.forebay.server.cluster.fleet.FleetException;
import io.forebay.server.cluster.fleet.FleetJson;
import io.forebay.server.cluster.fleet.NodeReport;
import io.forebay.server.cluster.fleet.Rollout;
import io.forebay.server.cluster.fleet.RolloutGuard;
import io.forebay.server.cluster.fleet.RolloutStage;
import io.forebay.server.config.ConfigView;
import io.forebay.server.json.AdminError;
import io.forebay.server.json.InputProblems;
import io.forebay.server.json.Json;
import io.forebay.server.node.NodeStatus;
import io.forebay.server.text.Printable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code /v1/cluster/config…}: the configuration of the fleet. */
final class FleetEndpoint {
  private static final int MAX_STAGE = 2_000;
  private static final int MAX_STAGES = 32;
  private static final int MAX_NOTE = 200;

  private final NodeStatus node;
  private final Logger audit;

  FleetEndpoint(NodeStatus node, Logger audit) {
    this.node = node;
    this.audit = audit;
  }

  /** {@code POST /v1/cluster/config/parts}: the body is the part as etcd has it. */
  ObjectNode part(byte[] body) throws AdminError {
    try {
      return Json.object().put("part", fleet().part(new String(body, StandardCharsets.US_ASCII)));
    } catch (FleetException e) {
      throw error(e);
    }
  }

  /** {@code POST /v1/cluster/config/push}. */
  ObjectNode push(ObjectNode body, String caller) throws AdminError {
    InputProblems problems = new InputProblems();
    Json.onlyKnown(
        body, Set.of("manifest", "stages", "maxErrors", "maxHitLoss", "note", "dryRun"), problems);
    String manifest = Json.text(body, "manifest", 64, problems);
    String note = Json.text(body, "note", MAX_NOTE, problems);
    List<RolloutStage> stages = new ArrayList<>();
    for (String text : Json.texts(body, "stages", MAX_STAGE, problems)) {
      try {
        stages.add(RolloutStage.parse(text));
      } catch (FleetException e) {
        problems.add("stages: " + e.getMessage());
      }
    }
    if (stages.size() > MAX_STAGES) {
      problems.add("more than " + MAX_STAGES + " stages");
    }
    RolloutGuard guard =
        new RolloutGuard(
            Json.number(body, "maxErrors", RolloutGuard.DEFAULT.errors(), 0, 100, problems),
            Json.number(body, "maxHitLoss", RolloutGuard.DEFAULT.hits(), 0, 100, problems));
    boolean isDryRun = Json.flag(body, "dryRun", false, problems);
    if (manifest == null && problems.isEmpty()) {
      problems.add("manifest is missing");
    }
    refuse(problems);
    try {
      Pushed pushed =
          fleet()
              .push(
                  new Push(
                      String.valueOf(manifest),
                      stages,
                      guard,
                      note == null ? "" : note,
                      caller,
                      isDryRun));
      if (!isDryRun) {
        audit.info("fleet document pushed caller={} version={}", caller, pushed.version());
      }
      ObjectNode answer = Json.object().put("dryRun", isDryRun).put("version", pushed.version());
      pushed.changed().forEach(answer.putArray("changed")::add);
      ArrayNode list = answer.putArray("stages");
      pushed.stages().forEach(stage -> list.add(stage.text()));
      return answer;
    } catch (FleetException e) {
      throw error(e);
    }
  }

  /** {@code POST /v1/cluster/config/promote}. */
  ObjectNode promote(ObjectNode body, String caller) throws AdminError {
    InputProblems problems = new InputProblems();
    Json.onlyKnown(body, Set.of("stage"), problems);
    JsonNode seen = body.path("stage");
    boolean isStage =
        seen.isIntegralNumber() && seen.asLong(-1) >= 0 && seen.asLong(-1) < MAX_STAGES;
    if (!seen.isMissingNode() && !isStage) {
      problems.add("stage must be that of the roll-out, from 0 on");
    }
    refuse(problems);
    try {
      Rollout rollout = fleet().promote(isStage ? seen.intValue() : -1, caller);
      audit.info("fleet document promoted caller={} stage={}", caller, rollout.stage());
      return FleetJson.json(rollout);
    } catch (FleetException e) {
      throw error(e);
    }
  }

  /** {@code POST /v1/cluster/config/rollback}. */
  ObjectNode rollback(ObjectNode body, String caller) throws AdminError {
    InputProblems problems = new InputProblems();
    Json.onlyKnown(body, Set.of("version"), problems);
    JsonNode to = body.path("version");
    if (!to.isMissingNode() && (!to.isIntegralNumber() || to.asLong(-1) < 0)) {
      problems.add("version must be that of a document, or 0 for none");
    }
    refuse(problems);
    try {
      Rollout rollout = fleet().rollback(to.isMissingNode() ? -1 : to.longValue(), caller);
      audit.info("fleet document rolled back caller={} version={}", caller, rollout.version());
      return FleetJson.json(rollout);
    } catch (FleetException e) {
      throw error(e);
    }
  }

  /** {@code GET /v1/cluster/config}. */
  ObjectNode state() throws AdminError {
    try {
      State state = fleet().state();
      ObjectNode answer = Json.object();
      answer.set("rollout", FleetJson.json(state.rollout()));
      ArrayNode versions = answer.putArray("versions");
      for (DocumentVersion version : state.versions()) {
        versions
            .addObject()
            .put("version", version.version())
            .put("author", version.author())
            .put("at", version.at())
            .put("note", version.note())
            .put("files", version.files())
            .put("size", version.size())
            .put("manifest", version.manifest());
      }
      ArrayNode nodes = answer.putArray("nodes");
      for (NodeReport report : state.nodes()) {
        ObjectNode one =
            nodes
                .addObject()
                .put("node", report.node())
                .put("group", report.group())
                .put("alive", report.isAlive());
        if (report.version() >= 0) {
          one.put("version", report.version()).put("ready", report.isReady());
        } else {
          one.putNull("version").put("ready", false);
        }
        one.put("problem", report.problem());
        one.put("requests", report.traffic().requests())
            .put("errors", report.traffic().errors())
            .put("lookups", report.traffic().lookups())
            .put("hits", report.traffic().hits());
      }
      return answer;
    } catch (FleetException e) {
      throw error(e);
    }
  }

  /** {@code GET /v1/cluster/config/changes/FROM/TO}. */
  ObjectNode changes(long from, long to) throws AdminError {
    try {
      ObjectNode answer = Json.object().put("from", from).put("to", to);
      ArrayNode list = answer.putArray("changes");
      for (ConfigView.Change change : fleet().changes(from, to)) {
        list.addObject()
            .put("key", change.key())
            .put("before", change.before())
            .put("after", change.after());
      }
      return answer;
    } catch (FleetException e) {
      throw error(e);
    }
  }

  private static void refuse(InputProblems problems) throws AdminError {
    if (!problems.isEmpty()) {
      throw new AdminError(400, "the order is malformed", problems);
    }
  }

  private static AdminError error(FleetException e) {
    InputProblems problems = new InputProblems();
    problems.addAll(e.problems());
    return new AdminError(
        switch (e.kind()) {
          case WRONG -> 400;
          case REFUSED -> 422;
          case UNKNOWN -> 404;
          case CONFLICT -> 409;
          case UNAVAILABLE -> 503;
        },
        Printable.json(String.valueOf(e.getMessage())),
        problems);
  }

  private FleetConfig fleet() throws AdminError {
    FleetConfig fleet = node.fleet();
    if (fleet == null) {
      throw new AdminError(404, "the node is in no cluster: see cluster.name");
    }
    return fleet;
  }
}
