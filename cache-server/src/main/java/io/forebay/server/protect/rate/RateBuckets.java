package io.forebay.server.protect.rate;

import java.security.SecureRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The node's table of buckets, which is made when the first request is counted, and the clock that
 * it goes by. Any thread.
 */
public final class RateBuckets {

  /** Keys that the table can hold; 4 MiB. */
  public static final int KEYS = 1 << 18;

  private final LongSupplier nanoTime;
  private final long start;
  private final byte[] secret = new byte[16];
  private volatile @Nullable RateTable table;

  /**
   * Without a table yet.
   *
   * @param nanoTime a clock that never goes back
   */
  public RateBuckets(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.start = nanoTime.getAsLong();
    new SecureRandom().nextBytes(secret);
  }

  byte[] secret() {
    return secret;
  }

  long now() {
    return nanoTime.getAsLong() - start;
  }

  RateTable table() {
    RateTable made = table;
    return made == null ? make() : made;
  }

  private synchronized RateTable make() {
    RateTable made = table;
    if (made == null) {
      made = new RateTable(KEYS);
      table = made;
    }
    return made;
  }
}
