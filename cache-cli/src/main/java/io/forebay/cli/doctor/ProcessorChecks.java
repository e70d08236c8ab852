package io.forebay.cli.doctor;

import io.forebay.server.loop.NumaTopology;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** CPUs: how many there are, how fast, on which nodes, and how they tell the time. */
final class ProcessorChecks {
  private static final Topic CPUS =
      new Topic("cpus", "Each event loop needs a CPU of its own; a throttled one stops in bursts.");
  private static final Topic GOVERNOR =
      new Topic("cpu-governor", "CPUs that save power begin each burst of requests slowly.");
  private static final Topic CLOCK =
      new Topic(
          "clock-source",
          "Loops read the clock at each turn, which costs a microsecond and more where it is a"
              + " device.");
  private static final Topic SYNCHRONISED =
      new Topic(
          "clock",
          "Ages, Expires, signatures, certificates and purges of a cluster are computed from it.");
  private static final Topic NUMA_BALANCING =
      new Topic(
          "numa-balancing",
          "The kernel that moves pages between nodes unmaps them for it, and hits wait meanwhile.");
  private static final Topic NUMA =
      new Topic("numa", "Bytes that cross sockets cost memory bandwidth and latency.");
  private static final Topic IO_URING =
      new Topic(
          "io-uring",
          "The node uses epoll and does without; other programs in a comparison may need it.");

  private static final Set<String> FAST_CLOCKS =
      Set.of("tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "xen");

  private ProcessorChecks() {}

  static List<Finding> of(Subject subject) {
    KernelFiles machine = subject.machine();
    List<Finding> findings = new ArrayList<>();
    findings.add(cpus(subject));
    findings.add(governor(machine));
    String clock = machine.text("sys/devices/system/clocksource/clocksource0/current_clocksource");
    findings.add(
        CLOCK.warningUnless(
            clock == null || FAST_CLOCKS.contains(clock),
            clock == null ? "unknown" : clock,
            "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource"));
    findings.add(synchronised(subject.clock()));
    findings.add(numa(subject));
    findings.add(balancing(subject));
    findings.add(ioUring(machine));
    return findings;
  }

  private static Finding cpus(Subject subject) {
    int loops = subject.loops();
    int allowed = subject.cpus().allowed().cardinality();
    double quota = CpuQuota.of(subject.machine());
    String found =
        loops
            + " event loops, "
            + (allowed == 0 ? "an unknown number of" : allowed)
            + " CPUs"
            + (quota == Double.MAX_VALUE
                ? ""
                : ", of which the control group gives " + CpuQuota.text(quota));
    if (quota < loops) {
      return CPUS.warning(
          found,
          "threads.loops: "
              + Math.max(1, (int) quota)
              + ", or a larger limit (systemd: CPUQuota="
              + loops * 100
              + "%; docker: --cpus "
              + loops
              + ")");
    }
    return CPUS.warningUnless(
        allowed == 0 || loops <= allowed, found, "threads.loops: " + Math.max(1, allowed));
  }

  private static Finding governor(KernelFiles machine) {
    String all = "sys/devices/system/cpu";
    Set<String> governors = new TreeSet<>();
    for (String cpu : machine.names(all)) {
      if (cpu.matches("cpu[0-9]{1,5}")) {
        String governor = machine.text(all + "/" + cpu + "/cpufreq/scaling_governor");
        if (governor != null) {
          governors.add(governor);
        }
      }
    }
    return GOVERNOR.hintUnless(
        governors.isEmpty() || governors.equals(Set.of("performance")),
        governors.isEmpty() ? "none that Linux controls" : String.join(", ", governors),
        "cpupower frequency-set -g performance");
  }

  private static Finding numa(Subject subject) {
    List<Integer> nodes =
        subject.cpus().nodes().nodes().stream().map(NumaTopology.Node::number).toList();
    if (nodes.size() < 2) {
      return NUMA.ok("one node");
    }
    KernelFiles machine = subject.machine();
    Set<Integer> ofCards = new TreeSet<>();
    List<String> cards = new ArrayList<>();
    for (String card : machine.names("sys/class/net")) {
      String device = "sys/class/net/" + card;
      long node = machine.number(device + "/device/numa_node").orElse(-1);
      if (node >= 0 && !"down".equals(machine.text(device + "/operstate"))) {
        ofCards.add((int) node);
        cards.add(card + " on node " + node);
      }
    }
    String found =
        "event loops on nodes "
            + nodes
            + "; network cards: "
            + (cards.isEmpty() ? "unknown" : String.join(", ", cards));
    if (subject.config().threads().pin().equals("off")) {
      return NUMA.hint(found + "; loops are not pinned", "threads.pin: auto");
    }
    return NUMA.hintUnless(
        cards.isEmpty() || ofCards.equals(new TreeSet<>(nodes)),
        found,
        "one node for each socket with a card: numactl --cpunodebind=N --membind=N ./forebay serve");
  }

  private static Finding synchronised(@Nullable KernelClock clock) {
    if (clock == null) {
      return SYNCHRONISED.ok("not told by the kernel");
    }
    return SYNCHRONISED.warningUnless(
        clock.isSynchronised(),
        clock.isSynchronised()
            ? "synchronised, wrong by at most " + clock.maxErrorMicros() / 1000 + " ms"
            : "not synchronised",
        "systemctl enable --now chrony, or timedatectl set-ntp true");
  }

  private static Finding balancing(Subject subject) {
    KernelFiles machine = subject.machine();
    if (subject.cpus().nodes().nodes().size() < 2) {
      return NUMA_BALANCING.ok("one node");
    }
    OptionalLong balancing = machine.sysctl("kernel.numa_balancing");
    OptionalLong reclaim = machine.sysctl("vm.zone_reclaim_mode");
    boolean isGood = balancing.orElse(0) == 0 && reclaim.orElse(0) == 0;
    return NUMA_BALANCING.hintUnless(
        isGood,
        "kernel.numa_balancing = "
            + balancing.orElse(0)
            + ", vm.zone_reclaim_mode = "
            + reclaim.orElse(0),
        "sysctl -w kernel.numa_balancing=0 vm.zone_reclaim_mode=0");
  }

  private static Finding ioUring(KernelFiles machine) {
    String state = machine.text("proc/sys/kernel/io_uring_disabled");
    return IO_URING.ok(
        switch (state == null ? "" : state) {
          case "0" -> "available";
          case "1" -> "for a group of users only (kernel.io_uring_disabled = 1)";
          case "2" -> "switched off (kernel.io_uring_disabled = 2)";
          default -> "unknown";
        });
  }
}
