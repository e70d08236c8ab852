package io.forebay.server.origin.probe;

import io.forebay.server.config.ProbeConfig;
import io.netty.handler.ssl.SslContext;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * What is probed, and how.
 *
 * @param label how log lines name it
 * @param address where probes connect to
 * @param authority Host field
 * @param tls what connections are secured with; null for plain ones
 * @param tlsName name asked for and verified in TLS
 */
public record ProbeTarget(
    String label,
    SocketAddress address,
    String authority,
    @Nullable SslContext tls,
    String tlsName,
    ProbeConfig config) {

  /** Whether the results of the other one hold for this one; trust anchors may differ. */
  public boolean isSameAs(ProbeTarget other) {
    return label.equals(other.label)
        && address.equals(other.address)
        && authority.equals(other.authority)
        && (tls == null) == (other.tls == null)
        && tlsName.equals(other.tlsName)
        && config.equals(other.config);
  }
}
