package io.forebay.server.protect.rate;

import io.forebay.core.http.RequestView;
import io.forebay.server.config.ProtectionProfile.RateLimitConfig.Unit;
import io.forebay.server.counters.LoopCounters;
import java.util.Arrays;
import java.util.Map;

/**
 * Counts the requests of one event loop in the node's table. Confined to the loop; allocates
 * nothing.
 */
public final class RateLimiter {

  /** No limit refuses. */
  public static final int NONE = -1;

  private final RateBuckets buckets;
  private final RateKey keys;
  private final LoopCounters counters;

  /** Nobody knows when a request in progress ends. */
  private static final long IN_FLIGHT_WAIT_NANOS = 1_000_000_000L;

  private long waitNanos;

  /** By limit, the key of the request that was looked at last; 0 where it is not counted. */
  private long[] taken = new long[16];

  public RateLimiter(RateBuckets buckets, LoopCounters counters) {
    this.buckets = buckets;
    this.keys = new RateKey(buckets.secret());
    this.counters = counters;
  }

  /** The claims of the token of the request that is looked at next; only limits by claim ask. */
  public void claims(Map<String, String> verified) {
    keys.claims(verified);
  }

  /**
   * Counts a request with each limit until one refuses it.
   *
   * @return the number of the limit that refuses, or {@link #NONE}
   */
  public int take(RateLimit[] limits, RequestView request, String route, long hi, long lo) {
    for (int i = 0; i < limits.length; i++) {
      long key = key(limits, i, request, route, hi, lo);
      waitNanos =
          switch (limits[i].config().unit()) {
            case REQUESTS -> buckets.table().take(key, limits[i], buckets.now(), counters);
            case BYTES -> buckets.table().debt(key, limits[i], buckets.now());
            case IN_FLIGHT -> begin(i, limits[i].config().quota());
          };
      if (waitNanos > 0) {
        giveBack(limits, i);
        return i;
      }
    }
    return NONE;
  }

  private long key(RateLimit[] limits, int i, RequestView request, String route, long hi, long lo) {
    if (taken.length < limits.length) {
      taken = Arrays.copyOf(taken, limits.length);
    }
    long key = keys.of(limits[i], request, route, hi, lo);
    taken[i] = key == 0 ? 1 : key;
    return taken[i];
  }

  private long begin(int i, long most) {
    return switch (buckets.inFlight().take(taken[i], most)) {
      case COUNTED -> 0;
      case REFUSED -> IN_FLIGHT_WAIT_NANOS;
      case NO_ROOM -> {
        taken[i] = 0;
        counters.rateKeysDisplaced++;
        yield 0;
      }
    };
  }

  private void giveBack(RateLimit[] limits, int end) {
    for (int i = 0; i < end; i++) {
      if (limits[i].config().unit() == Unit.IN_FLIGHT && taken[i] != 0) {
        buckets.inFlight().giveBack(taken[i]);
      }
    }
  }

  /** What the request that these limits admitted last is charged for from now on. */
  public Usage usage(RateLimit[] limits) {
    return new Usage(buckets, counters, limits, Arrays.copyOf(taken, limits.length));
  }

  /** Charges a request that {@link #takeAll} admitted for its whole body. */
  public void sent(RateLimit[] limits, long bytes) {
    Usage.charge(buckets, counters, limits, taken, bytes);
  }

  /** Whether a limit would admit a request; counts nothing. */
  public boolean isAdmitted(RateLimit limit, RequestView request, String route, long hi, long lo) {
    long key = keys.of(limit, request, route, hi, lo);
    waitNanos = buckets.table().peek(key, limit, buckets.now());
    return waitNanos == 0;
  }

  /**
   * Counts a request that is over at once, if no limit refuses it; else counts nothing and gives
   * false. Legal without limits on what is in flight.
   */
  public boolean takeAll(RateLimit[] limits, RequestView request, String route, long hi, long lo) {
    for (int i = 0; i < limits.length; i++) {
      long key = key(limits, i, request, route, hi, lo);
      long wait =
          limits[i].config().unit() == Unit.BYTES
              ? buckets.table().debt(key, limits[i], buckets.now())
              : buckets.table().peek(key, limits[i], buckets.now());
      if (wait > 0) {
        return false;
      }
    }
    for (int i = 0; i < limits.length; i++) {
      if (limits[i].config().unit() == Unit.REQUESTS) {
        // Another loop may have taken the last token since then: it is admitted nevertheless.
        long ignored = buckets.table().take(taken[i], limits[i], buckets.now(), counters);
      }
    }
    return true;
  }

  /** Until there is a token again, for the limit that refused last. */
  public long waitNanos() {
    return waitNanos;
  }
}
