package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.forebay.server.loop.CpuPlan;
import io.forebay.server.loop.NumaTopology;
import io.forebay.storage.CellStats;
import io.forebay.testing.Bytes;
import io.forebay.testing.RawClient;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.FutureTask;
import net.openhft.affinity.Affinity;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node on two CPUs of this machine, each of which it takes for a NUMA node. */
class ServerCellTest {
  private static final int BODY = 100_000;

  @TempDir Path directory;

  /** The first two CPUs of the process, a node each. */
  private static CpuPlan.Machine twoNodes() {
    BitSet own = CpuPlan.Machine.here().allowed();
    assumeTrue(own.cardinality() >= 2, "needs two CPUs");
    int first = own.nextSetBit(0);
    int second = own.nextSetBit(first + 1);
    BitSet allowed = new BitSet();
    allowed.set(first);
    allowed.set(second);
    return new CpuPlan.Machine() {
      @Override
      public BitSet allowed() {
        return (BitSet) allowed.clone();
      }

      @Override
      public int coreOf(int cpu) {
        return cpu;
      }

      @Override
      public NumaTopology nodes() {
        return new NumaTopology(List.of(node(0, first), node(1, second)));
      }
    };
  }

  private static NumaTopology.Node node(int number, int cpu) {
    BitSet cpus = new BitSet();
    cpus.set(cpu);
    return new NumaTopology.Node(number, cpus);
  }

  @Test
  void objectsOfEachCellAreServedByBothAndRemoteBytesAreCounted() throws Exception {
    try (TestOrigin origin = new TestOrigin();
        Edge edge =
            Edge.start(
                directory,
                "32MiB",
                "threads: {loops: 2, pin: auto}\n" + Edge.origins(origin.url()),
                twoNodes())) {
      assertEquals(
          List.of("0 1", "1 1"),
          edge.server().store().cells().stream()
              .map(cell -> cell.node() + " " + cell.lanes())
              .toList());
      byte[] body = Edge.bytes(1, BODY);
      List<RawClient> clients = connected(edge);
      try {
        for (int n = 0; n < 8; n++) {
          TestOrigin ignored =
              origin.on("/" + n, TestOrigin.ok("Cache-Control: max-age=1000\r\n", body));
          Bytes.assertEquals(body, clients.get(n % clients.size()).get("/" + n).body());
        }
        edge.awaitSum(8, c -> c.fillsInstalled);
        long before = edge.sum(c -> c.remoteBytes);
        for (RawClient client : clients) {
          for (int n = 0; n < 8; n++) {
            Bytes.assertEquals(body, client.get("/" + n).body());
          }
        }
        assertTrue(
            edge.server().store().cells().stream().mapToLong(CellStats::usedBytes).sum()
                >= 8 * BODY);
        // Of each object one loop's hits are remote, and the other's are not.
        assertTrue(edge.sum(c -> c.remoteBytes) - before >= 8L * BODY);
        for (var loop : edge.server().counters()) {
          assertTrue(loop.remoteBytes < loop.bytesToClients + loop.bytesToClients / 2);
        }
      } finally {
        clients.forEach(RawClient::close);
      }
    }
  }

  /** Connections until both loops have some. */
  private static List<RawClient> connected(Edge edge) throws IOException {
    List<RawClient> clients = new ArrayList<>();
    while (clients.size() < 2
        || edge.server().counters().stream().anyMatch(loop -> loop.connectionsAccepted == 0)) {
      assertTrue(clients.size() < 200, "all connections go to one loop");
      RawClient client = edge.connect();
      clients.add(client);
      assertEquals(404, client.get("/nothing").status());
    }
    return clients;
  }

  /** A connection over loopback is received by the CPU of the thread that opens it. */
  @Test
  void aConnectionGoesToTheLoopOnTheCpuThatReceivedIt() throws Exception {
    assumeTrue(Epoll.isAvailable() && isKernelAtLeast(6, 2), "needs epoll and Linux 6.2");
    try (TestOrigin origin = new TestOrigin();
        Edge edge =
            Edge.start(
                directory,
                "32MiB",
                "threads: {loops: 2, pin: auto, connections: by-cpu}\n"
                    + Edge.origins(origin.url()),
                twoNodes())) {
      BitSet own = CpuPlan.Machine.here().allowed();
      int cpu = own.nextSetBit(0);
      for (int loop = 0; loop < 2; loop++) {
        BitSet pinned = new BitSet();
        pinned.set(cpu);
        FutureTask<Integer> connecting =
            new FutureTask<>(() -> {
              Affinity.setAffinity(pinned);
              for (int n = 0; n < 16; n++) {
                try (RawClient client = edge.connect()) {
                  assertEquals(404, client.get("/nothing").status());
                }
              }
              return 0;
            });
        Thread _ = Thread.ofPlatform().start(connecting);
        int _ = connecting.get();
        assertEquals(16, edge.server().counters().get(loop).connectionsAccepted);
        assertEquals(loop * 16L, edge.server().counters().get(1 - loop).connectionsAccepted);
        cpu = own.nextSetBit(cpu + 1);
      }
    }
  }

  private static boolean isKernelAtLeast(int major, int minor) {
    String[] version = System.getProperty("os.version").split("[^0-9]+", 3);
    int ownMajor = Integer.parseInt(version[0]);
    return ownMajor > major || (ownMajor == major && Integer.parseInt(version[1]) >= minor);
  }

  @Test
  void withoutPinningThereAreNoCells() throws Exception {
    try (TestOrigin origin = new TestOrigin();
        Edge edge =
            Edge.start(
                directory,
                "32MiB",
                "threads: {loops: 2, pin: off}\n" + Edge.origins(origin.url()),
                twoNodes())) {
      assertEquals(List.of(), edge.server().store().cells());
    }
  }
}
