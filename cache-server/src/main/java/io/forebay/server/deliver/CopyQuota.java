package io.forebay.server.deliver;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The node-wide limit on bytes that are held for single clients: copied out of regions for slow
 * sockets, and request bodies (I5). Any thread.
 */
public final class CopyQuota {

  private volatile long limitBytes;
  private final AtomicLong usedBytes = new AtomicLong();

  public CopyQuota(long limitBytes) {
    this.limitBytes = limitBytes;
  }

  /** Takes room for a copy; false when the bound would be passed. */
  public boolean reserve(long bytes) {
    if (usedBytes.addAndGet(bytes) <= limitBytes) {
      return true;
    }
    usedBytes.addAndGet(-bytes);
    return false;
  }

  public void giveBack(long bytes) {
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
