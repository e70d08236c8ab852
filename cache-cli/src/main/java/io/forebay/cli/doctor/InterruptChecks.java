package io.forebay.cli.doctor;

import io.forebay.server.loop.CpuPlan;
import io.forebay.server.loop.ListenException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Which CPUs take packets of network cards, beside those of the event loops. */
final class InterruptChecks {
  private static final Topic AFFINITY =
      new Topic(
          "irq-affinity",
          "A CPU that takes the packets of all queues is full long before the event loops are.");
  private static final Topic STEERING =
      new Topic(
          "receive-steering",
          "A card with fewer queues than loops has all packets processed by a few CPUs, unless the"
              + " kernel spreads them (RPS).");

  /** Interrupts of a card that carry no packets. */
  private static final String NO_QUEUE = ".*(?i:config|async|mgmt|misc|control|fdir|output).*";

  private InterruptChecks() {}

  static List<Finding> of(Subject subject) {
    List<Finding> findings = new ArrayList<>();
    KernelFiles machine = subject.machine();
    int cpus = subject.cpus().allowed().cardinality();
    List<String> cards = cards(machine);
    if (cards.isEmpty() || cpus < 2) {
      findings.add(AFFINITY.ok(cards.isEmpty() ? "no network card that is known" : "one CPU"));
      findings.add(STEERING.ok(findings.getFirst().found()));
      return findings;
    }
    for (String card : cards) {
      findings.add(affinity(subject, card));
      findings.add(steering(subject, card));
    }
    return findings;
  }

  /** Those that are up and have a device. */
  private static List<String> cards(KernelFiles machine) {
    return machine.names("sys/class/net").stream()
        .filter(card -> !machine.names("sys/class/net/" + card + "/device").isEmpty())
        .filter(card -> !"down".equals(machine.text("sys/class/net/" + card + "/operstate")))
        .toList();
  }

  private static Finding affinity(Subject subject, String card) {
    KernelFiles machine = subject.machine();
    List<String> interrupts = interrupts(machine, card);
    Set<Integer> used = new TreeSet<>();
    for (String interrupt : interrupts) {
      String own = "proc/irq/" + interrupt + "/";
      String list = machine.text(own + "effective_affinity_list");
      add(used, list == null ? machine.text(own + "smp_affinity_list") : list);
    }
    if (interrupts.isEmpty() || used.isEmpty()) {
      return AFFINITY.ok(card + ": not told by the kernel");
    }
    String found =
        card
            + ": interrupts of "
            + interrupts.size()
            + (interrupts.size() == 1 ? " queue" : " queues")
            + " on CPUs "
            + used;
    if (subject.config().threads().connections().equals("by-cpu")) {
      Set<Integer> strangers = new TreeSet<>(used);
      strangers.removeAll(pinned(subject));
      if (!strangers.isEmpty()) {
        return AFFINITY.warning(
            found + "; threads.connections is by-cpu, and no event loop is on " + strangers,
            "echo CPU > /proc/irq/{"
                + String.join(",", interrupts)
                + "}/smp_affinity_list with CPUs of event loops, or threads.connections: spread");
      }
    }
    return AFFINITY.hintUnless(
        interrupts.size() == 1 || used.size() > 1,
        found,
        "systemctl enable --now irqbalance, or one CPU for each: echo CPU > /proc/irq/{"
            + String.join(",", interrupts)
            + "}/smp_affinity_list");
  }

  /** Numbers of the interrupts of the queues with received packets. */
  private static List<String> interrupts(KernelFiles machine, String card) {
    String device = "sys/class/net/" + card + "/device";
    List<String> own = machine.names(device + "/msi_irqs");
    if (own.isEmpty()) {
      // A virtio device is below that of the bus, which has the interrupts.
      own = machine.names(device + "/../msi_irqs");
    }
    List<String> queues = new ArrayList<>();
    for (String line : machine.lines("proc/interrupts")) {
      int colon = line.indexOf(':');
      String number = colon < 0 ? "" : line.substring(0, colon).strip();
      if (own.contains(number) && !line.matches(NO_QUEUE)) {
        queues.add(number);
      }
    }
    return queues;
  }

  private static Finding steering(Subject subject, String card) {
    KernelFiles machine = subject.machine();
    String all = "sys/class/net/" + card + "/queues";
    List<String> queues =
        machine.names(all).stream().filter(name -> name.startsWith("rx-")).toList();
    List<String> unsteered =
        queues.stream()
            .filter(queue -> isNone(machine.text(all + "/" + queue + "/rps_cpus")))
            .toList();
    int loops = subject.loops();
    String found =
        card
            + ": "
            + queues.size()
            + (queues.size() == 1 ? " queue" : " queues")
            + " for "
            + loops
            + " event loops, "
            + (unsteered.isEmpty() ? "with" : "without")
            + " RPS";
    if (queues.isEmpty()) {
      return STEERING.ok(card + ": not told by the kernel");
    }
    return STEERING.hintUnless(
        queues.size() >= loops || unsteered.isEmpty(),
        found,
        "ethtool -L "
            + card
            + " combined "
            + loops
            + ", or echo "
            + mask(subject.cpus().allowed())
            + " > /"
            + all
            + "/"
            + unsteered.stream().findFirst().orElse("rx-0")
            + "/rps_cpus (each queue)");
  }

  private static boolean isNone(@Nullable String mask) {
    return mask != null && mask.matches("[0,]+");
  }

  /** As the kernel reads a set of CPUs: words of 32 bits in hexadecimal, the highest first. */
  static String mask(BitSet cpus) {
    StringBuilder text = new StringBuilder();
    for (int word = Math.max(0, cpus.length() - 1) / 32; word >= 0; word--) {
      long bits = 0;
      for (int bit = 0; bit < 32; bit++) {
        bits |= cpus.get(word * 32 + bit) ? 1L << bit : 0;
      }
      text.append(text.isEmpty() ? Long.toHexString(bits) : String.format(",%08x", bits));
    }
    return text.toString();
  }

  private static Set<Integer> pinned(Subject subject) {
    try {
      return new TreeSet<>(
          CpuPlan.of(subject.config().threads().pin(), subject.loops(), subject.cpus()).cpus());
    } catch (ListenException e) {
      return Set.of();
    }
  }

  /** {@code 0-2,5}. */
  private static void add(Set<Integer> cpus, @Nullable String list) {
    for (String part : list == null ? new String[0] : list.split(",", -1)) {
      if (part.matches("[0-9]{1,5}(-[0-9]{1,5})?")) {
        int dash = part.indexOf('-');
        int first = Integer.parseInt(dash < 0 ? part : part.substring(0, dash));
        int last = dash < 0 ? first : Integer.parseInt(part.substring(dash + 1));
        for (int cpu = first; cpu <= last; cpu++) {
          cpus.add(cpu);
        }
      }
    }
  }
}
