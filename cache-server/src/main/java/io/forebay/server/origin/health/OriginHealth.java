package io.forebay.server.origin.health;

import io.forebay.server.config.ServerConfig.EjectionConfig;
import io.forebay.server.config.ServerConfig.SlowConfig;
import io.forebay.server.origin.health.EndpointHealth.Ejection;
import io.forebay.server.origin.health.ProbeStatus.Verdict;
import io.forebay.server.text.AddressText;
import io.forebay.server.text.Printable;
import java.net.SocketAddress;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The health of one origin's endpoints, by address. An endpoint whose requests fail several times
 * in a row is ejected, unless too large a share of the endpoints would be. Any thread.
 */
public final class OriginHealth {
  /** Entries that are kept although nobody uses their address now. */
  private static final int MAX_UNUSED = 64;

  /** An ejection lasts at most this long. */
  private static final long MAX_EJECTION_NANOS = TimeUnit.MINUTES.toNanos(5);

  private static final int MAX_DOUBLINGS = 16;

  /** Percent of its weight with which an endpoint starts slowly. */
  private static final int LEAST_SHARE = 10;

  private final ConcurrentHashMap<SocketAddress, EndpointHealth> byAddress =
      new ConcurrentHashMap<>();

  /** Held by the thread that decides on an ejection; another one leaves it to the next failure. */
  private final AtomicBoolean isDeciding = new AtomicBoolean();

  private final AtomicBoolean isCircuitOpen = new AtomicBoolean();
  private final SlowEndpoints slow;
  private final LongSupplier clockNanos;
  private final LongSupplier clockMillis;
  private final Consumer<String> log;

  /** What is assumed of addresses that are new, where they are probed before use; or null. */
  private volatile @Nullable ProbeStatus newEndpoints;

  /**
   * No endpoint is known yet.
   *
   * @param clockNanos monotonic
   * @param clockMillis wall clock
   * @param log gets a line for each ejection and recovery
   */
  public OriginHealth(LongSupplier clockNanos, LongSupplier clockMillis, Consumer<String> log) {
    this.clockNanos = clockNanos;
    this.clockMillis = clockMillis;
    this.log = log;
    this.slow = new SlowEndpoints(clockNanos.getAsLong());
  }

  /**
   * The state of an address, which the caller uses until {@link #release}.
   *
   * @param isAdded whether the address joins others that are in use: if nobody uses it yet, it
   *     starts slowly
   */
  public EndpointHealth acquire(SocketAddress address, boolean isAdded) {
    EndpointHealth[] result = new EndpointHealth[1];
    byAddress.compute(
        address,
        (key, known) -> {
          EndpointHealth health = known == null ? new EndpointHealth(key, newEndpoints) : known;
          if (health.users.getAndIncrement() == 0 && isAdded) {
            health.startSlowly(clockNanos.getAsLong());
          }
          result[0] = health;
          return health;
        });
    return result[0];
  }

  /** An event loop no longer uses that address. What is known of it is kept for a while. */
  public void release(EndpointHealth health) {
    if (health.users.decrementAndGet() == 0 && byAddress.size() > MAX_UNUSED) {
      byAddress.computeIfPresent(
          health.address(), (address, known) -> known.users.get() == 0 ? null : known);
    }
  }

  /** What is known of an address, or null. */
  public @Nullable EndpointHealth find(SocketAddress address) {
    return byAddress.get(address);
  }

  /**
   * Takes the place of the one request that may find out whether an ejected endpoint answers again.
   * If its outcome stays unknown, another one may after the same time.
   *
   * @param isSafe whether the request can be sent to another endpoint if this one fails; others
   *     wait until such a request has had its chance
   * @return false if the time is not up, or another request has the place
   */
  public boolean tryProbe(EndpointHealth health, boolean isSafe) {
    return health.tryProbe(clockNanos.getAsLong(), isSafe);
  }

  /**
   * The same as {@link #tryProbe}, but only if no request finds out about another endpoint of the
   * group at present.
   */
  public boolean tryOnlyProbe(EndpointHealth health, List<EndpointHealth> group, boolean isSafe) {
    if (!isDeciding.compareAndSet(false, true)) {
      return false;
    }
    try {
      long now = clockNanos.getAsLong();
      for (EndpointHealth one : group) {
        if (one.isBeingTried(now)) {
          return false;
        }
      }
      return health.tryProbe(now, isSafe);
    } finally {
      isDeciding.set(false);
    }
  }

  /**
   * A request was refused because every endpoint is avoided.
   *
   * @return whether it is the first one since the circuit was closed
   */
  public boolean onCircuitOpen(String label) {
    boolean isFirst = !isCircuitOpen.get() && isCircuitOpen.compareAndSet(false, true);
    if (isFirst) {
      log.accept(
          label + ": circuit open: every address is ejected or fails its probes, requests fail");
    }
    return isFirst;
  }

  /** A request goes to an endpoint that is not avoided. */
  public void onCircuitClosed(String label) {
    if (isCircuitOpen.get() && isCircuitOpen.compareAndSet(true, false)) {
      log.accept(label + ": circuit closed: requests are sent again");
    }
  }

  /** What addresses are that become known from now on, or null if they are not probed. */
  public void newEndpointsAre(@Nullable ProbeStatus status) {
    newEndpoints = status;
  }

