package io.forebay.server.tls;

import io.forebay.server.config.TlsConfig.ClientAuth;
import io.netty.handler.codec.quic.Quic;
import io.netty.handler.codec.quic.QuicSslContext;
import io.netty.handler.codec.quic.QuicSslContextBuilder;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The TLS hosts of a listener for QUIC, whose library has its own TLS: version 1.3, the first
 * certificate of each host, no early data (which could be replayed). A host's context is created
 * with its first handshake and shared by all event loops, so its tickets are valid on each.
 *
 * <p>Hosts that ask clients for certificates are none of QUIC's. Whether a client is asked is
 * settled by the context that a handshake begins with; the one that the name leads to brings
 * certificates and authorities, and no more (BoringSSL's {@code SSL_set_SSL_CTX}). So who comes for
 * such a host is refused in the handshake, and retries over TCP.
 */
public final class QuicTlsHosts {

  private static final String PROTOCOL = "h3";

  private final String listener;
  private final Supplier<SniTable> table;
  private final Map<TlsHost, QuicSslContext> contexts =
      Collections.synchronizedMap(new WeakHashMap<>());

  public QuicTlsHosts(String listener, Supplier<SniTable> table) {
    this.listener = listener;
    this.table = table;
  }

  /** Null if QUIC is available, else why not. */
  public static @Nullable String missing() {
    return Quic.isAvailable() ? null : String.valueOf(Quic.unavailabilityCause());
  }

  /**
   * What handshakes begin with: shows the certificate of the name that is asked for, as the table
   * says by then.
   */
  public QuicSslContext context() {
    TlsHost host = table.get().of(listener, null);
    return host == null
        ? QuicSslContextBuilder.buildForServerWithSni(this::of)
        : builder(host).sni(this::of).build();
  }

  private @Nullable QuicSslContext of(@Nullable String serverName) {
    TlsHost host = table.get().of(listener, serverName);
    return host == null || host.clientAuth() != ClientAuth.OFF
        ? null
        : contexts.computeIfAbsent(host, made -> builder(made).build());
  }

  private static QuicSslContextBuilder builder(TlsHost host) {
    KeyManager keys = new PairKeyManager(host.settings().pairs().subList(0, 1));
    return QuicSslContextBuilder.forServer(keys, null)
        .applicationProtocols(PROTOCOL)
        .earlyData(false);
  }
}
