package io.forebay.cli.doctor;

import io.forebay.cli.console.ByteSizes;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Limits of control groups beside that of CPUs and the hard one of memory, which other checks
 * count.
 */
final class GroupChecks {
  private static final Topic TASKS =
      new Topic(
          "tasks", "Where the kernel gives no more threads, the node fails in the middle of work.");
  private static final Topic MEMORY_HIGH =
      new Topic(
          "memory-high",
          "Above memory.high the kernel stalls the node's threads to reclaim what they just used.");

  /** Of a node beside its loops: the JVM's, disks', the admin API's carriers. */
  private static final int OWN_THREADS = 200;

  private GroupChecks() {}

  static List<Finding> of(Subject subject) {
    OptionalLong tasks = OptionalLong.empty();
    OptionalLong high = OptionalLong.empty();
    for (String group : groups(subject.machine())) {
      tasks = least(tasks, subject.machine().number(group + "/pids.max"));
      high = least(high, subject.machine().number(group + "/memory.high"));
    }
    long threads = (long) subject.loops() + OWN_THREADS;
    OptionalLong own = subject.machine().limit("Max processes");
    long most = Math.min(tasks.orElse(Long.MAX_VALUE), own.orElse(Long.MAX_VALUE));
    long tier = subject.start().tierBytes();
    return List.of(
        TASKS.warningUnless(
            most >= threads,
            (most == Long.MAX_VALUE ? "no limit" : Long.toString(most))
                + ", for about "
                + threads
                + " threads",
            "ulimit -u " + 4 * threads + " (systemd: TasksMax=" + 4 * threads + ")"),
        MEMORY_HIGH.warningUnless(
            high.orElse(Long.MAX_VALUE) > tier,
            high.isEmpty()
                ? "not set"
                : ByteSizes.text(high.getAsLong())
                    + ", with a memory tier of "
                    + ByteSizes.text(tier),
            "systemd: MemoryHigh=infinity, or a smaller store.memory"));
  }

  /** Directories of the process's group of version 2 and of those around it. */
  private static List<String> groups(KernelFiles machine) {
    List<String> groups = new ArrayList<>();
    for (String line : machine.lines("proc/self/cgroup")) {
      if (line.startsWith("0::/")) {
        for (String group = line.substring(3); group.length() > 1; ) {
          groups.add("sys/fs/cgroup" + group);
          group = group.substring(0, group.lastIndexOf('/'));
        }
      }
    }
    return groups;
  }

  private static OptionalLong least(OptionalLong one, OptionalLong other) {
    return one.isEmpty() || (other.isPresent() && other.getAsLong() < one.getAsLong())
        ? other
        : one;
  }
}
