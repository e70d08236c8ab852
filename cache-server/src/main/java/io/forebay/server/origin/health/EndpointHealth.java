package io.forebay.server.origin.health;

import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The state of one address of an origin. Any thread. */
public final class EndpointHealth {
  private final SocketAddress address;
  final AtomicReference<@Nullable Ejection> ejection = new AtomicReference<>();
  final AtomicInteger failures = new AtomicInteger();
  final AtomicInteger gatewayErrors = new AtomicInteger();
  final AtomicInteger users = new AtomicInteger();

  // Of the present window, see SlowEndpoints; the last is changed by the one thread that looks.
  final LongAdder latencyNanos = new LongAdder();
  final LongAdder responses = new LongAdder();
  volatile int slowWindows;

  private volatile int ejections;
  private volatile int lastTimes;
  private volatile long recoveredNanos;
  private volatile long slowStartNanos;
  private volatile boolean isStartingSlowly;
  private volatile @Nullable ProbeStatus probe;

  EndpointHealth(SocketAddress address, @Nullable ProbeStatus probe) {
    this.address = address;
    this.probe = probe;
  }

  /**
   * Why and for how long an endpoint is ejected.
   *
   * @param untilNanos when one request may find out whether it answers again
   * @param isProbing whether one is doing that
   * @param times how often it was ejected in a row
   * @param sinceMillis wall clock
   */
  public record Ejection(
      long untilNanos,
      long durationNanos,
      boolean isProbing,
      int times,
      String reason,
      long sinceMillis) {}

  public SocketAddress address() {
    return address;
  }

  /** Whether it should get no requests: its requests failed, or its probes do. */
  public boolean isAvoided() {
    return ejection.get() != null || isFailingProbes();
  }

  /** What probes have found, or null if it is not probed. */
  public @Nullable ProbeStatus probe() {
    return probe;
  }

  /** By the prober's thread. */
  void probe(@Nullable ProbeStatus status) {
    probe = status;
  }

  /** Whether it may get no requests because of probes; they alone can end that. */
  public boolean isFailingProbes() {
    ProbeStatus status = probe;
    return status != null && !status.isUsable();
  }

  /** The ejection in force, or null. */
  public @Nullable Ejection ejection() {
    return ejection.get();
  }

  /** Failed requests since the last answer. */
  public int failuresInARow() {
    return failures.get();
  }

  /** Gateway errors since the last other answer. */
  public int gatewayErrorsInARow() {
    return gatewayErrors.get();
  }

  /** How often it was ejected since its address is known. */
  public int ejections() {
    return ejections;
  }

  boolean isTroubled() {
    return failures.get() != 0 || gatewayErrors.get() != 0 || ejection.get() != null;
  }

  /** See {@link OriginHealth#tryProbe}. */
  boolean tryProbe(long nowNanos, boolean isSafe) {
    Ejection current = ejection.get();
    if (current == null || isFailingProbes()) {
      return false;
    }
    return isDue(current, nowNanos, isSafe)
        && ejection.compareAndSet(
            current,
            new Ejection(
                nowNanos + current.durationNanos(),
                current.durationNanos(),
                true,
                current.times(),
                current.reason(),
                current.sinceMillis()));
  }

  /** See {@link OriginHealth#isProbeDue}. */
  boolean isProbeDue(long nowNanos, boolean isSafe) {
    Ejection current = ejection.get();
    return current == null || isDue(current, nowNanos, isSafe);
  }

  /** Whether a request finds out at present whether it answers again. */
  boolean isBeingTried(long nowNanos) {
    Ejection current = ejection.get();
    return current != null && current.isProbing() && nowNanos - current.untilNanos() < 0;
  }

  private static boolean isDue(Ejection ejection, long nowNanos, boolean isSafe) {
    long extraNanos = isSafe ? 0 : ejection.durationNanos();
    return nowNanos - (ejection.untilNanos() + extraNanos) >= 0;
  }

  /** How often in a row it was ejected if it is now. */
  int timesNow(long nowNanos, long forgottenAfterNanos) {
    Ejection current = ejection.get();
    if (current != null) {
      return current.times() + 1;
    }
    boolean isForgotten = ejections == 0 || nowNanos - recoveredNanos > forgottenAfterNanos;
    return isForgotten ? 1 : lastTimes + 1;
  }

  /** It was new or recovered at that moment: its share of the requests grows from now on. */
  void startSlowly(long nowNanos) {
    slowStartNanos = nowNanos;
    isStartingSlowly = true;
  }

  boolean isStartingSlowly() {
    return isStartingSlowly;
  }

  /** How long ago that was. */
  long slowStartNanos(long nowNanos) {
    return nowNanos - slowStartNanos;
  }

  /** By the one thread that decides, see {@link OriginHealth}. */
  void onEjected(int times) {
    int count = ejections;
    ejections = count + 1;
    lastTimes = times;
  }

  void onRecovered(long nowNanos) {
    recoveredNanos = nowNanos;
    failures.set(0);
    gatewayErrors.set(0);
  }
}
