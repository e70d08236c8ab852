package io.forebay.server.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The limits and timeouts of one route; null for those that it leaves to the node or the origin.
 *
 * @param requestBodyBytes at most the node's
 * @param requestBodyRate bytes a second that a request body has to bring; at least the node's
 * @param requestBodyIdle between two bytes of a request body; at most the node's
 * @param requestTotal from the end of a request's head to the end of its response; at most the
 *     node's
 * @param noProgress in which a client has to take something of a response; at most the node's
 * @param keepAlive of connections that have asked for the route; at most the node's
 * @param ofOrigin in place of those of the origin
 */
public record RouteLimits(
    @Nullable Long requestBodyBytes,
    @Nullable Integer requestBodyRate,
    @Nullable Duration requestBodyIdle,
    @Nullable Duration requestTotal,
    @Nullable Duration noProgress,
    @Nullable Duration keepAlive,
    OriginTimeouts ofOrigin) {

  public static final RouteLimits NONE =
      new RouteLimits(null, null, null, null, null, null, OriginTimeouts.OF_ORIGIN);

  /** Whether it limits requests of clients. */
  public boolean limitsRequests() {
    return requestBodyBytes != null
        || requestBodyRate != null
        || requestBodyIdle != null
        || requestTotal != null;
  }

  /** Whether it limits connections of clients. */
  public boolean limitsConnections() {
    return noProgress != null || keepAlive != null;
  }

  /** {@link Long#MAX_VALUE} where it is the node's. */
  public long noProgressNanos() {
    return noProgress == null ? Long.MAX_VALUE : noProgress.toNanos();
  }

  /** {@link Long#MAX_VALUE} where it is the node's. */
  public long keepAliveNanos() {
    return keepAlive == null ? Long.MAX_VALUE : keepAlive.toNanos();
  }
}
