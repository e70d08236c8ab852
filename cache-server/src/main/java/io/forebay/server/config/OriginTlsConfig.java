package io.forebay.server.config;

import io.forebay.server.config.TlsConfig.PairConfig;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of TLS towards an origin.
 *
 * @param serverName asked for and verified in place of the host of the URL, or null
 * @param client certificate and key shown to servers that ask for one, or null
 * @param pins SHA-256 of public keys, of which one must be in the chain; empty for any
 */
public record OriginTlsConfig(
    @Nullable String serverName, @Nullable PairConfig client, List<String> pins) {

  /** What holds where nothing is configured. */
  public static final OriginTlsConfig DEFAULT = new OriginTlsConfig(null, null, List.of());

  @Nullable Path certificate() {
    return client == null ? null : client.certificate();
  }

  @Nullable Path key() {
    return client == null ? null : client.key();
  }
}
