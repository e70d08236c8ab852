package io.forebay.server.protect.rate;

import java.security.SecureRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The node's tables of buckets and of what is in progress, each made when the first request is
 * counted in it, and the clock that buckets go by. Any thread.
 */
public final class RateBuckets {

  /** Keys that the table can hold; 4 MiB. */
  public static final int KEYS = 1 << 18;

  /** Keys of which requests can be in progress; 512 KiB. */
  public static final int KEYS_IN_FLIGHT = 1 << 16;

  private final LongSupplier nanoTime;
  private final long start;
  private final byte[] secret = new byte[16];
  private volatile @Nullable RateTable table;
  private volatile @Nullable InFlightTable inFlight;

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

  InFlightTable inFlight() {
    InFlightTable made = inFlight;
    return made == null ? makeInFlight() : made;
  }

  private synchronized InFlightTable makeInFlight() {
    InFlightTable made = inFlight;
    if (made == null) {
      made = new InFlightTable(KEYS_IN_FLIGHT);
      inFlight = made;
    }
    return made;
  }

  /** Requests and fetches that limits on what is in flight count now. */
  public long countedInFlight() {
    InFlightTable made = inFlight;
    return made == null ? 0 : made.sum();
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
