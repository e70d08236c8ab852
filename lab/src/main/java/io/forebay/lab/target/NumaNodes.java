package io.forebay.lab.target;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** NUMA nodes of the machine that have CPUs, by number. */
record NumaNodes(List<Node> nodes) {
  private static final Path SYSTEM = Path.of("/sys/devices/system/node");

  NumaNodes {
    nodes = List.copyOf(nodes);
  }

  record Node(int number, CpuList cpus) {}

  /** Of this machine; empty where the kernel tells of none. */
  static NumaNodes read() throws IOException {
    return read(SYSTEM);
  }

  static NumaNodes read(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return new NumaNodes(List.of());
    }
    List<Node> nodes = new ArrayList<>();
    try (Stream<Path> entries = Files.list(directory)) {
      for (Path entry : entries.toList()) {
        String name = entry.getFileName().toString();
        if (name.matches("node[0-9]{1,4}")) {
          String cpus = Files.readString(entry.resolve("cpulist")).strip();
          if (!cpus.isEmpty()) {
            nodes.add(new Node(Integer.parseInt(name.substring(4)), CpuList.parse(cpus)));
          }
        }
      }
    }
    nodes.sort(Comparator.comparingInt(Node::number));
    return new NumaNodes(nodes);
  }
}
