package io.forebay.server.http;

import io.forebay.server.rule.ClientCertificate;
import org.jspecify.annotations.Nullable;

/**
 * The parameters negotiated in a client's TLS handshake; created once per connection.
 *
 * @param version {@code TLSv1.3}, {@code TLSv1.2}
 * @param cipher by its name in the standards
 * @param serverName whom the client asked for (SNI), or null where it did not say
 * @param resumed whether it went on with an earlier session; null where that is not to be known
 * @param ja4 fingerprint of its ClientHello; null where there is none
 * @param certificate that the client proved to have; null without one
 */
public record TlsSession(
    String version,
    String cipher,
    @Nullable String serverName,
    @Nullable Boolean resumed,
    @Nullable String ja4,
    @Nullable ClientCertificate certificate) {

  /** Without a certificate of the client. */
  public TlsSession(
      String version,
      String cipher,
      @Nullable String serverName,
      @Nullable Boolean resumed,
      @Nullable String ja4) {
    this(version, cipher, serverName, resumed, ja4, null);
  }

  /** Without a fingerprint. */
  public TlsSession(
      String version, String cipher, @Nullable String serverName, @Nullable Boolean resumed) {
    this(version, cipher, serverName, resumed, null);
  }
}
