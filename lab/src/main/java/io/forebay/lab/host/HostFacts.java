package io.forebay.lab.host;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What stands in a report's head about the machine. Names are flat; values are texts, numbers and
 * booleans. What is not known is absent.
 *
 * <pre>
 *   cpu, sockets, cores, cpus, smt, numaNodes, microcode, governor, maxMegahertz
 *   machine, kernel, os, virtualised, container, clockSource
 *   memoryBytes, swapBytes, transparentHugePages,
 *   transparentHugePagesShmem, hugePages, hugePageBytes, dimms
 *   cgroupCpus, cgroupMemoryBytes, jvm
 *   nic.eth0, disk.nvme0n1       one each
 *   dataMount                    of the directory that is given
 *   placement                    whether network cards, disks and CPUs are on the same nodes
 * </pre>
 */
public final class HostFacts {
  private static final int SECTOR_BYTES = 512;

  private final KernelTree kernel;
  private final Map<String, Object> facts = new LinkedHashMap<>();

  /** Devices by NUMA node. */
  private final Map<Integer, List<String>> nics = new TreeMap<>();

  private final Map<Integer, List<String>> disks = new TreeMap<>();

  private HostFacts(KernelTree kernel) {
    this.kernel = kernel;
  }

  /**
   * Of this machine, and of the JVM that runs this.
   *
   * @param data directory whose mount is of interest, or null
   * @param cpus of the server as a list such as {@code 0-3}; null for all that this process has
   */
  public static Map<String, Object> read(@Nullable Path data, @Nullable String cpus) {
    return read(KernelTree.SYSTEM, data, cpus);
  }

  static Map<String, Object> read(KernelTree kernel, @Nullable Path data, @Nullable String cpus) {
    HostFacts facts = new HostFacts(kernel);
    facts.readCpus();
    facts.readSystem();
    facts.readMemory();
    facts.readGroups();
    facts.readNics();
    facts.readDisks();
    if (data != null) {
      facts.readMount(data);
    }
    facts.readPlacement(cpus);
    return Collections.unmodifiableMap(facts.facts);
  }

  private void put(String name, @Nullable Object value) {
    if (value != null) {
      facts.put(name, value);
    }
  }

  private void put(String name, OptionalLong value) {
    if (value.isPresent()) {
      facts.put(name, value.getAsLong());
    }
  }

  private void readCpus() {
    List<String> info = kernel.lines("proc/cpuinfo");
    put("cpu", KernelTree.text(info, "model name"));
    put("microcode", KernelTree.text(info, "microcode"));
    Path all = kernel.at("sys/devices/system/cpu");
    Set<String> sockets = new HashSet<>();
    Set<String> cores = new HashSet<>();
    Set<String> governors = new TreeSet<>();
    long maxKilohertz = 0;
    BitSet online = KernelTree.cpus(KernelTree.line(all.resolve("online")));
    for (int cpu = online.nextSetBit(0); cpu >= 0; cpu = online.nextSetBit(cpu + 1)) {
      Path one = all.resolve("cpu" + cpu);
      String socket = KernelTree.line(one.resolve("topology/physical_package_id"));
      String core = KernelTree.line(one.resolve("topology/thread_siblings_list"));
      String governor = KernelTree.line(one.resolve("cpufreq/scaling_governor"));
      if (socket != null) {
        sockets.add(socket);
      }
      if (core != null) {
        cores.add(core);
      }
      if (governor != null) {
        governors.add(governor);
      }
      maxKilohertz =
          Math.max(
              maxKilohertz, KernelTree.number(one.resolve("cpufreq/cpuinfo_max_freq")).orElse(0));
    }
    if (!online.isEmpty()) {
      put("cpus", online.cardinality());
    }
    put("sockets", sockets.isEmpty() ? null : sockets.size());
    put("cores", cores.isEmpty() ? null : cores.size());
    put("smt", cores.isEmpty() ? null : online.cardinality() > cores.size() ? "on" : "off");
    put("governor", governors.isEmpty() ? null : String.join(", ", governors));
    put("maxMegahertz", maxKilohertz == 0 ? null : maxKilohertz / 1000);
    put("numaNodes", kernel.nodes().isEmpty() ? null : kernel.nodes().size());
    String flags = KernelTree.text(info, "flags");
    if (flags != null) {
      put("virtualised", List.of(flags.split(" ", -1)).contains("hypervisor"));
    }
  }

  private void readSystem() {
    String version = KernelTree.line(kernel.at("proc/sys/kernel/osrelease"));
    put("kernel", version);
    for (String line : KernelTree.lines(kernel.at("etc/os-release"))) {
      if (line.startsWith("PRETTY_NAME=")) {
        put("os", line.substring(line.indexOf('=') + 1).replace("\"", ""));
      }
    }
    Path board = kernel.at("sys/class/dmi/id");
    String vendor = KernelTree.line(board.resolve("sys_vendor"));
    String product = KernelTree.line(board.resolve("product_name"));
    if (vendor != null || product != null) {
      put(
          "machine",
          ((vendor == null ? "" : vendor) + " " + (product == null ? "" : product)).strip());
    }
    if (KernelTree.exists(kernel.at(".dockerenv"))
        || KernelTree.exists(kernel.at("run/.containerenv"))) {
      put("container", true);
    }
    put(
        "clockSource",
        KernelTree.line(
            kernel.at("sys/devices/system/clocksource/clocksource0/current_clocksource")));
    put("jvm", Runtime.version() + ", " + System.getProperty("java.vm.name"));
  }

