package io.forebay.server.cluster.fleet;

import io.forebay.server.json.AdminError;
import io.forebay.server.json.InputProblems;
import io.forebay.server.json.Json;
import io.forebay.server.text.Printable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The JSON of the fleet's values in etcd, which the admin API gives too. A value that cannot be
 * read is null.
 */
public final class FleetJson {
  static final int MAX_NOTE = 200;
  static final int MAX_STAGES = 32;

  private static final int MAX_TEXT = 1_000;
  private static final int MAX_STAGE = 2_000;
  private static final int MAX_PROBLEM = 500;

  private FleetJson() {}

  // --- versions ---------------------------------------------------------------------------------

  static ObjectNode json(DocumentVersion version) {
    return Json.object()
        .put("v", 1)
        .put("version", version.version())
        .put("author", version.author())
        .put("at", version.at())
        .put("note", version.note())
        .put("files", version.files())
        .put("size", version.size())
        .put("manifest", version.manifest());
  }

  static @Nullable DocumentVersion documentVersion(String json) {
    ObjectNode object = object(json);
    if (object == null) {
      return null;
    }
    InputProblems problems = new InputProblems();
    String manifest = Json.text(object, "manifest", 64, problems);
    long version = number(object, "version");
    return manifest == null || !DocumentParts.isHash(manifest) || version < 1
        ? null
        : new DocumentVersion(
            version,
            text(object, "author"),
            text(object, "at"),
            text(object, "note"),
            (int) number(object, "files"),
            number(object, "size"),
            manifest);
  }

  // --- the roll-out -----------------------------------------------------------------------------

  public static ObjectNode json(Rollout rollout) {
    ObjectNode json =
        Json.object()
            .put("v", 1)
            .put("id", rollout.id())
            .put("version", rollout.version())
            .put("previous", rollout.previous())
            .put("candidate", rollout.candidate());
    ArrayNode stages = json.putArray("stages");
    rollout.stages().forEach(stage -> stages.add(stage.text()));
    json.put("stage", rollout.stage())
        .put("maxErrors", rollout.guard().errors())
        .put("maxHitLoss", rollout.guard().hits());
    put(json.putObject("reference"), rollout.reference());
    return json.put("failed", rollout.failed())
        .put("reason", rollout.reason())
        .put("author", rollout.author())
        .put("at", rollout.at());
  }

  static @Nullable Rollout rollout(String json) {
    ObjectNode object = object(json);
    if (object == null) {
      return null;
    }
    InputProblems problems = new InputProblems();
    List<RolloutStage> stages = new ArrayList<>();
    try {
      for (String text : Json.texts(object, "stages", MAX_STAGE, problems)) {
        stages.add(RolloutStage.parse(text));
      }
    } catch (FleetException e) {
      return null;
    }
    Rollout rollout =
        new Rollout(
            text(object, "id"),
            number(object, "version"),
            number(object, "previous"),
            number(object, "candidate"),
            stages,
            (int) number(object, "stage"),
            new RolloutGuard(
                Json.number(object, "maxErrors", RolloutGuard.DEFAULT.errors(), 0, 100, problems),
                Json.number(object, "maxHitLoss", RolloutGuard.DEFAULT.hits(), 0, 100, problems)),
            traffic(object.path("reference")),
            number(object, "failed"),
            text(object, "reason"),
            text(object, "author"),
            text(object, "at"));
    boolean isWhole =
        problems.isEmpty()
            && rollout.version() >= 0
            && rollout.candidate() >= 0
            && stages.size() <= MAX_STAGES
            && (!rollout.isRolling() || (rollout.stage() >= 0 && rollout.stage() < stages.size()));
    return isWhole ? rollout : null;
  }

  // --- reports of nodes -------------------------------------------------------------------------

  static String text(NodeReport report) {
    ObjectNode json =
        Json.object()
            .put("version", report.version())
            .put("failed", report.failed())
            .put("ready", report.isReady());
    String problem = report.problem();
    if (problem != null) {
      // Several lines, as some exceptions have, would not be read back.
      json.put("problem", Printable.shown(problem, MAX_PROBLEM));
    }
    if (!report.mark().isEmpty()) {
      json.put("mark", report.mark());
      put(json.putObject("traffic"), report.traffic());
      put(json.putObject("before"), report.before());
    }
    return text(json);
  }

  static NodeReport report(String node, String group, boolean isAlive, @Nullable String json) {
    ObjectNode object = json == null ? null : object(json);
    if (object == null) {
      return new NodeReport(
          node, group, isAlive, -1, 0, null, false, "", TrafficCounts.NONE, TrafficCounts.NONE);
    }
    String problem = text(object, "problem");
    return new NodeReport(
        node,
        group,
        isAlive,
        number(object, "version"),
        number(object, "failed"),
        problem.isEmpty() ? null : problem,
        object.path("ready").asBoolean(false),
        text(object, "mark"),
        traffic(object.path("traffic")),
        traffic(object.path("before")));
  }

  private static void put(ObjectNode json, TrafficCounts traffic) {
    json.put("requests", traffic.requests())
        .put("errors", traffic.errors())
        .put("lookups", traffic.lookups())
        .put("hits", traffic.hits());
  }

  private static TrafficCounts traffic(JsonNode json) {
    return json instanceof ObjectNode object
        ? new TrafficCounts(
            Math.max(0, number(object, "requests")),
            Math.max(0, number(object, "errors")),
            Math.max(0, number(object, "lookups")),
            Math.max(0, number(object, "hits")))
        : TrafficCounts.NONE;
  }

  // --- texts ------------------------------------------------------------------------------------

  static String text(ObjectNode object) {
    return new String(Json.bytes(object), StandardCharsets.UTF_8).strip();
  }

  static @Nullable ObjectNode object(String json) {
    try {
      return Json.object(json.getBytes(StandardCharsets.UTF_8));
    } catch (AdminError e) {
      return null;
    }
  }

  /** A number; -1 where it is missing or invalid. */
  static long number(ObjectNode object, String name) {
    JsonNode node = object.path(name);
    return node.isIntegralNumber() && node.canConvertToLong() ? node.longValue() : -1;
  }

  private static String text(ObjectNode object, String name) {
    String text = Json.text(object, name, MAX_TEXT, new InputProblems());
    return text == null ? "" : text;
  }
}
