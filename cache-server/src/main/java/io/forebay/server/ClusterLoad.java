package io.forebay.server;

import io.forebay.server.cluster.NodeLoad;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.LoopCounters.MethodClass;
import io.forebay.server.counters.Protocol;
import io.forebay.server.listen.peer.NodeListener;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

/** Sums what the loops count, for the other nodes of the cluster. */
final class ClusterLoad {
  /** Of a status: none, 1xx to 5xx. */
  private static final int STATUS_CLASSES = 6;

  private static final int SERVER_ERROR = 5;

  /** Results whose body came from the store. */
  private static final Set<CacheResult> STORED =
      Set.of(CacheResult.HIT, CacheResult.STALE, CacheResult.REVALIDATED);

  private final List<LoopCounters> loops;

  private ClusterLoad(List<LoopCounters> loops) {
    this.loops = loops;
  }

  static NodeLoad of(List<LoopCounters> loops, List<String> notReady) {
    return new ClusterLoad(loops).load(notReady);
  }

  private NodeLoad load(List<String> notReady) {
    long[] byResult = new long[CacheResult.values().length];
    long requests = 0;
    long bodyBytes = 0;
    long storedBytes = 0;
    for (CacheResult result : CacheResult.values()) {
      long count = sum(loop -> requests(loop, result));
      byResult[result.ordinal()] = count;
      requests += count;
      long bytes = sum(loop -> loop.served.bytes(result));
      bodyBytes += bytes;
      storedBytes += STORED.contains(result) ? bytes : 0;
    }
    long hits = byResult[CacheResult.HIT.ordinal()] + byResult[CacheResult.STALE.ordinal()];
    long lookups =
        hits
            + byResult[CacheResult.REVALIDATED.ordinal()]
            + byResult[CacheResult.JOINED.ordinal()]
            + byResult[CacheResult.MISS.ordinal()];
    // Nodes talk HTTP/1.1; their listener has a number where objects are shared.
    int nodes = loops.getFirst().names().listeners().names().indexOf(NodeListener.NAME);
    return new NodeLoad(
        requests,
        nodes < 0 ? 0 : sum(loop -> loop.served.listenerRequests(nodes, Protocol.HTTP_1_1)),
        hits,
        lookups,
        sum(ClusterLoad::errors),
        sum(loop -> loop.originFetches),
        sum(loop -> loop.bytesToClients),
        bodyBytes,
        storedBytes,
        nodes < 0 ? 0 : sum(loop -> loop.served.listenerBytes(nodes, Protocol.HTTP_1_1)),
        sum(loop -> loop.connectionsOpen),
        notReady);
  }

  private long sum(ToLongFunction<LoopCounters> figure) {
    return loops.stream().mapToLong(figure).sum();
  }

  private static long requests(LoopCounters loop, CacheResult result) {
    long sum = 0;
    for (MethodClass method : MethodClass.values()) {
      for (int status = 0; status < STATUS_CLASSES; status++) {
        sum += loop.requests(method, result, status);
      }
    }
    return sum;
  }

  private static long errors(LoopCounters loop) {
    long sum = loop.responsesAborted;
    for (MethodClass method : MethodClass.values()) {
      for (CacheResult result : CacheResult.values()) {
        sum += loop.requests(method, result, SERVER_ERROR);
      }
    }
    return sum;
  }
}
