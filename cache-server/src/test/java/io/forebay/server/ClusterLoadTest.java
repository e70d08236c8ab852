package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.server.cluster.NodeLoad;
import io.forebay.server.counters.CounterNames;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.LoopCounters.MethodClass;
import io.forebay.server.counters.NameTable;
import io.forebay.server.counters.Protocol;
import io.forebay.server.counters.ServedCounters;
import io.forebay.server.listen.peer.NodeListener;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a node tells the others of its counters. */
final class ClusterLoadTest {
  private final CounterNames names = new CounterNames();
  private final LoopCounters one = new LoopCounters(names);
  private final LoopCounters other = new LoopCounters(names);
  private final int clients =
      ServedCounters.listenerCell(names.listeners().number("main"), Protocol.HTTP_2);

  private static void count(LoopCounters loop, int cell, CacheResult result, int status) {
    loop.countRequest(MethodClass.GET, result, status);
    loop.served.count(NameTable.NONE, cell, result, 1000);
  }

  @Test
  void loopsAreSummedAndRequestsOfNodesAreAlsoCountedApart() {
    int nodes =
        ServedCounters.listenerCell(names.listeners().number(NodeListener.NAME), Protocol.HTTP_1_1);
    count(one, clients, CacheResult.HIT, 200);
    count(one, clients, CacheResult.REVALIDATED, 200);
    count(one, clients, CacheResult.PASS, 502);
    count(other, nodes, CacheResult.STALE, 200);
    count(other, nodes, CacheResult.MISS, 200);
    one.originFetches = 2;
    other.originFetches = 1;
    other.responsesAborted = 1;
    one.bytesToClients = 3500;
    other.bytesToClients = 2500;
    one.connectionsOpen = 4;

    assertEquals(
        new NodeLoad(5, 2, 2, 4, 2, 3, 6000, 5000, 3000, 2000, 4, List.of("x")),
        ClusterLoad.of(List.of(one, other), List.of("x")));
  }

  @Test
  void aNodeThatSharesNoObjectsHasNoRequestsOfNodes() {
    count(one, clients, CacheResult.HIT, 200);

    NodeLoad load = ClusterLoad.of(List.of(one, other), List.of());

    assertEquals(1, load.requests());
    assertEquals(0, load.nodeRequests());
    assertEquals(0, load.nodeBytes());
  }
}
