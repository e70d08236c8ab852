package io.forebay.server.protect.rate;

import io.forebay.core.http.RequestView;
import io.forebay.server.counters.LoopCounters;

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

  private long waitNanos;

  public RateLimiter(RateBuckets buckets, LoopCounters counters) {
    this.buckets = buckets;
    this.keys = new RateKey(buckets.secret());
    this.counters = counters;
  }

  /**
   * Counts a request with each limit until one refuses it.
   *
   * @return the number of the limit that refuses, or {@link #NONE}
   */
  public int take(RateLimit[] limits, RequestView request, String route, long hi, long lo) {
    for (int i = 0; i < limits.length; i++) {
      long key = keys.of(limits[i], request, route, hi, lo);
      waitNanos = buckets.table().take(key, limits[i], buckets.now(), counters);
      if (waitNanos > 0) {
        return i;
      }
    }
    return NONE;
  }

  /** Whether a limit would admit a request; counts nothing. */
  public boolean isAdmitted(RateLimit limit, RequestView request, String route, long hi, long lo) {
    long key = keys.of(limit, request, route, hi, lo);
    waitNanos = buckets.table().peek(key, limit, buckets.now());
    return waitNanos == 0;
  }

  /** Counts a request if no limit refuses it; else counts nothing and gives false. */
  public boolean takeAll(RateLimit[] limits, RequestView request, String route, long hi, long lo) {
    for (RateLimit limit : limits) {
      long key = keys.of(limit, request, route, hi, lo);
      if (buckets.table().peek(key, limit, buckets.now()) > 0) {
        return false;
      }
    }
    // Another loop may have taken the last token since then: the request is admitted nevertheless.
    int ignored = take(limits, request, route, hi, lo);
    return true;
  }

  /** Until there is a token again, for the limit that refused last. */
  public long waitNanos() {
    return waitNanos;
  }
}
