package io.forebay.server.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The timeouts that a route sets for its requests in place of those of the origin; null for those
 * that it leaves to it.
 *
 * @param firstByte until the first byte of the response
 * @param idle between two bytes of the response
 * @param total of the whole exchange
 */
public record OriginTimeouts(
    @Nullable Duration firstByte, @Nullable Duration idle, @Nullable Duration total) {

  /** All are the origin's. */
  public static final OriginTimeouts OF_ORIGIN = new OriginTimeouts(null, null, null);

  public Duration firstByteOr(Duration ofOrigin) {
    return firstByte == null ? ofOrigin : firstByte;
  }

  public Duration idleOr(Duration ofOrigin) {
    return idle == null ? ofOrigin : idle;
  }

  public Duration totalOr(Duration ofOrigin) {
    return total == null ? ofOrigin : total;
  }
}
