package io.forebay.e2e.storm;

import io.forebay.testing.EdgeProcess;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/**
 * What a fault has before it.
 *
 * @param node that it strikes, where it strikes one
 * @param end by {@link System#nanoTime}: until when it may last
 */
record Scene(StormCluster cluster, History history, SplittableRandom random, int node, long end) {
  private static final long POLL_NANOS = 50_000_000;

  EdgeProcess edge() {
    return cluster.edge(node);
  }

  String name() {
    return StormCluster.node(node);
  }

  /** A duration, short ones as often as long ones. */
  long millis(int least, int most) {
    return Math.round(least * Math.pow((double) most / least, random.nextDouble()));
  }

  /** The fault lasts so long; for how many milliseconds it did. */
  long hold(long millis) throws InterruptedException {
    return hold(millis, () -> false).millis();
  }

  /**
   * A time that has passed.
   *
   * @param isSeen whether something was so at some moment
   */
  record Held(long millis, boolean isSeen) {}

  /** The same; looks meanwhile whether something is so. */
  Held hold(long millis, Callable<Boolean> look) throws InterruptedException {
    long start = System.nanoTime();
    long until = Math.min(end, start + millis * 1_000_000);
    boolean isSeen = false;
    do {
      isSeen |= !isSeen && sees(look);
      LockSupport.parkNanos(Math.min(POLL_NANOS, until - System.nanoTime()));
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
    } while (System.nanoTime() < until);
    return new Held((System.nanoTime() - start) / 1_000_000, isSeen);
  }

  private static boolean sees(Callable<Boolean> look) throws InterruptedException {
    try {
      return look.call();
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      return false;
    }
  }
}
