package io.forebay.server.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.server.loop.CellPlan.Cell;
import io.forebay.server.loop.NumaTopology.Node;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class CellPlanTest {

  /** Nodes by their number, with these CPUs. */
  private static NumaTopology topology(String... cpus) {
    List<Node> nodes = new ArrayList<>();
    for (int n = 0; n < cpus.length; n++) {
      if (!cpus[n].isEmpty()) {
        nodes.add(new Node(n, CpuPlan.parseList(cpus[n])));
      }
    }
    return new NumaTopology(nodes);
  }

  private static CpuPlan.Machine machine(String allowed, NumaTopology nodes) {
    BitSet cpus = CpuPlan.parseList(allowed);
    return new CpuPlan.Machine() {
      @Override
      public BitSet allowed() {
        return cpus;
      }

      @Override
      public int coreOf(int cpu) {
        // Threads n and n + 8 are of one core.
        return cpu % 8;
      }

      @Override
      public NumaTopology nodes() {
        return nodes;
      }
    };
  }

  private static CellPlan plan(String pin, int loops, String allowed, NumaTopology nodes)
      throws ListenException {
    return CellPlan.of("auto", CpuPlan.of(pin, loops, machine(allowed, nodes)), nodes);
  }

  @Test
  void loopsAreSpreadOverNodesAndEachNodeIsACell() throws ListenException {
    NumaTopology nodes = topology("0-3,8-11", "4-7,12-15");
    CpuPlan cpus = CpuPlan.of("auto", 6, machine("0-15", nodes));
    assertEquals(List.of(0, 4, 1, 5, 2, 6), cpus.cpus());
    assertEquals(
        List.of(new Cell(0, List.of(0, 2, 4)), new Cell(1, List.of(1, 3, 5))),
        CellPlan.of("auto", cpus, nodes).cells());
    // Every core has a loop before one has two.
    assertEquals(
        List.of(0, 4, 1, 5, 2, 6, 3, 7, 8, 12),
        CpuPlan.of("auto", 10, machine("0-15", nodes)).cpus());
  }

  @Test
  void aNodeWithFewCpusHasFewLoops() throws ListenException {
    NumaTopology nodes = topology("0-5", "6-7");
    assertEquals(
        List.of(new Cell(0, List.of(0, 2, 4, 5)), new Cell(1, List.of(1, 3))),
        plan("auto", 6, "0-7", nodes).cells());
  }

  @Test
  void aListOfCpusSaysWhichNodesHaveLoops() throws ListenException {
    NumaTopology nodes = topology("0-3", "4-7", "8-11");
    assertEquals(
        List.of(new Cell(0, List.of(1)), new Cell(2, List.of(0, 2))),
        plan("8,1,9", 3, "0-15", nodes).cells());
    assertEquals(
        new CellPlan(List.of(), "no cells: all loops are on one NUMA node"),
        plan("8,9", 2, "0-15", nodes));
  }

  @Test
  void loopsOfANodeWithoutMemoryJoinTheCellWithTheFewest() throws ListenException {
    NumaTopology nodes = topology("0-2", "", "3");
    assertEquals(
        List.of(new Cell(0, List.of(0, 1, 2)), new Cell(2, List.of(3, 4, 5))),
        plan("0,1,2,3,4,5", 6, "0-7", nodes).cells());
  }

  @Test
  void withoutPinningOrWithOneNodeThereAreNone() throws ListenException {
    NumaTopology two = topology("0-3", "4-7");
    assertEquals("no cells: loops are not pinned", plan("off", 4, "0-7", two).word());
    assertEquals("no cells: loops are not pinned", plan("auto", 9, "0-7", two).word());
    assertEquals("no cells: one NUMA node", plan("auto", 4, "0-7", topology("0-7")).word());
    assertEquals(
        "no cells: NUMA nodes are unknown", plan("auto", 4, "0-7", NumaTopology.UNKNOWN).word());
    CpuPlan cpus = CpuPlan.of("auto", 4, machine("0-7", two));
    assertEquals(
        new CellPlan(List.of(), "no cells: store.cells is off"), CellPlan.of("off", cpus, two));
    assertEquals("2 cells, of NUMA nodes [0, 1]", CellPlan.of("auto", cpus, two).word());
  }
}
