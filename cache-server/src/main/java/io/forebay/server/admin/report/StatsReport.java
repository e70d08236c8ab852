package io.forebay.server.admin.report;

import io.forebay.server.accesslog.AccessLog;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.LoopCounters.MethodClass;
import io.forebay.server.json.Json;
import io.forebay.server.node.NodeControl;
import io.forebay.server.text.Printable;
import io.forebay.server.tls.CertificateStatus;
import io.forebay.storage.CellStats;
import io.forebay.storage.MiddleTierStats;
import io.forebay.storage.StoreStats;
import io.forebay.storage.disk.ScrubStats;
import io.forebay.storage.evict.EvictionStats;
import io.forebay.storage.evict.HitEstimate;
import io.forebay.storage.evict.ResizeStats;
import io.netty.buffer.PooledByteBufAllocator;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code GET /v1/stats}: the figures of the node as one object. Fields are added, never renamed.
 */
public final class StatsReport {
  private static final String[] STATUS_CLASSES = {"none", "1xx", "2xx", "3xx", "4xx", "5xx"};

  private final NodeControl node;
  private final AccessLog accessLog;
  private final String version;
  private final long startNanos;

  public StatsReport(NodeControl node, AccessLog accessLog, String version, long startNanos) {
    this.node = node;
    this.accessLog = accessLog;
    this.version = version;
    this.startNanos = startNanos;
  }

  public ObjectNode json() {
    List<LoopCounters> loops = node.counters();
    ObjectNode stats = Json.object();
    stats.put("version", version);
    stats.put("node", node.config().forwarding().nodeId());
    stats.put("uptimeSeconds", (System.nanoTime() - startNanos) / 1_000_000_000L);
    stats.put("ready", node.notReady().isEmpty());
    requests(stats.putObject("requests"), loops);
    ObjectNode bytes = stats.putObject("bytes");
    put(bytes, loops, "toClients", c -> c.bytesToClients);
    put(bytes, loops, "remote", c -> c.remoteBytes);
    put(bytes, loops, "fromClients", c -> c.bytesFromClients);
    put(bytes, loops, "fromOrigins", c -> c.bytesFromOrigins);
    ObjectNode connections = stats.putObject("connections");
    put(connections, loops, "open", c -> c.connectionsOpen);
    put(connections, loops, "accepted", c -> c.connectionsAccepted);
    put(connections, loops, "refused", c -> c.connectionsRefused);
    put(connections, loops, "stalledClosed", c -> c.stalledClosed);
    ObjectNode tls = stats.putObject("tls");
    put(tls, loops, "handshakes", c -> c.tlsHandshakes);
    put(tls, loops, "resumed", c -> c.tlsResumed);
    put(tls, loops, "failed", c -> c.tlsFailures);
    ArrayNode certificates = tls.putArray("certificates");
    for (CertificateStatus certificate : node.certificates()) {
      ObjectNode one = certificates.addObject();
      one.put("name", certificate.name());
      one.put("kind", certificate.kind());
      ArrayNode hosts = one.putArray("hosts");
      certificate.hosts().forEach(hosts::add);
      one.put("expires", certificate.notAfter().toString());
      Instant stapledUntil = certificate.stapledUntil();
      one.put("stapledUntil", stapledUntil == null ? null : stapledUntil.toString());
    }
    ObjectNode origin = stats.putObject("origin");
    put(origin, loops, "fetches", c -> c.originFetches);
    put(origin, loops, "failures", c -> c.originFailures);
    put(origin, loops, "retries", c -> c.originRetries);
    put(origin, loops, "connectionsOpened", c -> c.originConnectionsOpened);
    put(origin, loops, "connectionsOpen", c -> c.originConnectionsOpen);
    ObjectNode fills = stats.putObject("fills");
    put(fills, loops, "started", c -> c.fillsStarted);
    put(fills, loops, "installed", c -> c.fillsInstalled);
    put(fills, loops, "unstored", c -> c.fillsUnstored);
    put(fills, loops, "failed", c -> c.fillsFailed);
    put(fills, loops, "joined", c -> c.joined);
    put(fills, loops, "revalidations", c -> c.revalidations);
    put(fills, loops, "revalidated", c -> c.revalidated);
    store(stats.putObject("store"), node.store());
    ArrayNode busy = stats.putArray("loops");
    double[] shares = node.busyShares();
    for (double share : shares) {
      busy.addObject().put("busy", Math.round(share * 1e4) / 1e4);
    }
    memory(stats.putObject("memory"));
    ObjectNode log = stats.putObject("accessLog");
    log.put("written", accessLog.written());
    log.put("dropped", accessLog.dropped());
    Path ringDirectory = node.requestRings().directory();
    if (ringDirectory != null) {
      ObjectNode ring = stats.putObject("requestRing");
      ring.put("directory", ringDirectory.toAbsolutePath().toString());
      ring.put("records", node.requestRings().records());
    }
    return stats;
  }

