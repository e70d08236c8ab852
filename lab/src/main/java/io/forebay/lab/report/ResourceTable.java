package io.forebay.lab.report;

import io.forebay.lab.result.Figure;
import io.forebay.lab.result.ServerTotals;
import io.forebay.lab.result.StepResult;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What each step cost: CPU, memory, disks, power. The same for all published tests. */
final class ResourceTable {
  private static final double GIGA = 1e9;
  private static final double MEGA = 1e6;

  private ResourceTable() {}

  static Table of(List<MeasuredStep> steps) {
    Table.Builder table =
        new Table.Builder(
            "Resources",
            2,
            "Step",
            "Program",
            "Cores, user",
            "Cores, kernel",
            "of these compilers",
            "Cores of the origin",
            "Cores of clients",
            "Memory GB",
            "Scanned pages/s",
            "Disk read MB/s",
            "Disk written MB/s",
            "Written GB a day",
            "Hits from disk, bytes %",
            "Watts",
            "J per GB");
    for (MeasuredStep step : steps) {
      table.measured(
          step,
          step.step(),
          step.who(),
          text(step, one -> one.server().coresUser()),
          text(step, one -> one.server().coresSystem()),
          text(step, one -> one.server().coresCompilers()),
          text(step, one -> one.server().coresOrigin()),
          text(step, one -> one.load().clientCores()),
          text(step, one -> one.server().residentBytes() / GIGA),
          text(step, one -> each(one, (double) one.server().reclaimedPages())),
          text(step, one -> each(one, one.server().diskReadBytes() / MEGA)),
          text(step, one -> each(one, one.server().diskWrittenBytes() / MEGA)),
          step.text(Figure.DISK_GIGABYTES_A_DAY),
          text(step, one -> fromDisk(one.server()) * 100),
          step.text(Figure.WATTS),
          step.text(Figure.JOULES_PER_GIGABYTE));
    }
    return table
        .note("Disks and scanned pages are those of the whole machine.")
        .note("J per GB: energy of the server for 10^9 bytes of bodies that clients got.")
        .build();
  }

  private static String text(MeasuredStep step, ToDoubleFunction<StepResult> value) {
    return Numbers.text(Spread.of(step.steps().stream().mapToDouble(value).toArray()));
  }

  private static double each(StepResult step, double total) {
    double seconds = step.load().seconds();
    return seconds > 0 ? total / seconds : Double.NaN;
  }

  /** NaN where the program does not tell tiers apart. */
  private static double fromDisk(ServerTotals server) {
    long all = server.bytesByTier().values().stream().mapToLong(Long::longValue).sum();
    return all == 0 ? Double.NaN : (double) server.bytesByTier().getOrDefault("disk", 0L) / all;
  }
}
