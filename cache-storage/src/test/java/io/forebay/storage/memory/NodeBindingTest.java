package io.forebay.storage.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.storage.layout.TierHeader;
import io.forebay.storage.memory.NodeBinding.Part;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeBindingTest {
  @Test
  void smallRegionsAreDividedWhereTheyEnd() {
    int region = 64 << 10;
    assertEquals(
        List.of(
            new Part(0, TierHeader.LENGTH + 10L * region, 0),
            new Part(TierHeader.LENGTH + 10L * region, TierHeader.LENGTH + 20L * region, 1)),
        NodeBinding.ofRegions(region, List.of(10, 20), List.of(0, 1)).parts());
  }

  @Test
  void noPartEndsWithinAHugePage() {
    int region = 4 << 20;
    assertEquals(
        List.of(new Part(0, 40L << 20, 0), new Part(40L << 20, TierHeader.LENGTH + (80L << 20), 1)),
        NodeBinding.ofRegions(region, List.of(10, 20), List.of(0, 1)).parts());
  }

  @Test
  void memoryOfTheProcessIsUsedWhetherItCanBeBoundOrNot() throws IOException {
    for (int node : new int[] {0, 900}) {
      NodeBinding nodes = NodeBinding.ofRegions(64 << 10, List.of(8, 16), List.of(0, node));
      long bytes = TierHeader.LENGTH + (16L << 16);
      try (TierMemory tier = TierMemory.anonymous(bytes, new Headroom(), false, nodes)) {
        tier.memory().fill((byte) 7);
        assertTrue(
            tier.nodeState().startsWith("not bound to nodes: ")
                || (node == 0 && tier.nodeState().equals("bound to nodes [0, 0]")),
            tier.nodeState());
      }
    }
  }

  @Test
  void nothingIsBoundWhereAnyNodeWillDo() {
    int any = NodeBinding.ANY_NODE;
    assertTrue(NodeBinding.ofRegions(4096, List.of(10, 20), List.of(any, any)).isEmpty());
  }
}
