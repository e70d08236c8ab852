package io.forebay.lab.host;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Memory of a set of processes. Of one process it is what the kernel counts anyway. Several may
 * share pages, so that the kernel has to walk them to count each once: that is done for one look in
 * ten.
 */
final class ResidentMemory {
  private static final int LOOKS = 10;

  private final KernelTree kernel;
  private int look;
  private long shared;

  ResidentMemory(KernelTree kernel) {
    this.kernel = kernel;
  }

  /** Resident bytes of these processes. */
  long update(List<Long> processes) {
    if (processes.size() <= 1) {
      look = 0;
      return processes.isEmpty() ? 0 : resident(processes.getFirst());
    }
    if (look++ % LOOKS == 0) {
      shared = processes.stream().mapToLong(this::proportional).sum();
    }
    return shared;
  }

  private long resident(long process) {
    return KernelTree.kibibytes(
            KernelTree.lines(kernel.process(process).resolve("status")), "VmRSS:")
        .orElse(0);
  }

  /** With its part of what it shares. */
  private long proportional(long process) {
    OptionalLong bytes =
        KernelTree.kibibytes(
            KernelTree.lines(kernel.process(process).resolve("smaps_rollup")), "Pss:");
    return bytes.isPresent() ? bytes.getAsLong() : resident(process);
  }

  /**
   * Bytes by NUMA node on which they lie; empty on a machine with one node, or where it cannot be
   * read. The kernel walks all pages of the processes for it. Shared pages count with each.
   */
  Map<Integer, Long> byNode(List<Long> processes) {
    if (kernel.nodes().size() < 2) {
      return Map.of();
    }
    Map<Integer, Long> bytes = new HashMap<>();
    for (long process : processes) {
      for (String line : KernelTree.lines(kernel.process(process).resolve("numa_maps"))) {
        addPages(line, bytes);
      }
    }
    return new TreeMap<>(bytes);
  }

  /** {@code 7f00 default file=/x mapped=7 N0=2 N1=5 kernelpagesize_kB=4}. */
  private static void addPages(String line, Map<Integer, Long> bytes) {
    long pageBytes = 4 << 10;
    Map<Integer, Long> pages = new HashMap<>();
    for (String word : line.split(" ", -1)) {
      int sign = word.indexOf('=');
      if (sign < 0) {
        continue;
      }
      OptionalLong value = KernelTree.number(word.substring(sign + 1));
      if (value.isEmpty()) {
        continue;
      }
      if (word.startsWith("kernelpagesize_kB=")) {
        pageBytes = value.getAsLong() << 10;
      } else if (word.charAt(0) == 'N') {
        OptionalLong node = KernelTree.number(word.substring(1, sign));
        if (node.isPresent()) {
          pages.merge((int) node.getAsLong(), value.getAsLong(), Long::sum);
        }
      }
    }
    for (Map.Entry<Integer, Long> one : pages.entrySet()) {
      bytes.merge(one.getKey(), one.getValue() * pageBytes, Long::sum);
    }
  }
}
