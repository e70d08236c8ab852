package io.forebay.lab.target;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps clients and origin off the cores of the server: what they do there in between would make
 * both late.
 *
 * <pre>
 *   cpus of the server    0       0-1      all
 *   clients and origin    1       all      all      on two cores
 * </pre>
 */
public final class OtherCores {
  /** Read before this process is moved for the first time. */
  private static final CpuList ALL = CpuList.available();

  private OtherCores() {}

  /**
   * Moves this process and those of the origin, with all their threads, to the cores that the
   * server does not use; to all cores where it uses all. Clients that this process starts later
   * inherit that; a server has to be started with a placement of its own. Processes that have ended
   * are left out.
   *
   * @param cpus of the server as for {@code taskset -c}; null for all
   * @throws IOException when taskset cannot be started
   */
  public static void use(Collection<ProcessHandle> origins, @Nullable String cpus)
      throws IOException, InterruptedException {
    String others = besides(ALL, cpus).text();
    List<ProcessHandle> processes = new ArrayList<>(origins);
    processes.add(ProcessHandle.current());
    List<Process> started = new ArrayList<>();
    for (ProcessHandle process : processes) {
      started.add(
          new ProcessBuilder("taskset", "-a", "-p", "-c", others, Long.toString(process.pid()))
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start());
    }
    for (Process one : started) {
      int ignored = one.waitFor();
    }
  }

  static CpuList besides(CpuList available, @Nullable String cpus) {
    if (cpus == null) {
      return available;
    }
    List<Integer> others = new ArrayList<>(available.numbers());
    others.removeAll(CpuList.parse(cpus).numbers());
    return others.isEmpty() ? available : new CpuList(others);
  }
}
