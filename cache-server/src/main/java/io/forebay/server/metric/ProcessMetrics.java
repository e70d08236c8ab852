package io.forebay.server.metric;

import io.netty.buffer.PooledByteBufAllocator;

/** Metrics of the process: readiness, memory and event loops. */
final class ProcessMetrics {
  private ProcessMetrics() {}

  static void add(MeterRegistrar meters, CachedReports from) {
    meters.gauge(
        "forebay_ready",
        "1 if the node is ready for traffic, else 0.",
        () -> from.node().notReady().isEmpty() ? 1 : 0);
    meters.gauge(
        "forebay_memory_budget_bytes",
        "Maximum total of the memory tier, index, buffers, heap, direct memory and the JVM.",
        () -> from.memory().budgetBytes());
    meters.gauge(
        "forebay_memory_limit_bytes",
        "Memory available to the process, limited by the machine or the tightest control"
            + " group; 0 if unknown.",
        () -> from.memory().limitBytes());
    meters.gauge(
        "forebay_memory_free_bytes",
        "Memory still available under this limit to all processes that share it.",
        () -> from.memory().freeBytes());
    meters.gauge(
        "forebay_memory_pressure_ratio",
        "Share of the last ten seconds in which at least one task waited for memory.",
        () -> from.memory().pressure());
    meters.counter(
        "forebay_memory_scanned_pages",
        "Pages that the kernel looked at to find free ones (pgscan): of the control group of the"
            + " process if it counts them, else of the machine.",
        () -> from.memory().pages().scannedPages());
    meters.counter(
        "forebay_memory_reclaimed_pages",
        "Pages that the kernel took back (pgsteal): of the control group of the process if it"
            + " counts them, else of the machine.",
        () -> from.memory().pages().reclaimedPages());
    meters.gauge(
        "forebay_memory_short",
        "1 if the memory limit has fallen since the start or memory is short, else 0; /readyz"
            + " gives the details.",
        () -> from.memory().problem() == null ? 0 : 1);
    meters.gauge(
        "forebay_netty_direct_memory_bytes",
        "Direct memory held by the allocator of network buffers.",
        () -> PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory());
    meters.gauge(
        "forebay_purges_failing",
        "1 if the last purge could not be made durable and must be repeated, else 0.",
        () -> from.node().isPurgeFailing() ? 1 : 0);
    for (int i = 0; i < from.busyShares().length; i++) {
      int loop = i;
      meters.gauge(
          "forebay_loop_busy_ratio",
          "Share of the last second in which each event loop was busy.",
          () -> from.busyShares()[loop],
          "loop",
          Integer.toString(i));
    }
  }
}
