package io.forebay.server.admin.report;

import io.forebay.server.json.Json;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.disk.EvacuationStats;
import io.forebay.storage.endurance.EnduranceStats;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What the admin API says of the devices of the disk tier beside their counters. */
public final class DiskReport {
  private DiskReport() {}

  /** Name, state, endurance and evacuation of each device. */
  public static void add(ArrayNode list, List<DiskStats> disks) {
    for (DiskStats disk : disks) {
      ObjectNode one = list.addObject();
      one.put("name", disk.name());
      one.put("state", disk.state());
      one.set("endurance", endurance(disk));
      one.set("evacuation", evacuation(disk));
    }
  }

  /** How much was written to a device, and how long it lasts. */
  public static ObjectNode endurance(DiskStats disk) {
    EnduranceStats stats = disk.endurance();
    ObjectNode node = Json.object();
    node.put("since", Instant.ofEpochMilli(stats.beganMillis()).toString());
    node.put("writtenBytes", stats.totalBytes());
    node.put("dayBytes", stats.dayBytes());
    node.put("dailyBudgetBytes", stats.limits().bytesPerDay());
    node.put("admission", stats.admission().name().toLowerCase(Locale.ROOT).replace('_', '-'));
    node.put("overBudgetRecords", stats.refused());
    number(node, "driveWritesPerDay", stats.driveWritesPerDay(), 1e4);
    node.put("ratedBytes", stats.limits().ratedBytes());
    number(node, "yearsLeft", stats.yearsLeft(), 1e2);
    return node;
  }

  /** How far a device has been evacuated. */
  public static ObjectNode evacuation(DiskStats disk) {
    EvacuationStats stats = disk.evacuation();
    return Json.object()
        .put("progress", stats.progress())
        .put("movedRecords", stats.movedRecords())
        .put("movedBytes", stats.movedBytes())
        .put("droppedRecords", stats.droppedRecords());
  }

  /** Null while it is not known. */
  private static void number(ObjectNode node, String name, double value, double precision) {
    if (Double.isFinite(value)) {
      node.put(name, Math.round(value * precision) / precision);
    } else {
      node.putNull(name);
    }
  }
}
