package io.forebay.server.loop;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * The NUMA nodes of the machine that this process may use: those with CPUs on which it may run, and
 * with memory that it may have. None where the kernel does not tell, or says what makes no sense.
 *
 * @param nodes by number
 */
public record NumaTopology(List<Node> nodes) {

  /** Nothing is known. */
  public static final NumaTopology UNKNOWN = new NumaTopology(List.of());

  /** What a CPU has that is of no usable node. */
  static final int NO_NODE = -1;

  /** The longest of the files, the status of a process, has a few KiB. */
  private static final int MAX_BYTES = 64 << 10;

  /**
   * A node.
   *
   * @param cpus of it on which the process may run; never empty
   */
  public record Node(int number, BitSet cpus) {
    public Node {
      cpus = (BitSet) cpus.clone();
    }

    @Override
    public BitSet cpus() {
      return (BitSet) cpus.clone();
    }
  }

  public NumaTopology {
    nodes = List.copyOf(nodes);
  }

  /**
   * Reads what the kernel says.
   *
   * @param root below which {@code sys} and {@code proc} are mounted
   */
  public static NumaTopology read(Path root) {
    Path all = root.resolve("sys/devices/system/node");
    try {
      String status = text(root.resolve("proc/self/status"));
      BitSet cpus = allowed(status, "Cpus_allowed_list:");
      BitSet usable = CpuPlan.parseList(text(all.resolve("online")).strip());
      usable.and(allowed(status, "Mems_allowed_list:"));
      usable.and(CpuPlan.parseList(text(all.resolve("has_memory")).strip()));
      List<Node> nodes = new ArrayList<>();
      for (int node = usable.nextSetBit(0); node >= 0; node = usable.nextSetBit(node + 1)) {
        String list = text(all.resolve("node" + node + "/cpulist")).strip();
        BitSet own = list.isEmpty() ? new BitSet() : CpuPlan.parseList(list);
        own.and(cpus);
        if (!own.isEmpty()) {
          nodes.add(new Node(node, own));
        }
      }
      return new NumaTopology(nodes);
    } catch (IOException | NumberFormatException e) {
      return UNKNOWN;
    }
  }

  private static BitSet allowed(String status, String field) throws IOException {
    for (String line : status.split("\n", -1)) {
      if (line.startsWith(field)) {
        return CpuPlan.parseList(line.substring(field.length()).strip());
      }
    }
    throw new IOException("no " + field);
  }

  private static String text(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new IOException(file + " is too long");
      }
      return new String(bytes, StandardCharsets.ISO_8859_1);
    }
  }

  /** The usable node of a CPU, or {@link #NO_NODE}. */
  int nodeOf(int cpu) {
    for (Node node : nodes) {
      if (node.cpus.get(cpu)) {
        return node.number;
      }
    }
    return NO_NODE;
  }
}