  private static void requests(ObjectNode requests, List<LoopCounters> loops) {
    long[] byResult = new long[CacheResult.values().length];
    long[] byStatus = new long[STATUS_CLASSES.length];
    long total = 0;
    for (LoopCounters loop : loops) {
      for (MethodClass method : MethodClass.values()) {
        for (CacheResult result : CacheResult.values()) {
          for (int status = 0; status < STATUS_CLASSES.length; status++) {
            long count = loop.requests(method, result, status);
            byResult[result.ordinal()] += count;
            byStatus[status] += count;
            total += count;
          }
        }
      }
    }
    requests.put("total", total);
    ObjectNode results = requests.putObject("byResult");
    for (CacheResult result : CacheResult.values()) {
      results.put(result.name().toLowerCase(Locale.ROOT), byResult[result.ordinal()]);
    }
    ObjectNode statuses = requests.putObject("byStatus");
    for (int i = 0; i < STATUS_CLASSES.length; i++) {
      statuses.put(STATUS_CLASSES[i], byStatus[i]);
    }
    // Answered without waiting for an origin, out of what could have been: a pass, a refusal and
    // what the node says of its own are no one's miss.
    long hits = byResult[CacheResult.HIT.ordinal()] + byResult[CacheResult.STALE.ordinal()];
    long asked =
        hits
            + byResult[CacheResult.REVALIDATED.ordinal()]
            + byResult[CacheResult.JOINED.ordinal()]
            + byResult[CacheResult.MISS.ordinal()];
    if (asked == 0) {
      requests.putNull("hitRatio");
    } else {
      requests.put("hitRatio", Math.round(hits * 1e4 / asked) / 1e4);
    }
    put(requests, loops, "clientAborts", c -> c.clientAborts);
    put(requests, loops, "aborted", c -> c.responsesAborted);
    put(requests, loops, "refused", c -> c.requestsRefused);
    put(requests, loops, "limitsHit", LoopCounters::limitsHit);
  }

