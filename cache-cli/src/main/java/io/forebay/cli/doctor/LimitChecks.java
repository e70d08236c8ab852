package io.forebay.cli.doctor;

import io.forebay.cli.console.ByteSizes;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Limits of the process. */
final class LimitChecks {
  private static final Topic OPEN_FILES =
      new Topic(
          "open-files",
          "Each connection is an open file; at the limit, new connections of clients and to origins"
              + " fail.");
  private static final Topic LOCKED_MEMORY =
      new Topic(
          "locked-memory",
          "A memory tier that is not locked can be swapped out, and a hit then waits for a disk.");

  /** Jar, journal, stores, sockets of loops, and what the JVM has. */
  private static final int OWN_FILES = 500;

  private static final int MIN_FILES = 1024;

  private LimitChecks() {}

  static List<Finding> of(Subject subject) {
    List<Finding> findings = new ArrayList<>();
    findings.add(openFiles(subject));
    findings.add(lockedMemory(subject));
    return findings;
  }

  private static Finding openFiles(Subject subject) {
    OptionalLong limit = subject.machine().limit("Max open files");
    if (limit.isEmpty()) {
      return OPEN_FILES.hint("unknown", "ulimit -n");
    }
    long clients = subject.config().limits().connections();
    long origins = subject.originConnections();
    long needed = clients + origins + OWN_FILES;
    String found =
        amount(limit.getAsLong())
            + ", for "
            + clients
            + " connections of clients (limits.connections) and "
            + origins
            + " to origins";
    String fix =
        "ulimit -n "
            + needed
            + " (systemd: LimitNOFILE="
            + needed
            + "), or a smaller limits.connections";
    if (limit.getAsLong() < MIN_FILES) {
      return OPEN_FILES.error(found, fix);
    }
    return OPEN_FILES.warningUnless(limit.getAsLong() >= needed, found, fix);
  }

  private static Finding lockedMemory(Subject subject) {
    KernelFiles machine = subject.machine();
    long tier = subject.start().tierBytes();
    if (machine.memory("SwapTotal").orElse(0) == 0) {
      return LOCKED_MEMORY.ok("no swap");
    }
    if (machine.hasCapability(KernelFiles.CAP_IPC_LOCK)) {
      return LOCKED_MEMORY.ok("no limit for this user (CAP_IPC_LOCK)");
    }
    OptionalLong limit = machine.limit("Max locked memory");
    long bytes = limit.orElse(0);
    return LOCKED_MEMORY.warningUnless(
        bytes >= tier,
        (bytes == Long.MAX_VALUE ? "unlimited" : ByteSizes.text(bytes))
            + ", for a memory tier of "
            + ByteSizes.text(tier),
        "ulimit -l unlimited (systemd: LimitMEMLOCK=infinity), or swapoff -a");
  }

  private static String amount(long limit) {
    return limit == Long.MAX_VALUE ? "unlimited" : Long.toString(limit);
  }
}
