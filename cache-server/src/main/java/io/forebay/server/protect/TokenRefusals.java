package io.forebay.server.protect;

import io.forebay.core.policy.Reason;
import io.forebay.server.config.JwtConfig;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The answers to requests without a good token (RFC 6750 §3). */
final class TokenRefusals {
  private static final Duration SOON = Duration.ofSeconds(2);

  private TokenRefusals() {}

  /** No token is there, so nothing is said of it. */
  static Refusal missing(JwtConfig config) {
    return refusal(401, Reason.REFUSED_TOKEN, config, null, null);
  }

  /**
   * The token is not valid.
   *
   * @param why ASCII without quotes
   */
  static Refusal invalid(JwtConfig config, String why) {
    return refusal(401, Reason.REFUSED_TOKEN, config, "invalid_token", why);
  }

  static Refusal lacksClaim(JwtConfig config) {
    return refusal(403, Reason.REFUSED_CLAIMS, config, "insufficient_scope", null);
  }

  /** Nothing can be said of the token now. */
  static Refusal unverified() {
    return new Refusal(
        503, Reason.REFUSED_UNVERIFIED, Reason.REFUSED_UNVERIFIED.explanation(), SOON, "");
  }

  private static Refusal refusal(
      int status,
      Reason reason,
      JwtConfig config,
      @Nullable String error,
      @Nullable String description) {
    StringBuilder line = new StringBuilder("www-authenticate: Bearer realm=\"");
    line.append(config.realm()).append('"');
    if (error != null) {
      line.append(", error=\"").append(error).append('"');
    }
    if (description != null) {
      line.append(", error_description=\"").append(description).append('"');
    }
    return new Refusal(
        status, reason, reason.explanation(), Duration.ZERO, line.append("\r\n").toString());
  }
}
