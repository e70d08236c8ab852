package io.forebay.server.protect;

import io.forebay.core.policy.Reason;
import io.forebay.server.config.ProtectionProfile.RateLimitConfig;
import io.forebay.server.config.ProtectionProfile.RateLimitConfig.Unit;
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
      RateLimitConfig limit = limits[i].config();
      lines.append(i == 0 ? "\"" : ", \"").append(limit.name()).append("\";q=");
      lines.append(limit.quota());
      switch (limit.unit()) {
        case REQUESTS -> lines.append(";w=").append(limit.per().toSeconds());
        case BYTES -> lines.append(";qu=\"content-bytes\";w=").append(limit.per().toSeconds());
        case IN_FLIGHT -> lines.append(";qu=\"concurrent-requests\"");
      }
    }
    lines.append("\r\nratelimit: \"").append(limits[refusing].config().name());
    lines.append("\";r=0");
    if (limits[refusing].config().unit() != Unit.IN_FLIGHT) {
      lines.append(";t=").append(seconds);
    }
    lines.append("\r\n");
    return new Refusal(
        429,
        Reason.REFUSED_RATE_LIMIT,
        Reason.REFUSED_RATE_LIMIT.explanation(),
        Duration.ofSeconds(seconds),
        lines.toString());
  }
}
