package io.forebay.lab.host;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The machine's counters at one moment, all since its start.
 *
 * @param wireBytes sent by the interface that is watched; -1 where it is not there
 * @param retransmits segments that TCP sent again
 * @param otherNodePages that processes got from another NUMA node than the one they ran on; 0 on a
 *     machine with one node
 * @param programs CPU of all programs, on the CPUs that this process may run on
 */
record MachineCounters(
    long wireBytes,
    long retransmits,
    long scannedPages,
    long stolenPages,
    long diskReadBytes,
    long diskWrittenBytes,
    long otherNodePages,
    ProgramCpu programs) {

  /**
   * Who looks for free pages. The kernel's other counters with these prefixes count the same pages
   * by what they hold.
   */
  private static final List<String> RECLAIMERS =
      List.of("kswapd", "direct", "khugepaged", "proactive");

  /** Of diskstats, whatever the disk's own sectors are. */
  private static final int SECTOR_BYTES = 512;

  /** Of a line of {@code /proc/net/dev}, behind the name. */
  private static final int SENT_BYTES = 8;

  /**
   * Reads them.
   *
   * @param wire interface
   * @param disks names of devices; empty for all that are devices of their own
   */
  static MachineCounters read(KernelTree kernel, String wire, Set<String> disks) {
    List<String> vmstat = kernel.lines("proc/vmstat");
    long read = 0;
    long written = 0;
    Set<String> counted = disks.isEmpty() ? devices(kernel) : disks;
    for (String line : kernel.lines("proc/diskstats")) {
      String[] words = line.strip().split("\\s+", -1);
      if (words.length >= 10 && counted.contains(words[2])) {
        read += KernelTree.number(words[5]).orElse(0) * SECTOR_BYTES;
        written += KernelTree.number(words[9]).orElse(0) * SECTOR_BYTES;
      }
    }
    return new MachineCounters(
        sentBytes(kernel, wire),
        retransmits(kernel),
        sum(vmstat, "pgscan_"),
        sum(vmstat, "pgsteal_"),
        read,
        written,
        otherNodePages(kernel),
        ProgramCpu.read(kernel));
  }

  /** Whole devices: no partitions, and nothing that lies on others, such as loop, dm and md. */
  static Set<String> devices(KernelTree kernel) {
    Path all = kernel.at("sys/block");
    Set<String> devices = new HashSet<>();
    for (String name : KernelTree.names(all)) {
      boolean isHidden = KernelTree.number(all.resolve(name).resolve("hidden")).orElse(0) == 1;
      if (!isHidden && KernelTree.exists(all.resolve(name).resolve("device"))) {
        devices.add(name);
      }
    }
    return devices;
  }

  private static long sum(List<String> vmstat, String prefix) {
    return RECLAIMERS.stream()
        .mapToLong(name -> KernelTree.field(vmstat, prefix + name).orElse(0))
        .sum();
  }

  private static long sentBytes(KernelTree kernel, String wire) {
    for (String line : kernel.lines("proc/net/dev")) {
      // Old kernels leave no blank behind the colon.
      int colon = line.lastIndexOf(':');
      if (colon > 0 && line.substring(0, colon).strip().equals(wire)) {
        String[] words = line.substring(colon + 1).strip().split("\\s+", -1);
        return words.length > SENT_BYTES ? KernelTree.number(words[SENT_BYTES]).orElse(-1) : -1;
      }
    }
    return -1;
  }

  /** Two lines begin with {@code Tcp:}, the first one with names. */
  private static long retransmits(KernelTree kernel) {
    List<String> lines =
        kernel.lines("proc/net/snmp").stream().filter(line -> line.startsWith("Tcp:")).toList();
    if (lines.size() < 2) {
      return 0;
    }
    List<String> names = List.of(lines.get(0).split(" ", -1));
    String[] values = lines.get(1).split(" ", -1);
    int at = names.indexOf("RetransSegs");
    return at < 0 || at >= values.length ? 0 : KernelTree.number(values[at]).orElse(0);
  }

  private static long otherNodePages(KernelTree kernel) {
    List<Integer> nodes = kernel.nodes();
    if (nodes.size() < 2) {
      return 0;
    }
    long pages = 0;
    for (int node : nodes) {
      List<String> stat = kernel.lines("sys/devices/system/node/node" + node + "/numastat");
      OptionalLong other = KernelTree.field(stat, "other_node");
      pages += other.orElse(0);
    }
    return pages;
  }

  /** What came since an earlier moment. */
  MachineCounters since(MachineCounters earlier) {
    boolean isWire = wireBytes >= 0 && earlier.wireBytes >= 0;
    return new MachineCounters(
        isWire ? Math.max(0, wireBytes - earlier.wireBytes) : -1,
        Math.max(0, retransmits - earlier.retransmits),
        Math.max(0, scannedPages - earlier.scannedPages),
        Math.max(0, stolenPages - earlier.stolenPages),
        Math.max(0, diskReadBytes - earlier.diskReadBytes),
        Math.max(0, diskWrittenBytes - earlier.diskWrittenBytes),
        Math.max(0, otherNodePages - earlier.otherNodePages),
        programs.since(earlier.programs));
  }
}
