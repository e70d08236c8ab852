package io.forebay.server.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.forebay.server.loop.NumaTopology.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trees of files as the kernel has them below {@code /sys} and {@code /proc}. */
class NumaTopologyTest {
  @TempDir Path root;

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private void nodes(String online, String withMemory) throws IOException {
    write("sys/devices/system/node/online", online + "\n");
    write("sys/devices/system/node/has_memory", withMemory + "\n");
  }

  private void cpus(int node, String list) throws IOException {
    write("sys/devices/system/node/node" + node + "/cpulist", list + "\n");
  }

  private void allowed(String cpus, String nodes) throws IOException {
    write(
        "proc/self/status",
        "Name:\tjava\nCpus_allowed:\tff\nCpus_allowed_list:\t"
            + cpus
            + "\nMems_allowed:\t3\nMems_allowed_list:\t"
            + nodes
            + "\n");
  }

  private List<String> read() {
    return NumaTopology.read(root).nodes().stream()
        .map(node -> node.number() + " " + node.cpus())
        .toList();
  }

  private void twoNodes() throws IOException {
    nodes("0-1", "0-1");
    cpus(0, "0-3");
    cpus(1, "4-7");
    allowed("0-7", "0-1");
  }

  @Test
  void eachNodeHasItsCpus() throws IOException {
    twoNodes();
    assertEquals(List.of("0 {0, 1, 2, 3}", "1 {4, 5, 6, 7}"), read());
    NumaTopology topology = NumaTopology.read(root);
    assertEquals(0, topology.nodeOf(3));
    assertEquals(1, topology.nodeOf(4));
    assertEquals(NumaTopology.NO_NODE, topology.nodeOf(8));
  }

  @Test
  void onlyCpusCountThatTheProcessMayUse() throws IOException {
    twoNodes();
    allowed("1,6-7", "0-1");
    assertEquals(List.of("0 {1}", "1 {6, 7}"), read());
    allowed("0-3", "0-1");
    assertEquals(List.of("0 {0, 1, 2, 3}"), read());
  }

  @Test
  void onlyNodesCountWhoseMemoryTheProcessMayHave() throws IOException {
    twoNodes();
    allowed("0-7", "1");
    assertEquals(List.of("1 {4, 5, 6, 7}"), read());
  }

  @Test
  void aNodeWithoutCpusIsNone() throws IOException {
    twoNodes();
    nodes("0-2", "0-2");
    cpus(2, "");
    allowed("0-7", "0-2");
    assertEquals(List.of("0 {0, 1, 2, 3}", "1 {4, 5, 6, 7}"), read());
  }

  @Test
  void aNodeWithoutMemoryIsNone() throws IOException {
    twoNodes();
    nodes("0-1", "1");
    assertEquals(List.of("1 {4, 5, 6, 7}"), read());
  }

  @Test
  void nodesThatAreOfflineAreNone() throws IOException {
    twoNodes();
    nodes("0,4-5", "0-1,4");
    cpus(4, "8-9,12");
    allowed("0-12", "0-7");
    assertEquals(List.of("0 {0, 1, 2, 3}", "4 {8, 9, 12}"), read());
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "0-", "3-1", "-1", "0,,1", "0-99999999999", "70000", "0-3\u0000"})
  void whatMakesNoSenseIsNotKnown(String list) throws IOException {
    twoNodes();
    cpus(1, list);
    assertEquals(NumaTopology.UNKNOWN, NumaTopology.read(root));
    twoNodes();
    nodes(list, "0-1");
    assertEquals(NumaTopology.UNKNOWN, NumaTopology.read(root));
    twoNodes();
    allowed(list, "0-1");
    assertEquals(NumaTopology.UNKNOWN, NumaTopology.read(root));
  }

  @Test
  void whatIsMissingOrTooLongIsNotKnown() throws IOException {
    assertEquals(NumaTopology.UNKNOWN, NumaTopology.read(root));
    twoNodes();
    Files.delete(root.resolve("sys/devices/system/node/node1/cpulist"));
    assertEquals(NumaTopology.UNKNOWN, NumaTopology.read(root));
    twoNodes();
    write("proc/self/status", "Cpus_allowed_list:\t0-7\n");
    assertEquals(NumaTopology.UNKNOWN, NumaTopology.read(root));
    write("proc/self/status", "x".repeat(100_000));
    assertEquals(NumaTopology.UNKNOWN, NumaTopology.read(root));
  }

  @Test
  void thisMachineHasANode() {
    for (Node node : NumaTopology.read(Path.of("/")).nodes()) {
      assertFalse(node.cpus().isEmpty());
    }
  }
}