  /**
   * A probe of the endpoint ended. Probes that pass again after they failed also end an ejection:
   * whatever caused it is likely to be over too. Probes that passed all the time do not, for the
   * requests failed nevertheless.
   *
   * @param status null if it is no longer probed
   */
  public void onProbe(EndpointHealth health, @Nullable ProbeStatus status) {
    ProbeStatus before = health.probe();
    health.probe(status);
    if (before != null
        && before.verdict() == Verdict.FAILING
        && status != null
        && status.verdict() == Verdict.PASSING) {
      health.onRecovered(clockNanos.getAsLong());
      health.ejection.set(null);
      health.startSlowly(clockNanos.getAsLong());
    } else if (before != null
        && !before.isUsable()
        && status != null
        && status.isUsable()
        && health.isStartingSlowly()) {
      // It was added, and waited for its first success.
      health.startSlowly(clockNanos.getAsLong());
    }
  }

  /** Whether {@link #tryProbe} may succeed now. */
  public boolean isProbeDue(EndpointHealth health, boolean isSafe) {
    return health.isProbeDue(clockNanos.getAsLong(), isSafe);
  }

  /**
   * Percent of its weight that an endpoint has now.
   *
   * @param periodNanos how long it takes to come to all of it
   */
  public int weightShare(EndpointHealth health, long periodNanos) {
    if (!health.isStartingSlowly()) {
      return 100;
    }
    long passed = health.slowStartNanos(clockNanos.getAsLong());
    return passed >= periodNanos ? 100 : (int) Math.max(LEAST_SHARE, 100.0 * passed / periodNanos);
  }

  /** The endpoint answered, and not with a gateway error. */
  public void onAnswer(EndpointHealth health, String label) {
    if (!health.isTroubled()) {
      return;
    }
    Ejection ejection = health.ejection.get();
    if (ejection != null && !ejection.isProbing()) {
      // A request that began before.
      return;
    }
    health.onRecovered(clockNanos.getAsLong());
    if (ejection != null && health.ejection.compareAndSet(ejection, null)) {
      health.startSlowly(clockNanos.getAsLong());
      log.accept(label + ": " + text(health) + " answers again and is used");
    }
  }

  /**
   * A request to the endpoint failed.
   *
   * @param group all endpoints of the origin, this one among them
   * @param label how log lines name the server
   * @return whether the endpoint is ejected because of it
   */
  public boolean onFailure(
      EndpointHealth health,
      List<EndpointHealth> group,
      EjectionConfig config,
      String label,
      String reason) {
    int count = health.failures.incrementAndGet();
    if ((config.failures() > 0 && count >= config.failures()) || isProbed(health)) {
      return eject(
          health, group, config, label, count + " failures in a row; the latest: " + reason);
    }
    return false;
  }

  /** The endpoint answered with 502, 503 or 504; the arguments are as above. */
  public boolean onGatewayError(
      EndpointHealth health,
      List<EndpointHealth> group,
      EjectionConfig config,
      String label,
      int status) {
    int count = health.gatewayErrors.incrementAndGet();
    health.failures.set(0);
    if ((config.gatewayErrors() > 0 && count >= config.gatewayErrors()) || isProbed(health)) {
      return eject(
          health,
          group,
          config,
          label,
          count + " gateway errors in a row; the latest: status " + status);
    }
    return false;
  }

  /**
   * The head of a response came; for origins whose slow endpoints are ejected.
   *
   * @return whether the caller has to call {@link #findSlow} now
   */
  public boolean onLatency(EndpointHealth health, SlowConfig config, long nanos) {
    health.latencyNanos.add(nanos);
    health.responses.increment();
    return slow.isWindowOver(config, clockNanos.getAsLong());
  }

  /** The endpoints of a group that are much slower than the others. */
  public List<SlowEndpoint> findSlow(List<EndpointHealth> group, SlowConfig config) {
    return slow.find(group, config);
  }

  /** An endpoint is ejected because of its latency, unless too large a share would be. */
  public boolean onSlow(
      SlowEndpoint found, List<EndpointHealth> group, EjectionConfig config, String label) {
    return found.health().ejection() == null
        && eject(found.health(), group, config, label, found.why());
  }

  private static boolean isProbed(EndpointHealth health) {
    Ejection ejection = health.ejection.get();
    return ejection != null && ejection.isProbing();
  }

  private boolean eject(
      EndpointHealth health,
      List<EndpointHealth> group,
      EjectionConfig config,
      String label,
      String reason) {
    Ejection before = health.ejection.get();
    if ((before != null && !before.isProbing()) || !isDeciding.compareAndSet(false, true)) {
      return false;
    }
    try {
      long avoided = group.stream().filter(one -> one != health && one.isAvoided()).count();
      if ((avoided + 1) * 100 > (long) config.maxShare() * group.size()) {
        // A probe that failed while the group shrank.
        health.ejection.compareAndSet(before, null);
        return false;
      }
      long now = clockNanos.getAsLong();
      int times = health.timesNow(now, MAX_EJECTION_NANOS);
      long duration =
          Math.min(
              MAX_EJECTION_NANOS, config.time().toNanos() << Math.min(times - 1, MAX_DOUBLINGS));
      Ejection ejection =
          new Ejection(
              now + duration,
              duration,
              false,
              times,
              Printable.line(reason),
              clockMillis.getAsLong());
      boolean isOurs = health.ejection.compareAndSet(before, ejection);
      if (isOurs) {
        health.onEjected(times);
        log.accept(
            label
                + ": "
                + text(health)
                + " gets no requests for "
                + TimeUnit.NANOSECONDS.toMillis(duration)
                + " ms: "
                + ejection.reason());
      }
      return isOurs;
    } finally {
      isDeciding.set(false);
    }
  }

  private static String text(EndpointHealth health) {
    return AddressText.of(health.address());
  }
}
