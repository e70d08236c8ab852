package io.forebay.server.loop;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Which event loops run on the same NUMA node. Each such node is a <em>cell</em>: its loops write
 * into a part of the memory tier of their own, whose pages are of that node.
 *
 * @param cells none where all loops share the whole memory tier
 * @param word which cells there are, or why there are none
 */
public record CellPlan(List<Cell> cells, String word) {

  /** A node and the numbers of its loops. */
  public record Cell(int node, List<Integer> loops) {
    public Cell {
      loops = List.copyOf(loops);
    }
  }

  public CellPlan {
    cells = List.copyOf(cells);
  }

  /**
   * Lays the plan.
   *
   * @param setting {@code auto} or {@code off}
   */
  public static CellPlan of(String setting, CpuPlan plan, NumaTopology topology) {
    if (setting.equals("off")) {
      return none("store.cells is off");
    }
    if (topology.nodes().size() < 2) {
      return none(topology.nodes().isEmpty() ? "NUMA nodes are unknown" : "one NUMA node");
    }
    if (plan.cpus().isEmpty()) {
      return none("loops are not pinned");
    }
    TreeMap<Integer, List<Integer>> loopsOfNode = new TreeMap<>();
    List<Integer> withoutNode = new ArrayList<>();
    for (int loop = 0; loop < plan.cpus().size(); loop++) {
      int node = topology.nodeOf(plan.cpuOf(loop));
      (node == NumaTopology.NO_NODE
              ? withoutNode
              : loopsOfNode.computeIfAbsent(node, _ -> new ArrayList<>()))
          .add(loop);
    }
    if (loopsOfNode.size() < 2) {
      return none("all loops are on one NUMA node");
    }
    // A CPU whose node has no memory: it uses that of another one in any case.
    for (int loop : withoutNode) {
      fewest(loopsOfNode).add(loop);
    }
    List<Cell> cells =
        loopsOfNode.entrySet().stream()
            .map(entry -> new Cell(entry.getKey(), entry.getValue()))
            .toList();
    return new CellPlan(cells, cells.size() + " cells, of NUMA nodes " + loopsOfNode.keySet());
  }

  private static List<Integer> fewest(TreeMap<Integer, List<Integer>> loopsOfNode) {
    List<Integer> fewest = loopsOfNode.firstEntry().getValue();
    for (List<Integer> loops : loopsOfNode.values()) {
      fewest = loops.size() < fewest.size() ? loops : fewest;
    }
    return fewest;
  }

  private static CellPlan none(String why) {
    return new CellPlan(List.of(), "no cells: " + why);
  }
}
