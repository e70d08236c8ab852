package io.forebay.server.http;

import org.jspecify.annotations.Nullable;

/**
 * The parameters negotiated in a client's TLS handshake; created once per connection.
 *
 * @param version {@code TLSv1.3}, {@code TLSv1.2}
 * @param cipher by its name in the standards
 * @param serverName whom the client asked for (SNI), or null where it did not say
 * @param resumed whether it went on with an earlier session; null where that is not to be known
 * @param ja4 fingerprint of its ClientHello; null where there is none
 */
public record TlsSession(
    String version,
    String cipher,
    @Nullable String serverName,
    @Nullable Boolean resumed,
    @Nullable String ja4) {

  /** Without a fingerprint. */
  public TlsSession(
      String version, String cipher, @Nullable String serverName, @Nullable Boolean resumed) {
    this(version, cipher, serverName, resumed, null);
  }
}
