package io.forebay.server;

import io.forebay.server.config.MemorySize;
import io.forebay.storage.ObjectStore;
import io.forebay.storage.evict.ResizeStats;
import io.forebay.storage.memory.MemoryPressure;
import java.util.Locale;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides how large the memory tier is to be: smaller while memory is short, and step by step as
 * large as configured when it has not been for a while. The store carries it out. One thread.
 *
 * <pre>
 *   room left:   0 ------- SHORT ------- ENOUGH ------- PLENTY -------
 *                 give back  |                             | take a region back
 *                            +----- to here ---->          | after CALM_MILLIS
 * </pre>
 *
 * <p>The three marks are parts of a limit, and of a large limit no more than so many bytes. They
 * are applied to each control group with a limit and to the machine; the one that lacks most
 * decides. Tasks that wait for memory, and a group that ran out of it, are a shortage as well.
 */
final class TierSizePolicy {
  private static final Logger LOG = LoggerFactory.getLogger(TierSizePolicy.class);

  private static final Mark SHORT = new Mark(20, 1L << 30);
  private static final Mark ENOUGH = new Mark(12, 5L << 28);
  private static final Mark PLENTY = new Mark(10, 3L << 29);

  /** How long nothing was short before the first region comes back. */
  static final long CALM_MILLIS = 60_000;

  /** Between two regions that come back. */
  static final long GROW_MILLIS = 5_000;

  /** Between two steps because tasks wait: as long as the kernel's average takes to show it. */
  static final long STALL_MILLIS = 10_000;

  /** One of so many regions goes in such a step. */
  private static final int STALL_SHARE = 32;

  /** Shares of time in which some or all tasks wait; the lower ones end what the upper begin. */
  private static final double SOME_STALLED = 0.10;

  private static final double SOME_FLOWING = 0.05;
  private static final double ALL_STALLED = 0.05;
  private static final double ALL_FLOWING = 0.02;

  /** What it decides about. */
  interface Tier {
    int regionCount();

    int regionBytes();

    ResizeStats resizing();

    void resize(int regionCount);
  }

  /** A part of a limit, and at most so many bytes. */
  private record Mark(int part, long mostBytes) {
    long of(long limitBytes) {
      return Math.min(limitBytes / part, mostBytes);
    }
  }

  private enum Direction {
    NONE,
    SMALLER,
    LARGER
  }

  private final Tier tier;
  private final int minRegions;
  private final LongSupplier clockMillis;
  private Direction direction = Direction.NONE;
  private boolean hasSaidLeast;
  private boolean isStalled;
  private long calmSince;
  private long stalledStep;
  private long grown;
  private long outOfMemory = -1;

  /**
   * @param minRegions it never decides for less
   * @param clockMillis monotonic
   */
  TierSizePolicy(Tier tier, int minRegions, LongSupplier clockMillis) {
    this.tier = tier;
    this.minRegions = minRegions;
    this.clockMillis = clockMillis;
    this.calmSince = clockMillis.getAsLong();
    this.stalledStep = calmSince - STALL_MILLIS;
    this.grown = calmSince - GROW_MILLIS;
  }

  /**
   * That of a store; null if its memory tier is to keep its size, or cannot change it. Regions that
   * an earlier process gave back come back at once then.
   *
   * @param min a size, or a share of the memory tier
   */
  static @Nullable TierSizePolicy of(ObjectStore store, MemorySize min, LongSupplier clockMillis) {
    int count = store.regionCount();
    long wanted =
        min.isShare()
            ? Math.ceilDiv((long) count * min.percent(), 100)
            : Math.ceilDiv(min.bytes(), store.regionBytes());
    int least = Math.clamp(wanted, Math.min(store.minRegions(), count), count);
    String fixed = store.resizing().fixedBecause();
    if (least < count && fixed != null) {
      LOG.warn("store.memory-min has no effect: the memory tier keeps its size, because {}", fixed);
    }
    if (least == count || fixed != null) {
      store.resize(count);
      return null;
    }
    store.resize(Math.max(least, count - store.resizing().withdrawnRegions()));
    LOG.info(
        "the memory tier has {} to {}, as far as memory is not short",
        MemoryPlan.mebibytes((long) least * store.regionBytes()),
        MemoryPlan.mebibytes((long) count * store.regionBytes()));
    return new TierSizePolicy(tier(store), least, clockMillis);
  }

