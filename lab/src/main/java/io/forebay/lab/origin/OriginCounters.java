package io.forebay.lab.origin;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts what all event loops do. */
final class OriginCounters {
  private static final double NANOS = 1e9;

  private final long startNanos = System.nanoTime();
  private final LongAdder requests = new LongAdder();
  private final LongAdder bodyBytes = new LongAdder();
  private final LongAdder cut = new LongAdder();
  private final LongAdder connections = new LongAdder();
  private final Map<Integer, LongAdder> responses = new ConcurrentHashMap<>();

  void answered(int status) {
    requests.increment();
    responses.computeIfAbsent(status, any -> new LongAdder()).increment();
  }

  void sent(long bytes) {
    bodyBytes.add(bytes);
  }

  void cutOff() {
    cut.increment();
  }

  void opened() {
    connections.increment();
  }

  void closed() {
    connections.decrement();
  }

  OriginStats read() {
    Map<String, Long> byStatus = new TreeMap<>();
    responses.forEach((status, count) -> byStatus.put(Integer.toString(status), count.sum()));
    Duration cpu = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    return new OriginStats(
        requests.sum(),
        bodyBytes.sum(),
        byStatus,
        cut.sum(),
        connections.sum(),
        cpu.toNanos() / NANOS,
        (System.nanoTime() - startNanos) / NANOS);
  }
}
