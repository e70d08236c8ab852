package io.forebay.server.deliver;

import java.util.concurrent.atomic.AtomicLong;

/** The node-wide limit on bytes copied out of regions for slow sockets (I5). Any thread. */
public final class CopyQuota {

  private volatile long limitBytes;
  private final AtomicLong usedBytes = new AtomicLong();

  public CopyQuota(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** Takes room for a copy; false when the bound would be passed. */
  boolean reserve(long bytes) {
    if (usedBytes.addAndGet(bytes) <= limitBytes) {
      return true;
    }
    usedBytes.addAndGet(-bytes);
    return false;
  }

  void giveBack(long bytes) {
    usedBytes.addAndGet(-bytes);
  }

  public long usedBytes() {
    return usedBytes.get();
  }

  public long limitBytes() {
    return limitBytes;
  }

  /** Sets the limit; bytes beyond a lower limit stay until they are released. */
  public void limitBytes(long bytes) {
    limitBytes = bytes;
  }
}