  private static void store(ObjectNode json, StoreStats store) {
    json.put("capacityBytes", (long) store.regionCount() * store.regionBytes());
    ObjectNode bytes = json.putObject("bytes");
    bytes.put("probation", store.probationBytes());
    bytes.put("protected", store.protectedBytes());
    ObjectNode regions = json.putObject("regions");
    regions.put("total", store.regionCount());
    regions.put("spare", store.spareRegions());
    regions.put("probation", store.probationRegions());
    regions.put("protected", store.protectedRegions());
    regions.put("limbo", store.limboRegions());
    json.put("nodes", store.nodeState());
    ArrayNode cells = json.putArray("cells");
    for (CellStats cell : store.cells()) {
      cells
          .addObject()
          .put("node", cell.node())
          .put("loops", cell.lanes())
          .put("regions", cell.regionCount())
          .put("spareRegions", cell.spareRegions())
          .put("probationRegions", cell.probationRegions())
          .put("protectedRegions", cell.protectedRegions())
          .put("limboRegions", cell.limboRegions())
          .put("usedBytes", cell.usedBytes());
    }
    ArrayNode tiers = json.putArray("middleTiers");
    for (MiddleTierStats tier : store.middleTiers()) {
      tiers
          .addObject()
          .put("tier", tier.name())
          .put("directory", Printable.json(tier.directory()))
          .put("capacityBytes", (long) tier.regionCount() * tier.regionBytes())
          .put("usedBytes", tier.usedBytes())
          .put("regions", tier.regionCount())
          .put("spareRegions", tier.spareRegions())
          .put("demotedRecords", tier.demotedRecords())
          .put("promotedRecords", tier.promotedRecords())
          .put("reclaimedRegions", tier.reclaimedRegions());
    }
    ResizeStats resize = store.resize();
    regions.put("withdrawn", resize.withdrawnRegions());
    ObjectNode size = json.putObject("resize");
    size.put("withdrawnBytes", (long) resize.withdrawnRegions() * store.regionBytes());
    size.put("targetBytes", (long) resize.targetRegions() * store.regionBytes());
    size.put("regionsGivenBack", resize.givenBack());
    size.put("regionsTakenBack", resize.takenBack());
    size.put("failures", resize.failures());
    size.put("fixedBecause", resize.fixedBecause());
    json.put("indexEntries", store.indexEntries());
    json.put("indexCapacity", store.indexCapacity());
    ObjectNode lookups = json.putObject("lookups");
    lookups.put("nearHits", store.nearHits());
    lookups.put("indexHits", store.indexHits());
    lookups.put("misses", store.misses());
    lookups.put("busy", store.busy());
    json.put("installed", store.installed());
    json.put("refusedForSpace", store.refusedForSpace());
    json.put("evictedRecords", store.evictedRecords());
    json.put("reclaimedRegions", store.reclaimedRegions());
    json.put("reclaimedForIndex", store.reclaimedForIndex());
    json.put("unfinishedFills", store.unfinishedFills());
    json.put("pins", store.pins());
    json.put("purges", store.purges());
    json.put("failedPurges", store.failedPurges());
    json.put("purgeScopes", store.purgeScopes());
    json.put("checksumFailures", store.checksumFailures());
    json.set("scrub", scrub(store.scrub()));
    EvictionStats eviction = store.eviction();
    ObjectNode curve = json.putObject("estimates");
    curve.put("sampledRatio", eviction.sampleRate());
    ArrayNode sizes = curve.putArray("sizes");
    for (HitEstimate estimate : eviction.curve()) {
      sizes
          .addObject()
          .put("scale", estimate.scale())
          .put("hitRatio", estimate.objectHitRatio())
          .put("byteHitRatio", estimate.byteHitRatio());
    }
    json.put("outlivesProcess", store.outlivesProcess());
    json.put("memoryLost", store.isMemoryLost());
    ObjectNode recovery = json.putObject("recovery");
    recovery.put("phase", store.recovery().phase().name().toLowerCase(Locale.ROOT));
    recovery.put("fraction", store.recovery().fraction());
    recovery.put("records", store.recovery().records());
  }

  private static void memory(ObjectNode memory) {
    MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    memory.put("heapUsedBytes", heap.getUsed());
    memory.put("heapMaxBytes", heap.getMax());
    for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      if (pool.getName().equals("direct") || pool.getName().equals("mapped")) {
        memory.put(pool.getName() + "Bytes", pool.getMemoryUsed());
      }
    }
    memory.put("nettyDirectBytes", PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory());
  }

  private static void put(
      ObjectNode object,
      List<LoopCounters> loops,
      String name,
      ToLongFunction<LoopCounters> which) {
    long sum = 0;
    for (LoopCounters loop : loops) {
      sum += which.applyAsLong(loop);
    }
    object.put(name, sum);
  }

  /** What the scrub of a disk has read and found. */
  public static ObjectNode scrub(ScrubStats scrub) {
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
}