  private void readMemory() {
    List<String> meminfo = kernel.lines("proc/meminfo");
    put("memoryBytes", KernelTree.kibibytes(meminfo, "MemTotal:"));
    put("swapBytes", KernelTree.kibibytes(meminfo, "SwapTotal:"));
    put("hugePages", KernelTree.field(meminfo, "HugePages_Total:"));
    put("hugePageBytes", KernelTree.kibibytes(meminfo, "Hugepagesize:"));
    put("transparentHugePages", chosen("sys/kernel/mm/transparent_hugepage/enabled"));
    put("transparentHugePagesShmem", chosen("sys/kernel/mm/transparent_hugepage/shmem_enabled"));
    readDimms();
  }

  /** Of {@code always [madvise] never} the one in brackets. */
  private @Nullable String chosen(String name) {
    String line = KernelTree.line(kernel.at(name));
    if (line == null) {
      return null;
    }
    int open = line.indexOf('[');
    int close = line.indexOf(']');
    return open < 0 || close < open ? null : line.substring(open + 1, close);
  }

  /** As memory controllers with error correction tell them: {@code 16 x 32768 MB DDR5}. */
  private void readDimms() {
    Map<String, Integer> kinds = new TreeMap<>();
    Path controllers = kernel.at("sys/devices/system/edac/mc");
    for (String controller : KernelTree.names(controllers)) {
      for (String dimm : KernelTree.names(controllers.resolve(controller))) {
        Path one = controllers.resolve(controller).resolve(dimm);
        String type = KernelTree.line(one.resolve("dimm_mem_type"));
        OptionalLong megabytes = KernelTree.number(one.resolve("size"));
        if (dimm.startsWith("dimm") && type != null && megabytes.orElse(0) > 0) {
          kinds.merge(megabytes.getAsLong() + " MB " + type, 1, Integer::sum);
        }
      }
    }
    if (!kinds.isEmpty()) {
      put(
          "dimms",
          kinds.entrySet().stream()
              .map(kind -> kind.getValue() + " x " + kind.getKey())
              .collect(Collectors.joining(", ")));
    }
  }

  /** The tightest limits of the control groups around this process, version 1 and 2. */
  private void readGroups() {
    double cpus = Double.MAX_VALUE;
    long memory = Long.MAX_VALUE;
    for (String line : kernel.lines("proc/self/cgroup")) {
      String[] parts = line.split(":", 3);
      if (parts.length < 3 || !parts[2].startsWith("/")) {
        continue;
      }
      List<String> controllers = List.of(parts[1].split(",", -1));
      boolean isUnified = parts[1].isEmpty();
      if (isUnified || controllers.contains("cpu")) {
        Path top = kernel.at(isUnified ? "sys/fs/cgroup" : "sys/fs/cgroup/cpu");
        for (Path group : groups(top, parts[2])) {
          cpus = Math.min(cpus, isUnified ? cpuMax(group) : cpuQuota(group));
        }
      }
      if (isUnified || controllers.contains("memory")) {
        Path top = kernel.at(isUnified ? "sys/fs/cgroup" : "sys/fs/cgroup/memory");
        for (Path group : groups(top, parts[2])) {
          String file = isUnified ? "memory.max" : "memory.limit_in_bytes";
          memory = Math.min(memory, KernelTree.number(group.resolve(file)).orElse(Long.MAX_VALUE));
        }
      }
    }
    put("cgroupCpus", cpus == Double.MAX_VALUE ? null : cpus);
    // Version 1 writes no limit as a number that no machine has.
    put("cgroupMemoryBytes", memory >= Long.MAX_VALUE / 2 ? null : memory);
  }

  /** From the innermost outwards. */
  private static List<Path> groups(Path top, String name) {
    List<Path> groups = new ArrayList<>();
    for (Path at = top.resolve(name.substring(1)).normalize();
        at != null && at.startsWith(top);
        at = at.getParent()) {
      groups.add(at);
    }
    return groups;
  }

  /** {@code 200000 100000}, or {@code max 100000}. */
  private static double cpuMax(Path group) {
    String line = KernelTree.line(group.resolve("cpu.max"));
    String[] words = line == null ? new String[0] : line.split(" ", -1);
    return words.length < 2
        ? Double.MAX_VALUE
        : share(KernelTree.number(words[0]), KernelTree.number(words[1]));
  }

  private static double cpuQuota(Path group) {
    return share(
        KernelTree.number(group.resolve("cpu.cfs_quota_us")),
        KernelTree.number(group.resolve("cpu.cfs_period_us")));
  }

