package io.forebay.server;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A disk whose threads stop before they read, while the gate is shut: they look at the wall clock
 * then, and this is the node's.
 */
final class DiskGate implements LongSupplier {
  private static final long LIMIT_SECONDS = 120;

  private final String threads;
  private final LongSupplier clockMillis;
  private final CountDownLatch gate = new CountDownLatch(1);
  private volatile boolean isShut;

  /**
   * @param threads how the names of the threads begin that stop
   */
  DiskGate(String threads, LongSupplier clockMillis) {
    this.threads = threads;
    this.clockMillis = clockMillis;
  }

  /**
   * The configuration of a node with such a disk, {@code one}, of one reader. It has no transit
   * buffers, so loops read nothing from page cache, past the gate.
   */
  static String yaml(TestOrigin origin, Path directory) {
    return """
    origins: {main: {url: "ORIGIN", keep-alive: 5s, timeouts: {first-byte: 10m, idle: 10m}}}
    stores:
      one: {path: "DIR/one", size: 128MiB, slow: 10m, readers: 1, transit-buffers: 0}
    """
        .replace("ORIGIN", origin.url())
        .replace("DIR", directory.toString());
  }

  void shut() {
    isShut = true;
  }

  /** For good. */
  void open() {
    gate.countDown();
  }

  @Override
  public long getAsLong() {
    if (isShut && Thread.currentThread().getName().startsWith(threads)) {
      try {
        boolean ignored = gate.await(LIMIT_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return clockMillis.getAsLong();
  }
}
