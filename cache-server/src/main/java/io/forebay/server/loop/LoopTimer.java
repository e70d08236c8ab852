package io.forebay.server.loop;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A timer on an event loop with at most one pending timeout. */
public final class LoopTimer {

  private final EventLoop loop;
  private @Nullable ScheduledFuture<?> running;

  public LoopTimer(EventLoop loop) {
    this.loop = loop;
  }

  public boolean isOn() {
    return running != null;
  }

  public void start(Duration after, Runnable onOver) {
    running =
        loop.schedule(
            () -> {
              running = null;
              onOver.run();
            },
            after.toNanos(),
            TimeUnit.NANOSECONDS);
  }

  public void stop() {
    ScheduledFuture<?> stopping = running;
    if (stopping != null) {
      running = null;
      boolean ignored = stopping.cancel(false);
    }
  }
}
