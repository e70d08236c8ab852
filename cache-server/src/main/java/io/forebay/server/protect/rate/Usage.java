package io.forebay.server.protect.rate;

import io.forebay.server.config.ProtectionProfile.RateLimitConfig.Unit;
import io.forebay.server.counters.LoopCounters;
import java.util.Arrays;

/**
 * What one request, or one fetch, is charged for until its end, by limits that admitted it.
 * Confined to its loop.
 */
public final class Usage {
  private final RateBuckets buckets;
  private final LoopCounters counters;
  private final RateLimit[] limits;
  private final long[] keys;
  private long charged;
  private boolean isOver;

  /**
   * The usage of a request that was admitted.
   *
   * @param keys by which the limits counted it; 0 where one has not
   */
  Usage(RateBuckets buckets, LoopCounters counters, RateLimit[] limits, long[] keys) {
    this.buckets = buckets;
    this.counters = counters;
    this.limits = limits;
    this.keys = keys;
  }

  /** The same, together with that of further limits; neither has been charged yet. */
  public Usage and(Usage other) {
    RateLimit[] all = Arrays.copyOf(limits, limits.length + other.limits.length);
    System.arraycopy(other.limits, 0, all, limits.length, other.limits.length);
    long[] allKeys = Arrays.copyOf(keys, all.length);
    System.arraycopy(other.keys, 0, allKeys, limits.length, other.limits.length);
    return new Usage(buckets, counters, all, allKeys);
  }

  /** So many body bytes have been sent by now, those of earlier calls included. */
  public void sent(long bytes) {
    long more = bytes - charged;
    if (more > 0) {
      charged = bytes;
      charge(buckets, counters, limits, keys, more);
    }
  }

  /** It is over; may be called again. */
  public void end() {
    if (isOver) {
      return;
    }
    isOver = true;
    for (int i = 0; i < limits.length; i++) {
      if (limits[i].config().unit() == Unit.IN_FLIGHT && keys[i] != 0) {
        buckets.inFlight().giveBack(keys[i]);
      }
    }
  }

  static void charge(
      RateBuckets buckets, LoopCounters counters, RateLimit[] limits, long[] keys, long bytes) {
    for (int i = 0; i < limits.length; i++) {
      if (limits[i].config().unit() == Unit.BYTES) {
        buckets.table().charge(keys[i], limits[i].nanos(bytes), buckets.now(), counters);
      }
    }
  }
}
