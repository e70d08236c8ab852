package io.forebay.storage.memory;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The memory available to this process: that of the machine, or less if a control group limits it.
 * Reads the kernel's files on each call. Not for event loops.
 */
public final class MachineMemory {
  /** Who looks for free pages, as the kernel's counters name them. */
  private static final List<String> RECLAIMERS_OF_PAGES =
      List.of("kswapd", "direct", "khugepaged", "proactive");

  private final Path proc;
  private final Path groupRoot;
  private final ControlGroups groups;

  /**
   * @param proc where the kernel tells of processes and memory
   * @param groupRoot where control groups are mounted
   */
  public MachineMemory(Path proc, Path groupRoot) {
    this.proc = proc;
    this.groupRoot = groupRoot;
    this.groups = new ControlGroups(proc.resolve("self/cgroup"), groupRoot);
  }

  public static MachineMemory system() {
    return new MachineMemory(Path.of("/proc"), Path.of("/sys/fs/cgroup"));
  }

  /**
   * How it stands now.
   *
   * @param limitBytes the least of the machine's memory and all limits of control groups; 0 where
   *     nothing can be read
   * @param limitedBy what sets it, for people
   * @param freeBytes that could still be taken of the tightest of them, without what the kernel can
   *     drop
   * @param tightest which of them that is
   * @param pressure share of the last ten seconds in which somebody waited for memory, 0 to 1
   * @param pages what the kernel reclaimed: of the innermost control group that tells, else of the
   *     machine
   */
  public record Reading(
      long limitBytes,
      String limitedBy,
      long freeBytes,
      String tightest,
      double pressure,
      PageReclaim pages) {}

  public Reading read() {
    long limit = meminfo("MemTotal:").orElse(0);
    String limitedBy = "the machine";
    long free = meminfo("MemAvailable:").orElse(0);
    String tightest = limitedBy;
    for (ControlGroups.Limited group : groups.limited()) {
      String name = name(group.group());
      if (limit == 0 || group.limitBytes() < limit) {
        limit = group.limitBytes();
        limitedBy = name;
      }
      if (free == 0 || group.roomBytes() < free) {
        free = group.roomBytes();
        tightest = name;
      }
    }
    return new Reading(limit, limitedBy, free, tightest, waiting(), pages());
  }

  /** How short memory is, at each level by itself. */
  public MemoryPressure pressure() {
    List<MemoryPressure.Level> levels = new ArrayList<>();
    for (ControlGroups.Limited group : groups.throttled()) {
      levels.add(
          new MemoryPressure.Level(name(group.group()), group.limitBytes(), group.roomBytes()));
    }
    long total = meminfo("MemTotal:").orElse(0);
    OptionalLong available = meminfo("MemAvailable:");
    if (total > 0 && available.isPresent()) {
      levels.add(new MemoryPressure.Level("the machine", total, available.getAsLong()));
    }
    List<Path> files = groups.files("memory.pressure");
    Path own = files.isEmpty() ? proc.resolve("pressure/memory") : files.getFirst();
    double full = KernelFile.pressure(KernelFile.lines(own), "full");
    for (Path file : files) {
      // Of a group further out only this: that some of its tasks wait may be due to a limit of
      // their own, and giving memory back would not help them.
      full = Math.max(full, KernelFile.pressure(KernelFile.lines(file), "full"));
    }
    return new MemoryPressure(levels, waiting(), full, groups.outOfMemory());
  }

  private PageReclaim pages() {
    for (Path file : groups.files("memory.stat")) {
      List<String> stat = KernelFile.lines(file);
      OptionalLong scanned = KernelFile.field(stat, "pgscan");
      OptionalLong stolen = KernelFile.field(stat, "pgsteal");
      if (scanned.isPresent() && stolen.isPresent()) {
        return new PageReclaim(scanned.getAsLong(), stolen.getAsLong());
      }
    }
    List<String> all = KernelFile.lines(proc.resolve("vmstat"));
    return new PageReclaim(
        sum(all, "pgscan_", RECLAIMERS_OF_PAGES), sum(all, "pgsteal_", RECLAIMERS_OF_PAGES));
  }

  private static long sum(List<String> lines, String prefix, List<String> names) {
    return names.stream().mapToLong(name -> KernelFile.field(lines, prefix + name).orElse(0)).sum();
  }

  private String name(Path group) {
    return "control group /" + groupRoot.relativize(group);
  }

  private OptionalLong meminfo(String field) {
    OptionalLong kibibytes = KernelFile.field(KernelFile.lines(proc.resolve("meminfo")), field);
    return kibibytes.isEmpty() || kibibytes.getAsLong() > Long.MAX_VALUE >> 10
        ? OptionalLong.empty()
        : OptionalLong.of(kibibytes.getAsLong() << 10);
  }

  /** Of the innermost group that tells, else of the machine. */
  private double waiting() {
    List<Path> files = groups.files("memory.pressure");
    Path file = files.isEmpty() ? proc.resolve("pressure/memory") : files.getFirst();
    return KernelFile.pressure(KernelFile.lines(file), "some");
  }
}
