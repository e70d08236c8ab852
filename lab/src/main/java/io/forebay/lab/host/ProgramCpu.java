package io.forebay.lab.host;

import java.util.BitSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * CPU of all programs of the machine, on the CPUs that this process may run on: {@code user},
 * {@code nice}, {@code system} and {@code steal} of {@code /proc/stat}. What a hypervisor gave to
 * other machines counts as well, since it is missing here.
 *
 * <p>Time in interrupts is left out: kernels differ in whether they charge it to the process that
 * was interrupted. So this is rather too little than too much.
 *
 * @param cpus how many CPUs that are; 0 where the kernel does not tell
 */
record ProgramCpu(int cpus, long ticks) {
  /** {@code cpu0 user nice system idle iowait irq softirq steal …}. */
  private static final Pattern LINE =
      Pattern.compile(
          "cpu(\\d{1,5}) +(\\d{1,18}) (\\d{1,18}) (\\d{1,18})(?: \\d+ \\d+ \\d+ \\d+ (\\d{1,18}))?.*");

  static ProgramCpu read(KernelTree kernel) {
    BitSet allowed =
        KernelTree.cpus(KernelTree.text(kernel.lines("proc/self/status"), "Cpus_allowed_list"));
    int cpus = 0;
    long ticks = 0;
    for (String line : kernel.lines("proc/stat")) {
      Matcher cpu = LINE.matcher(line);
      if (cpu.matches() && (allowed.isEmpty() || allowed.get(Integer.parseInt(cpu.group(1))))) {
        cpus++;
        for (int part = 2; part <= 5; part++) {
          ticks += cpu.group(part) == null ? 0 : Long.parseLong(cpu.group(part));
        }
      }
    }
    return new ProgramCpu(cpus, ticks);
  }

  /** What came since an earlier moment; of no CPUs where one of both is not known. */
  ProgramCpu since(ProgramCpu earlier) {
    return cpus == earlier.cpus
        ? new ProgramCpu(cpus, Math.max(0, ticks - earlier.ticks))
        : new ProgramCpu(0, 0);
  }

  /**
   * The share of these CPUs that programs used which are not of a run, 0 to 1; NaN where it is not
   * known.
   *
   * @param ofRun CPU of the run's own processes and of the kernel's threads
   */
  double shareOfOthers(CpuTicks ofRun, double seconds) {
    return cpus == 0 || seconds <= 0
        ? Double.NaN
        : Math.clamp((ticks - ofRun.sum()) / (double) CpuTicks.A_SECOND / seconds / cpus, 0, 1);
  }
}
