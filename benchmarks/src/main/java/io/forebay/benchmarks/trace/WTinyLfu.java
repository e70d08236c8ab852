package io.forebay.benchmarks.trace;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

/** W-TinyLFU, by bytes: Caffeine itself, in KiB because its weights are ints. */
final class WTinyLfu implements Policy {
  private static final int UNIT = 1 << 10;

  private final Cache<Integer, Integer> cache;

  WTinyLfu(long capacity) {
    this.cache =
        Caffeine.newBuilder()
            .maximumWeight(capacity / UNIT)
            .weigher((Integer _, Integer weight) -> weight)
            .executor(Runnable::run)
            .build();
  }

  @Override
  public boolean access(int id, long size) {
    boolean isHit = cache.getIfPresent(id) != null;
    if (!isHit) {
      cache.put(id, (int) Math.min(Integer.MAX_VALUE, (size + UNIT - 1) / UNIT));
      cache.cleanUp();
    }
    return isHit;
  }
}