  private static double share(OptionalLong quota, OptionalLong period) {
    return quota.orElse(-1) <= 0 || period.orElse(0) <= 0
        ? Double.MAX_VALUE
        : (double) quota.getAsLong() / period.getAsLong();
  }

  /** Cards only, not what is made of them, such as bonds and bridges. */
  private void readNics() {
    Path all = kernel.at("sys/class/net");
    for (String name : KernelTree.names(all)) {
      Path device = all.resolve(name).resolve("device");
      if (!KernelTree.exists(device)) {
        continue;
      }
      List<String> words = new ArrayList<>();
      long megabits = KernelTree.number(all.resolve(name).resolve("speed")).orElse(-1);
      if (megabits > 0) {
        words.add(megabits % 1000 == 0 ? megabits / 1000 + " Gbit/s" : megabits + " Mbit/s");
      }
      String driver = KernelTree.linked(device.resolve("driver"));
      if (driver != null) {
        words.add(driver);
      }
      String state = KernelTree.line(all.resolve(name).resolve("operstate"));
      if (state != null) {
        words.add(state);
      }
      Integer node = kernel.nodeOf(device);
      if (node != null) {
        words.add("node " + node);
      }
      if (node != null && !"down".equals(state)) {
        nics.computeIfAbsent(node, _ -> new ArrayList<>()).add(name);
      }
      put("nic." + name, words.isEmpty() ? "present" : String.join(", ", words));
    }
  }

  private void readDisks() {
    Path all = kernel.at("sys/block");
    for (String name : new TreeSet<>(MachineCounters.devices(kernel))) {
      Path disk = all.resolve(name);
      List<String> words = new ArrayList<>();
      String model = KernelTree.line(disk.resolve("device/model"));
      if (model != null) {
        words.add(model);
      }
      OptionalLong sectors = KernelTree.number(disk.resolve("size"));
      if (sectors.isPresent()) {
        words.add(String.format(Locale.ROOT, "%.1f GB", sectors.getAsLong() * SECTOR_BYTES / 1e9));
      }
      OptionalLong rotational = KernelTree.number(disk.resolve("queue/rotational"));
      if (rotational.isPresent()) {
        words.add(rotational.getAsLong() == 0 ? "no rotation" : "rotating");
      }
      Integer node = kernel.nodeOf(disk);
      if (node != null) {
        words.add("node " + node);
        disks.computeIfAbsent(node, _ -> new ArrayList<>()).add(name);
      }
      put("disk." + name, words.isEmpty() ? "present" : String.join(", ", words));
    }
  }

  /** {@code 36 35 254:0 / /mnt/a rw,noatime shared:1 - ext4 /dev/vda rw}. */
  private void readMount(Path data) {
    Path real = data.toAbsolutePath().normalize();
    try {
      real = data.toRealPath();
    } catch (IOException e) {
      // It will be made later; its name says where.
    }
    int longest = -1;
    for (String line : kernel.lines("proc/self/mountinfo")) {
      int dash = line.indexOf(" - ");
      String[] words = line.substring(0, Math.max(0, dash)).split(" ", -1);
      String[] rest = dash < 0 ? new String[0] : line.substring(dash + 3).split(" ", 3);
      if (words.length < 6 || rest.length < 2) {
        continue;
      }
      Path point = Path.of(words[4].replace("\\040", " "));
      if (real.startsWith(point) && point.getNameCount() >= longest) {
        longest = point.getNameCount();
        put("dataMount", rest[0] + " " + rest[1] + " on " + point + ", " + words[5]);
      }
    }
  }

  private void readPlacement(@Nullable String cpus) {
    List<Integer> nodes = kernel.nodes();
    if (nodes.size() < 2) {
      return;
    }
    BitSet own =
        KernelTree.cpus(
            cpus != null
                ? cpus
                : KernelTree.text(kernel.lines("proc/self/status"), "Cpus_allowed_list"));
    Set<Integer> ofCpus = new TreeSet<>();
    for (int node : nodes) {
      BitSet there =
          KernelTree.cpus(
              KernelTree.line(kernel.at("sys/devices/system/node/node" + node + "/cpulist")));
      if (there.intersects(own)) {
        ofCpus.add(node);
      }
    }
    String places =
        "CPUs on "
            + ofCpus.stream().map(node -> Integer.toString(node)).collect(Collectors.joining(", "))
            + "; network cards "
            + places(nics)
            + "; disks "
            + places(disks);
    put(
        "placement",
        isTogether(ofCpus, nics) && isTogether(ofCpus, disks)
            ? "on the same nodes: " + places
            : "crosses nodes: " + places);
  }

  private static String places(Map<Integer, List<String>> devices) {
    return devices.isEmpty()
        ? "unknown"
        : devices.entrySet().stream()
            .flatMap(node -> node.getValue().stream().map(name -> name + " on " + node.getKey()))
            .collect(Collectors.joining(", "));
  }

  /** Nothing that the CPUs need is on another node only, and each of their nodes has its own. */
  private static boolean isTogether(Set<Integer> ofCpus, Map<Integer, List<String>> devices) {
    return devices.isEmpty() || devices.keySet().equals(ofCpus);
  }
}
