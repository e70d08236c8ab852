package io.forebay.server.loop;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Assigns a CPU to each event loop: never two loops on one CPU, hardware threads of a core only
 * after every core has a loop, and as many loops on each NUMA node as on any other.
 *
 * @param cpus the CPU of each loop; empty when loops are not pinned
 * @param word why they are not, or how many are
 */
public record CpuPlan(List<Integer> cpus, String word) {

  static final int UNPINNED = -1;

  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Path TOPOLOGY = Path.of("/sys/devices/system/cpu");

  /** More than any kernel is built for. */
  private static final int MAX_NUMBER = 65_535;

  /** What the kernel says of CPUs. */
  public interface Machine {
    /** CPUs this process may run on; empty when that is not known. */
    BitSet allowed();

    /** A CPU that stands for the core of {@code cpu}: the first of its hardware threads. */
    int coreOf(int cpu);

    /** Its NUMA nodes. */
    default NumaTopology nodes() {
      return NumaTopology.UNKNOWN;
    }

    /** The machine this process runs on. */
    static Machine here() {
      return new Machine() {
        @Override
        public BitSet allowed() {
          try {
            for (String line : Files.readAllLines(STATUS, StandardCharsets.ISO_8859_1)) {
              if (line.startsWith("Cpus_allowed_list:")) {
                return parseList(line.substring(line.indexOf(':') + 1).strip());
              }
            }
          } catch (IOException | NumberFormatException e) {
            return new BitSet();
          }
          return new BitSet();
        }

        @Override
        public int coreOf(int cpu) {
          Path siblings = TOPOLOGY.resolve("cpu" + cpu + "/topology/thread_siblings_list");
          try {
            int first = parseList(Files.readString(siblings).strip()).nextSetBit(0);
            return first < 0 ? cpu : first;
          } catch (IOException | NumberFormatException e) {
            return cpu;
          }
        }

        @Override
        public NumaTopology nodes() {
          return NumaTopology.read(Path.of("/"));
        }
      };
    }
  }

  /** The CPU of a loop, or {@link #UNPINNED}. */
  int cpuOf(int loop) {
    return loop < cpus.size() ? cpus.get(loop) : UNPINNED;
  }

  /**
   * Lays the plan.
   *
   * @param pin {@code auto}, {@code off} or a list of CPUs
   */
  public static CpuPlan of(String pin, int loops, Machine machine) throws ListenException {
    if (pin.equals("off")) {
      return unpinned("not pinned: threads.pin is off");
    }
    BitSet allowed = machine.allowed();
    if (!pin.equals("auto")) {
      return listed(pin, loops, allowed);
    }
    int count = allowed.cardinality();
    if (count == 0) {
      return unpinned("not pinned: the CPUs available to the process are unknown");
    }
    if (count == 1) {
      return unpinned("not pinned: the process has only CPU " + allowed.nextSetBit(0));
    }
    if (loops > count) {
      return unpinned("not pinned: " + loops + " loops for " + count + " CPUs");
    }
    NumaTopology nodes = machine.nodes();
    Map<Integer, List<Integer>> firstOfCore = new TreeMap<>();
    Map<Integer, List<Integer>> others = new TreeMap<>();
    Set<Integer> cores = new HashSet<>();
    for (int cpu = allowed.nextSetBit(0); cpu >= 0; cpu = allowed.nextSetBit(cpu + 1)) {
      (cores.add(machine.coreOf(cpu)) ? firstOfCore : others)
          .computeIfAbsent(nodes.nodeOf(cpu), _ -> new ArrayList<>())
          .add(cpu);
    }
    List<Integer> order = inTurn(firstOfCore.values());
    order.addAll(inTurn(others.values()));
    return pinned(List.copyOf(order.subList(0, loops)));
  }

  /** One of each node, then the next one of each. */
  private static List<Integer> inTurn(Collection<List<Integer>> nodes) {
    List<Integer> order = new ArrayList<>();
    int longest = nodes.stream().mapToInt(List::size).max().orElse(0);
    for (int n = 0; n < longest; n++) {
      for (List<Integer> node : nodes) {
        if (n < node.size()) {
          order.add(node.get(n));
        }
      }
    }
    return order;
  }

  private static CpuPlan listed(String pin, int loops, BitSet allowed) throws ListenException {
    List<Integer> cpus = new ArrayList<>();
    String[] words = pin.split(",", -1);
    if (words.length != loops) {
      throw new ListenException(
          "pin "
              + pin
              + ": "
              + words.length
              + " CPUs for "
              + loops
              + " loops; name one CPU for each loop");
    }
    BitSet seen = new BitSet();
    for (int i = 0; i < loops; i++) {
      int cpu;
      try {
        cpu = Integer.parseUnsignedInt(words[i].strip());
      } catch (NumberFormatException e) {
        throw new ListenException("pin " + pin + ": '" + words[i] + "' is not a CPU number", e);
      }
      if (!allowed.get(cpu)) {
        throw new ListenException(
            "pin " + pin + ": CPU " + cpu + " is not among those of this process, " + allowed);
      }
      if (seen.get(cpu)) {
        throw new ListenException("pin " + pin + ": CPU " + cpu + " is named twice");
      }
      seen.set(cpu);
      cpus.add(cpu);
    }
    return pinned(List.copyOf(cpus));
  }

  private static CpuPlan pinned(List<Integer> cpus) {
    return new CpuPlan(cpus, "pinned to CPUs " + cpus);
  }

  private static CpuPlan unpinned(String word) {
    return new CpuPlan(List.of(), word);
  }

  /**
   * A list as the kernel writes it: {@code 0-3,8,10-11}.
   *
   * @throws NumberFormatException if it is none
   */
  static BitSet parseList(String text) {
    BitSet set = new BitSet();
    for (String part : text.split(",", -1)) {
      int dash = part.indexOf('-');
      int from = number(dash < 0 ? part : part.substring(0, dash));
      int to = dash < 0 ? from : number(part.substring(dash + 1));
      if (to < from) {
        throw new NumberFormatException(part + " is no range");
      }
      set.set(from, to + 1);
    }
    return set;
  }

  private static int number(String text) {
    int number = Integer.parseUnsignedInt(text);
    if (number < 0 || number > MAX_NUMBER) {
      throw new NumberFormatException(text + " is too large");
    }
    return number;
  }
}
