package io.forebay.lab.host;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * CPU of the JVM's compiler threads, which start and end as there is work. What a thread used after
 * it was last seen is lost when it ends; it ends after it has been idle for a while.
 */
final class CompilerThreads {
  /** As the kernel cuts the JVM's names off: "C2 CompilerThread0". */
  private static final List<String> NAMES =
      List.of("C1 CompilerThre", "C2 CompilerThre", "JVMCI CompilerT", "JVMCI-native Co");

  private final KernelTree kernel;
  private final long beginTicks;
  private final Map<Long, Seen> threads = new HashMap<>();
  private CpuTicks ended = CpuTicks.NONE;

  private record Seen(ProcessStat stat, CpuTicks base) {
    CpuTicks used() {
      return stat.own().minus(base);
    }
  }

  CompilerThreads(KernelTree kernel, long beginTicks) {
    this.kernel = kernel;
    this.beginTicks = beginTicks;
  }

  /** Looks at the threads of these processes. */
  CpuTicks update(List<Long> processes) {
    Map<Long, Seen> now = new HashMap<>();
    for (long process : processes) {
      Path tasks = kernel.process(process).resolve("task");
      for (String thread : KernelTree.names(tasks)) {
        ProcessStat stat = ProcessStat.read(tasks.resolve(thread).resolve("stat"));
        if (stat == null || !NAMES.contains(stat.name())) {
          continue;
        }
        Seen old = threads.get(stat.id());
        if (old != null && old.stat.isSame(stat)) {
          now.put(stat.id(), new Seen(stat, old.base));
        } else {
          CpuTicks base = stat.startTicks() < beginTicks ? stat.own() : CpuTicks.NONE;
          now.put(stat.id(), new Seen(stat, base));
        }
      }
    }
    threads.forEach((id, old) -> {
      Seen same = now.get(id);
      if (same == null || !same.stat.isSame(old.stat)) {
        ended = ended.plus(old.used());
      }
    });
    threads.clear();
    threads.putAll(now);
    CpuTicks sum = ended;
    for (Seen one : threads.values()) {
      sum = sum.plus(one.used());
    }
    return sum;
  }
}
