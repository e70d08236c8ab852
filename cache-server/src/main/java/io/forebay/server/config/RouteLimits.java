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
 * @param ofOrigin in place of those of the origin
 */
public record RouteLimits(
    @Nullable Long requestBodyBytes,
    @Nullable Integer requestBodyRate,
    @Nullable Duration requestBodyIdle,
    @Nullable Duration requestTotal,
    OriginTimeouts ofOrigin) {

  public static final RouteLimits NONE =
      new RouteLimits(null, null, null, null, OriginTimeouts.OF_ORIGIN);

  /** Whether it limits requests of clients. */
  public boolean limitsRequests() {
    return requestBodyBytes != null
        || requestBodyRate != null
        || requestBodyIdle != null
        || requestTotal != null;
  }
}
