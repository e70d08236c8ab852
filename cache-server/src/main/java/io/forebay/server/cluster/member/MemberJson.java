package io.forebay.server.cluster.member;

import io.forebay.server.config.ClusterConfig.CutOff;
import io.forebay.server.json.AdminError;
import io.forebay.server.json.InputProblems;
import io.forebay.server.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The values of {@code members/NODE}, {@code alive/NODE} and {@code draining/NODE}. */
final class MemberJson {
  private static final int MAX_TEXT = 300;
  private static final int MAX_TIER = 7;
  private static final int MAX_WEIGHT = 10_000;

  private MemberJson() {}

  static String member(Member member) {
    ObjectNode object =
        Json.object()
            .put("v", 1)
            .put("group", member.group())
            .put("address", member.address())
            .put("cutOff", member.cutOff().name().toLowerCase(Locale.ROOT))
            .put("version", member.version());
    ObjectSharing share = member.share();
    if (share != null) {
      object
          .put("objects", share.address())
          .put("tier", share.tier())
          .put("weight", share.weight());
    }
    return text(object);
  }

  /**
   * A node from its JSON; null where it cannot be read. An unknown cut-off counts as {@code serve},
   * the weakest.
   */
  static @Nullable Member read(String name, String json, boolean isAlive, boolean isDraining) {
    ObjectNode object = object(json);
    if (object == null) {
      return null;
    }
    InputProblems problems = new InputProblems();
    String group = Json.text(object, "group", MAX_TEXT, problems);
    String address = Json.text(object, "address", MAX_TEXT, problems);
    String cutOff = Json.text(object, "cutOff", MAX_TEXT, problems);
    String version = Json.text(object, "version", MAX_TEXT, problems);
    return group == null || address == null || !problems.isEmpty()
        ? null
        : new Member(
            name,
            group,
            address,
            cutOff(cutOff),
            version == null ? "" : version,
            isAlive,
            isDraining,
            share(object));
  }

  /** Null where the node shares no objects, or the value cannot be read. */
  private static @Nullable ObjectSharing share(ObjectNode object) {
    InputProblems problems = new InputProblems();
    String address = Json.text(object, "objects", MAX_TEXT, problems);
    int tier = object.path("tier").asInt(-1);
    int weight = object.path("weight").asInt(0);
    return address == null
            || !problems.isEmpty()
            || tier < 0
            || tier > MAX_TIER
            || weight < 1
            || weight > MAX_WEIGHT
        ? null
        : new ObjectSharing(address, tier, weight);
  }

  private static CutOff cutOff(@Nullable String text) {
    for (CutOff one : CutOff.values()) {
      if (one.name().toLowerCase(Locale.ROOT).equals(text)) {
        return one;
      }
    }
    return CutOff.SERVE;
  }

  /** The value of {@code draining/NODE}, for people who read etcd. */
  static String draining(String by) {
    return text(Json.object().put("v", 1).put("by", by));
  }

  /**
   * The value of {@code alive/NODE}.
   *
   * @param config the node's report of its configuration, as JSON; empty for none
   */
  static String alive(NodeIdentity identity, String config) {
    ObjectNode json =
        Json.object().put("v", 1).put("data", identity.data()).put("boot", identity.boot());
    ObjectNode report = object(config);
    if (report != null) {
      json.set("config", report);
    }
    return text(json);
  }

  /** The report of a node on its configuration, as JSON; null where it has none. */
  static @Nullable String config(String alive) {
    ObjectNode object = object(alive);
    return object != null && object.path("config") instanceof ObjectNode config
        ? text(config)
        : null;
  }

  static @Nullable NodeIdentity identity(String json) {
    ObjectNode object = object(json);
    if (object == null) {
      return null;
    }
    InputProblems problems = new InputProblems();
    String data = Json.text(object, "data", MAX_TEXT, problems);
    String boot = Json.text(object, "boot", MAX_TEXT, problems);
    return data == null || boot == null ? null : new NodeIdentity(data, boot);
  }

  private static String text(ObjectNode object) {
    return new String(Json.bytes(object), StandardCharsets.UTF_8).strip();
  }

  private static @Nullable ObjectNode object(String json) {
    try {
      return Json.object(json.getBytes(StandardCharsets.UTF_8));
    } catch (AdminError e) {
      return null;
    }
  }
}
