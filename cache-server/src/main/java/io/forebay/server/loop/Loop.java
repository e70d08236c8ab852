package io.forebay.server.loop;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** One event loop of the node: its thread, its CPU and its load. */
public final class Loop {

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final long SAMPLE_NANOS = 1_000_000_000L;

  private final int index;
  private final EventLoopGroup group;
  private final EventLoop eventLoop;
  private final Thread thread;
  private final int cpu;
  // Written by the loop once a second, read by the scrape; the older of the last two samples.
  private volatile Sample previous;
  private Sample latest;

  private record Sample(long atNanos, long cpuNanos) {}

  public Loop(int index, EventLoopGroup group, Thread thread, int cpu) {
    this.index = index;
    this.group = group;
    this.eventLoop = group.next();
    this.thread = thread;
    this.cpu = cpu;
    latest = sample();
    previous = latest;
  }

  /** Position of this loop, from 0; its thread is named {@code loop-N}. */
  public int index() {
    return index;
  }

  public EventLoop eventLoop() {
    return eventLoop;
  }

  /** The CPU its thread is pinned to, or -1. */
  public int cpu() {
    return cpu;
  }

  /**
   * Share of a CPU its thread used over the last one to two seconds, 0 to 1: CPU time, so that a
   * loop that waits for a CPU taken by others does not look busy. Called by any thread.
   */
  public double busyShare() {
    Sample from = previous;
    Sample now = sample();
    long elapsedNanos = now.atNanos - from.atNanos;
    return elapsedNanos <= 0
        ? 0
        : Math.clamp((double) (now.cpuNanos - from.cpuNanos) / elapsedNanos, 0, 1);
  }

  public EventLoopGroup group() {
    return group;
  }

  /** Called on the loop, at least once a second. */
  public void tick() {
    if (System.nanoTime() - latest.atNanos >= SAMPLE_NANOS) {
      previous = latest;
      latest = sample();
    }
  }

  private Sample sample() {
    return new Sample(System.nanoTime(), THREADS.getThreadCpuTime(thread.threadId()));
  }
}
