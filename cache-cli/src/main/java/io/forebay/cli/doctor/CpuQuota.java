package io.forebay.cli.doctor;

import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** CPUs that control groups, version 1 or 2, give this process. */
final class CpuQuota {
  private CpuQuota() {}

  /** The least that any of the groups gives; the largest number where none has a limit. */
  static double of(KernelFiles machine) {
    double least = Double.MAX_VALUE;
    for (String line : machine.lines("proc/self/cgroup")) {
      String[] parts = line.split(":", 3);
      if (parts.length < 3 || !parts[2].startsWith("/")) {
        continue;
      }
      boolean isUnified = parts[1].isEmpty();
      if (!isUnified && !List.of(parts[1].split(",", -1)).contains("cpu")) {
        continue;
      }
      String top = isUnified ? "sys/fs/cgroup" : "sys/fs/cgroup/cpu";
      String group = parts[2].equals("/") ? "" : parts[2];
      least = Math.min(least, quota(machine, top + group, isUnified));
      // The groups around it have limits of their own.
      while (!group.isEmpty()) {
        group = group.substring(0, group.lastIndexOf('/'));
        least = Math.min(least, quota(machine, top + group, isUnified));
      }
    }
    return least;
  }

  static String text(double quota) {
    return String.format(Locale.ROOT, quota == Math.rint(quota) ? "%.0f" : "%.1f", quota);
  }

  private static double quota(KernelFiles machine, String directory, boolean isUnified) {
    if (isUnified) {
      // 200000 100000, or max 100000
      String file = directory + "/cpu.max";
      return share(machine.number(file, 0), machine.number(file, 1));
    }
    return share(
        machine.number(directory + "/cpu.cfs_quota_us"),
        machine.number(directory + "/cpu.cfs_period_us"));
  }

  private static double share(OptionalLong quota, OptionalLong period) {
    return quota.orElse(-1) <= 0 || period.orElse(0) <= 0
        ? Double.MAX_VALUE
        : (double) quota.getAsLong() / period.getAsLong();
  }
}
