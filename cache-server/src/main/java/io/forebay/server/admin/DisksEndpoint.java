package io.forebay.server.admin;

import io.forebay.server.admin.report.DiskReport;
import io.forebay.server.admin.report.StatsReport;
import io.forebay.server.json.AdminError;
import io.forebay.server.json.Json;
import io.forebay.server.node.NodeControl;
import io.forebay.storage.disk.DiskStats;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The endpoints for the devices of the disk tier: their state, and taking them into and out of
 * service.
 */
final class DisksEndpoint {
  private final NodeControl node;
  private final Logger audit;

  DisksEndpoint(NodeControl node, Logger audit) {
    this.node = node;
    this.audit = audit;
  }

  ObjectNode list() {
    ObjectNode answer = Json.object();
    ArrayNode stores = answer.putArray("stores");
    for (DiskStats disk : node.disks()) {
      ObjectNode one =
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
              .put("cachedReads", disk.cachedReads())
              .put("transitBytes", disk.transitBytes())
              .put("transitAllocatedBytes", disk.transitAllocatedBytes())
              .put("transitHugeBytes", disk.transitHugeBytes())
              .put("transitExhausted", disk.transitExhausted())
              .put("writes", disk.writes())
              .put("writtenBytes", disk.writtenBytes())
              .put("dropped", disk.dropped())
              .put("queuedLoads", disk.queuedLoads())
              .put("refusedLoads", disk.refusedLoads())
              .put("errors", disk.errors())
              .put("checksumFailures", disk.checksumFailures())
              .put("reclaimedRegions", disk.reclaimedRegions())
              .put("trimmedBytes", disk.trimmedBytes())
              .put("indexEntries", disk.indexEntries())
              .put("indexCapacity", disk.indexCapacity())
              .put("indexBytes", disk.indexBytes())
              .put("indexRefused", disk.indexRefused())
              .put("indexCollisions", disk.indexCollisions());
      one.set("scrub", StatsReport.scrub(disk.scrub()));
      one.set("endurance", DiskReport.endurance(disk));
      one.set("evacuation", DiskReport.evacuation(disk));
    }
    return answer;
  }

  ObjectNode act(String name, ObjectNode order, String caller) throws AdminError {
    String wanted = order.path("action").asString("");
    NodeControl.DiskAction action = NodeControl.DiskAction.of(wanted);
    if (action == null) {
      throw new AdminError(
          400,
          "action must be one of "
              + Arrays.stream(NodeControl.DiskAction.values())
                  .map(NodeControl.DiskAction::word)
                  .collect(Collectors.joining(", ")));
    }
    try {
      node.disk(name, action);
    } catch (IllegalArgumentException e) {
      throw new AdminError(404, String.valueOf(e.getMessage()));
    } catch (IllegalStateException e) {
      throw new AdminError(409, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      audit.info("store {} caller={} store={} failed: {}", wanted, caller, name, e.toString());
      throw new AdminError(
          500,
          "the operation on store " + name + " failed",
          List.of(e.toString().toLowerCase(Locale.ROOT)));
    }
    audit.info("store {} caller={} store={}", wanted, caller, name);
    return list();
  }
}
