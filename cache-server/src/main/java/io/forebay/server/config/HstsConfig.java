package io.forebay.server.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Whether browsers are told to come by TLS alone (RFC 6797).
 *
 * @param maxAge for how long, or null for not at all
 */
public record HstsConfig(@Nullable Duration maxAge, boolean subdomains, boolean preload) {
  public static final HstsConfig NONE = new HstsConfig(null, false, false);
}
