package io.forebay.server.admin;

import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.disk.ScrubStats;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The devices of the disk tier: what they are at, and taking them in and out of use. */
final class StoresCall {
  private final Node node;
  private final Logger audit;

  StoresCall(Node node, Logger audit) {
    this.node = node;
    this.audit = audit;
  }

  ObjectNode list() {
    ObjectNode answer = Json.object();
    ArrayNode stores = answer.putArray("stores");
    for (DiskStats disk : node.disks()) {
      stores
          .addObject()
          .put("name", disk.name())
          .put("state", disk.state())
          .put("recovered", disk.recovered())
          .put("bytes", disk.bytes())
          .put("regionBytes", disk.regionBytes())
          .put("regions", disk.regions())
          .put("freeRegions", disk.freeRegions())
          .put("reads", disk.reads())
          .put("readBytes", disk.readBytes())
          .put("writes", disk.writes())
          .put("writtenBytes", disk.writtenBytes())
          .put("dropped", disk.dropped())
          .put("queuedLoads", disk.queuedLoads())
          .put("refusedLoads", disk.refusedLoads())
          .put("errors", disk.errors())
          .put("checksumFailures", disk.checksumFailures())
          .put("reclaimedRegions", disk.reclaimedRegions())
          .set("scrub", scrub(disk.scrub()));
    }
    return answer;
  }

  static ObjectNode scrub(ScrubStats scrub) {
    ObjectNode node =
        Json.object()
            .put("progress", scrub.progress())
            .put("rounds", scrub.rounds())
            .put("records", scrub.records())
            .put("bytes", scrub.bytes())
            .put("badRecords", scrub.badRecords());
    return scrub.lastRoundMillis() == 0
        ? node.putNull("lastRound")
        : node.put("lastRound", Instant.ofEpochMilli(scrub.lastRoundMillis()).toString());
  }

  ObjectNode act(String name, ObjectNode order, String caller) throws AdminError {
    String wanted = order.path("action").asString("");
    Node.DiskAction action =
        switch (wanted) {
          case "offline" -> Node.DiskAction.OFFLINE;
          case "online" -> Node.DiskAction.ONLINE;
          case "reinit" -> Node.DiskAction.REINIT;
          default -> throw new AdminError(400, "action must be offline, online or reinit");
        };
    try {
      node.disk(name, action);
    } catch (IllegalArgumentException e) {
      throw new AdminError(404, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      audit.info("store {} caller={} store={} failed: {}", wanted, caller, name, e.toString());
      throw new AdminError(
          500, "store " + name + " fails", List.of(e.toString().toLowerCase(Locale.ROOT)));
    }
    audit.info("store {} caller={} store={}", wanted, caller, name);
    return list();
  }
}