  private static Tier tier(ObjectStore store) {
    return new Tier() {
      @Override
      public int regionCount() {
        return store.regionCount();
      }

      @Override
      public int regionBytes() {
        return store.regionBytes();
      }

      @Override
      public ResizeStats resizing() {
        return store.resizing();
      }

      @Override
      public void resize(int regionCount) {
        store.resize(regionCount);
      }
    };
  }

  /** What the tier can give back at most. */
  long flexibleBytes() {
    return (long) (tier.regionCount() - minRegions) * tier.regionBytes();
  }

  /** Looks once, and decides. */
  void step(MemoryPressure now) {
    long millis = clockMillis.getAsLong();
    ResizeStats stats = tier.resizing();
    int inUse = tier.regionCount() - stats.withdrawnRegions();
    int target = stats.targetRegions();
    long lacking = 0;
    String why = "";
    for (MemoryPressure.Level level : now.levels()) {
      if (level.roomBytes() < SHORT.of(level.limitBytes())) {
        long here = ENOUGH.of(level.limitBytes()) - level.roomBytes();
        if (here > lacking) {
          lacking = here;
          why =
              String.format(
                  Locale.ROOT,
                  "%s has %s of %s left",
                  level.name(),
                  MemoryPlan.mebibytes(Math.max(0, level.roomBytes())),
                  MemoryPlan.mebibytes(level.limitBytes()));
        }
      }
    }
    long wanted = Math.min(target, inUse - Math.ceilDiv(lacking, tier.regionBytes()));
    boolean ranOut = outOfMemory >= 0 && now.outOfMemory() > outOfMemory;
    outOfMemory = now.outOfMemory();
    isStalled =
        now.some() > (isStalled ? SOME_FLOWING : SOME_STALLED)
            || now.full() > (isStalled ? ALL_FLOWING : ALL_STALLED);
    if (ranOut || (isStalled && millis - stalledStep >= STALL_MILLIS)) {
      stalledStep = millis;
      wanted = Math.min(wanted, target - Math.max(1, tier.regionCount() / STALL_SHARE));
      if (why.isEmpty()) {
        why =
            ranOut
                ? "a control group ran out of memory"
                : String.format(
                    Locale.ROOT,
                    "tasks wait for memory %.0f %% of the time",
                    Math.max(now.some(), now.full()) * 100);
      }
    }
    if (lacking > 0 || ranOut || isStalled) {
      calmSince = millis;
      shrink(wanted, target, why);
    } else if (target < tier.regionCount()) {
      // Not where the last one could not be allocated yet: the store tries that again itself.
      if (millis - calmSince >= CALM_MILLIS
          && millis - grown >= GROW_MILLIS
          && inUse >= target
          && isPlenty(now)) {
        grown = millis;
        grow(target + 1);
      }
    } else if (inUse == target && direction == Direction.LARGER) {
      direction = Direction.NONE;
      LOG.info("the memory tier has its whole size of {} again", size(inUse));
    }
  }

  private boolean isPlenty(MemoryPressure now) {
    return now.levels().stream()
        .allMatch(level -> level.roomBytes() - tier.regionBytes() >= PLENTY.of(level.limitBytes()));
  }

  private void shrink(long wanted, int target, String why) {
    int next = (int) Math.max(wanted, minRegions);
    if (next < target) {
      tier.resize(next);
      if (direction != Direction.SMALLER) {
        direction = Direction.SMALLER;
        hasSaidLeast = false;
        LOG.warn(
            "the memory tier gives memory back: {}. From {} it goes to {} first, and at least {}"
                + " stay",
            why,
            size(target),
            size(next),
            size(minRegions));
      }
    }
    if (wanted < minRegions && !hasSaidLeast) {
      hasSaidLeast = true;
      LOG.warn(
          "memory is short ({}), and the memory tier cannot have less than {} (store.memory-min)",
          why,
          size(minRegions));
    }
  }

  private void grow(int next) {
    tier.resize(next);
    if (direction != Direction.LARGER) {
      direction = Direction.LARGER;
      hasSaidLeast = false;
      LOG.info(
          "the memory tier takes memory back, region by region: nothing was short for {} s. It has"
              + " {} of {}",
          CALM_MILLIS / 1000,
          size(next - 1),
          size(tier.regionCount()));
    }
  }

  private String size(int regions) {
    return MemoryPlan.mebibytes((long) regions * tier.regionBytes());
  }
}
