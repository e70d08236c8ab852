package io.forebay.server.config;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of Strict-Transport-Security (RFC 6797).
 *
 * @param maxAge for how long, or null for not at all
 */
public record HstsConfig(@Nullable Duration maxAge, boolean subdomains, boolean preload) {
  public static final HstsConfig NONE = new HstsConfig(null, false, false);

  /** The header line of a route with this setting, CRLF included (RFC 6797 §6.1), in ASCII. */
  public byte[] line() {
    StringBuilder line = new StringBuilder("strict-transport-security: max-age=");
    line.append(maxAge == null ? 0 : maxAge.toSeconds());
    if (subdomains) {
      line.append("; includeSubDomains");
    }
    if (preload) {
      line.append("; preload");
    }
    return line.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
  }
}
