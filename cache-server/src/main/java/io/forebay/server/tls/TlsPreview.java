package io.forebay.server.tls;

import io.forebay.server.config.TlsConfig.ClientAuth;
import io.forebay.server.config.TlsConfig.Policy;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a listener would present now for a ClientHello with a server name.
 *
 * @param entry of the configuration, as in {@link CertificateStatus}
 * @param matchedName the name that leads there, a wildcard perhaps; null where none does and it is
 *     what the listener has for all others
 * @param versions highest first
 * @param leaves one, or two among which the client's hello decides
 */
public record TlsPreview(
    String listener,
    String entry,
    @Nullable String matchedName,
    Policy policy,
    List<String> versions,
    ClientAuth clientAuth,
    List<Leaf> leaves) {

  /**
   * A certificate that may be shown.
   *
   * @param kind {@code ecdsa} or {@code rsa}
   * @param names DNS names in it
   * @param isForName whether a client that asks for the name takes it for that
   */
  public record Leaf(
      String kind, List<String> names, boolean isForName, Instant notBefore, Instant notAfter) {}

  static TlsPreview of(SniTable table, String listener, TlsHost host, @Nullable String name) {
    TlsHostSettings settings = host.settings();
    return new TlsPreview(
        listener,
        host.name(),
        name == null ? null : table.matchedName(name),
        settings.policy(),
        TlsPolicy.of(settings.policy()).protocols(),
        settings.clientAuth(),
        settings.pairs().stream().map(pair -> leaf(pair, name)).toList());
  }

  private static Leaf leaf(CertificatePair pair, @Nullable String name) {
    return new Leaf(
        pair.kind(),
        pair.names(),
        name != null && pair.covers(name),
        pair.leaf().getNotBefore().toInstant(),
        pair.leaf().getNotAfter().toInstant());
  }
}
