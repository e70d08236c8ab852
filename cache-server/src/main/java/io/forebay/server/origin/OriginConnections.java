package io.forebay.server.origin;

import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.LoggerFactory;

/**
 * What all loops share of each origin: the count of its connections, so that a cap holds over all
 * loops, and what is logged of its failures. One instance a node.
 */
public final class OriginConnections {
  private final ConcurrentHashMap<String, OriginConnectionPermits> byOrigin =
      new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, OriginWatch> watches = new ConcurrentHashMap<>();
  private final LongSupplier clockNanos;
  private final Consumer<String> log;

  public OriginConnections() {
    this(System::nanoTime, LoggerFactory.getLogger(OriginWatch.class)::warn);
  }

  OriginConnections(LongSupplier clockNanos, Consumer<String> log) {
    this.clockNanos = clockNanos;
    this.log = log;
  }

  OriginConnectionPermits slots(String origin) {
    return byOrigin.computeIfAbsent(origin, name -> new OriginConnectionPermits());
  }

  /** What is logged of an origin. */
  OriginWatch watch(String origin) {
    return watches.computeIfAbsent(origin, name -> new OriginWatch(clockNanos, log));
  }

  /** Connections open or being opened to an origin now. */
  public int open(String origin) {
    OriginConnectionPermits slots = byOrigin.get(origin);
    return slots == null ? 0 : slots.open();
  }
}
