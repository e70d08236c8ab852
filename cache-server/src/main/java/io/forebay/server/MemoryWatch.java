package io.forebay.server;

import io.forebay.server.node.NodeStatus;
import io.forebay.storage.memory.MachineMemory;
import io.forebay.storage.memory.MemoryPressure;
import io.forebay.storage.memory.PageReclaim;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks periodically whether the memory available to this process has shrunk or is short, and
 * reports it: once in the log, and in metrics and readiness while it lasts. If the memory tier may
 * change its size, it is told to on the same thread ({@link TierSizePolicy}).
 */
final class MemoryWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryWatch.class);

  private static final long PERIOD_SECONDS = 5;

  /** While the memory tier follows what is there. */
  private static final long FOLLOWING_SECONDS = 1;

  /** Room below which it is short, as a part of the limit; and above which it is not any more. */
  private static final double SHORT = 0.02;

  private static final double ENOUGH = 0.04;

  /** The same for the share of time in which tasks waited for memory. */
  private static final double STALLED = 0.10;

  private static final double FLOWING = 0.05;

  private final Supplier<MachineMemory.Reading> machine;
  private final MemoryPlan.Sum sum;
  private final @Nullable Follower follower;
  private final CountDownLatch isClosing = new CountDownLatch(1);
  private boolean isShort;
  private boolean isStalled;
  private volatile NodeStatus.Memory state;

  /** What decides on the size of the memory tier, and what it decides by. */
  record Follower(Supplier<MemoryPressure> pressure, TierSizePolicy sizer) {}

  /**
   * @param follower null if the memory tier keeps its size
   */
  MemoryWatch(
      Supplier<MachineMemory.Reading> machine, MemoryPlan.Sum sum, @Nullable Follower follower) {
    this.machine = machine;
    this.sum = sum;
    this.follower = follower;
    this.state = new NodeStatus.Memory(sum.bytes(), sum.limitBytes(), 0, 0, null, PageReclaim.NONE);
    step();
  }

  /** Looks by itself from here on. */
  MemoryWatch start() {
    Thread.ofPlatform().daemon(true).name("memory-watch").start(this::run);
    return this;
  }

  private void run() {
    try {
      long seconds = follower == null ? PERIOD_SECONDS : FOLLOWING_SECONDS;
      while (!isClosing.await(seconds, TimeUnit.SECONDS)) {
        step();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  NodeStatus.Memory state() {
    return state;
  }

  /** Looks once. One thread at a time. */
  void step() {
    MachineMemory.Reading now = machine.get();
    String problem = problem(now);
    String before = state.problem();
    state =
        new NodeStatus.Memory(
            sum.bytes(),
            now.limitBytes(),
            Math.max(0, now.freeBytes()),
            now.pressure(),
            problem,
            now.pages());
    if (problem != null && before == null) {
      LOG.warn("memory: {}", problem);
    } else if (problem == null && before != null) {
      LOG.info("memory: no longer short");
    }
    if (follower != null) {
      follower.sizer().step(follower.pressure().get());
    }
  }

  private @Nullable String problem(MachineMemory.Reading now) {
    if (now.limitBytes() == 0) {
      return null;
    }
    isShort = now.freeBytes() < now.limitBytes() * (isShort ? ENOUGH : SHORT);
    isStalled = now.pressure() > (isStalled ? FLOWING : STALLED);
    long mayUse = sum.bytes() - (follower == null ? 0 : follower.sizer().flexibleBytes());
    if (now.limitBytes() < sum.limitBytes() && now.limitBytes() < mayUse) {
      return String.format(
          Locale.ROOT,
          "the limit is now %s (%s), it was %s at the start, and this node may use %s: raise it, or"
              + " restart with a smaller store.memory",
          MemoryPlan.mebibytes(now.limitBytes()),
          now.limitedBy(),
          MemoryPlan.mebibytes(sum.limitBytes()),
          MemoryPlan.mebibytes(mayUse));
    }
    if (isShort) {
      return String.format(
          Locale.ROOT,
          "%s has %s left: give it more, or restart with a smaller store.memory",
          now.tightest(),
          MemoryPlan.mebibytes(now.freeBytes()));
    }
    if (isStalled) {
      return String.format(
          Locale.ROOT, "tasks wait for memory %.0f %% of the time", now.pressure() * 100);
    }
    return null;
  }

  @Override
  public void close() {
    isClosing.countDown();
  }
}
