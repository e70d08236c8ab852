package io.forebay.server.protect;

import io.forebay.core.policy.Reason;
import io.forebay.server.protect.rate.RateLimit;
import java.time.Duration;

/**
 * The answer to a request beyond a rate limit, with the fields of
 * draft-ietf-httpapi-ratelimit-headers-10: the policies of the route, and what is left of the one
 * that refused.
 */
final class RateLimitRefusal {
  private static final long NANOS = 1_000_000_000L;

  private RateLimitRefusal() {}

  static Refusal of(RateLimit[] limits, int refusing, long waitNanos) {
    long seconds = Math.max(1, (waitNanos + NANOS - 1) / NANOS);
    StringBuilder lines = new StringBuilder("ratelimit-policy: ");
    for (int i = 0; i < limits.length; i++) {
      lines.append(i == 0 ? "\"" : ", \"").append(limits[i].config().name()).append("\";q=");
      lines.append(limits[i].config().requests()).append(";w=");
      lines.append(limits[i].config().per().toSeconds());
    }
    lines.append("\r\nratelimit: \"").append(limits[refusing].config().name());
    lines.append("\";r=0;t=").append(seconds).append("\r\n");
    return new Refusal(
        429,
        Reason.REFUSED_RATE_LIMIT,
        Reason.REFUSED_RATE_LIMIT.explanation(),
        Duration.ofSeconds(seconds),
        lines.toString());
  }
}
