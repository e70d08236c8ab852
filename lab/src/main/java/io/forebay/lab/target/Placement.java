package io.forebay.lab.target;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The words before a command that place it: CPUs by taskset, memory by numactl. */
final class Placement {
  private Placement() {}

  /**
   * Both programs end by executing the command, so the process is the command's own.
   *
   * @throws UnsupportedOperationException where memory is to be of a node and numactl is missing
   */
  static List<String> prefix(TargetSpec spec) throws IOException {
    return prefix(spec, NumaNodes.read().nodes().size());
  }

  static List<String> prefix(TargetSpec spec, int nodes) {
    List<String> words = new ArrayList<>();
    if (spec.cpus() != null) {
      words.addAll(List.of("taskset", "-c", spec.cpuList().text()));
    }
    if (spec.numaNode() >= 0 && nodes > 1) {
      String missing = Programs.missing("numactl", "numactl");
      if (missing != null) {
        throw new UnsupportedOperationException(missing);
      }
      words.addAll(List.of("numactl", "--membind=" + spec.numaNode(), "--"));
    }
    return words;
  }
}
