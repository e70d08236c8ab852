package io.forebay.server;

import io.forebay.server.cluster.NodeLoad;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.LoopCounters.MethodClass;
import java.util.List;

/** Sums what the loops count, for the other nodes of the cluster. */
final class ClusterLoad {
  /** Of a status: none, 1xx to 5xx. */
  private static final int STATUS_CLASSES = 6;

  private ClusterLoad() {}

  static NodeLoad of(List<LoopCounters> loops, List<String> notReady) {
    long[] byResult = new long[CacheResult.values().length];
    long connections = 0;
    for (LoopCounters loop : loops) {
      connections += loop.connectionsOpen;
      for (MethodClass method : MethodClass.values()) {
        for (CacheResult result : CacheResult.values()) {
          for (int status = 0; status < STATUS_CLASSES; status++) {
            byResult[result.ordinal()] += loop.requests(method, result, status);
          }
        }
      }
    }
    long requests = 0;
    for (long count : byResult) {
      requests += count;
    }
    long hits = byResult[CacheResult.HIT.ordinal()] + byResult[CacheResult.STALE.ordinal()];
    long lookups =
        hits
            + byResult[CacheResult.REVALIDATED.ordinal()]
            + byResult[CacheResult.JOINED.ordinal()]
            + byResult[CacheResult.MISS.ordinal()];
    return new NodeLoad(requests, hits, lookups, connections, notReady);
  }
}
