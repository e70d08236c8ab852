package io.forebay.storage.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The memory available to this process: that of the machine, or less if a control group limits it.
 * Reads the kernel's files on each call. Not for event loops.
 */
public final class MachineMemory {
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
   */
  public record Reading(
      long limitBytes, String limitedBy, long freeBytes, String tightest, double pressure) {}

  public Reading read() {
    long limit = meminfo("MemTotal:");
    String limitedBy = "the machine";
    long free = meminfo("MemAvailable:");
    String tightest = limitedBy;
    for (ControlGroups.Limited group : groups.limited()) {
      String name = "control group /" + groupRoot.relativize(group.group());
      if (limit == 0 || group.limitBytes() < limit) {
        limit = group.limitBytes();
        limitedBy = name;
      }
      if (free == 0 || group.roomBytes() < free) {
        free = group.roomBytes();
        tightest = name;
      }
    }
    return new Reading(limit, limitedBy, free, tightest, pressure());
  }

  private long meminfo(String field) {
    try {
      for (String line : Files.readAllLines(proc.resolve("meminfo"))) {
        if (line.startsWith(field)) {
          String[] words = line.split("\\s+", 3);
          return Long.parseLong(words[1]) << 10;
        }
      }
    } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
      return 0;
    }
    return 0;
  }

  /** Of the innermost group that tells, else of the machine. */
  private double pressure() {
    List<Path> files = groups.files("memory.pressure");
    Path file = files.isEmpty() ? proc.resolve("pressure/memory") : files.getFirst();
    try {
      for (String line : Files.readAllLines(file)) {
        if (line.startsWith("some avg10=")) {
          int end = line.indexOf(' ', 11);
          return Double.parseDouble(line.substring(11, end < 0 ? line.length() : end)) / 100;
        }
      }
    } catch (IOException | NumberFormatException e) {
      return 0;
    }
    return 0;
  }
}
