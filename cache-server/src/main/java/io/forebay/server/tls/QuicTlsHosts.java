package io.forebay.server.tls;

import io.forebay.server.config.TlsConfig.ClientAuth;
import io.netty.handler.codec.quic.Quic;
import io.netty.handler.codec.quic.QuicSslContext;
import io.netty.handler.codec.quic.QuicSslContextBuilder;
import io.netty.handler.codec.quic.SslSessionTicketKey;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import javax.crypto.KDF;
import javax.crypto.spec.HKDFParameterSpec;
import javax.net.ssl.KeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The TLS hosts of a listener for QUIC, whose library has its own TLS: version 1.3, the first
 * certificate of each host, no early data (which could be replayed). A host's context is created
 * with its first handshake and shared by all event loops, so its tickets are valid on each.
 *
 * <p>Keys of tickets are derived from those of TLS over TCP, so nodes that share the ones share the
 * others, and no ticket of a listener is one of TCP or of another listener. A handshake that finds
 * other keys gives them to all contexts: BoringSSL takes the ticket's key from the context that the
 * handshake began with, and the callback from the one that the name leads to.
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
  private final Supplier<List<byte[]>> ticketKeys;
  private final Map<TlsHost, QuicSslContext> contexts =
      Collections.synchronizedMap(new WeakHashMap<>());

  /** What handshakes begin with; null before {@link #context}. Guarded by {@code contexts}. */
  private @Nullable QuicSslContext first;

  /** Derived from {@code derivedFrom}. Guarded by {@code contexts}. */
  private SslSessionTicketKey[] derived = {};

  private volatile List<byte[]> derivedFrom = List.of();

  /**
   * The hosts of a listener.
   *
   * @param ticketKeys the first encrypts, all decrypt; another list where they are others
   */
  public QuicTlsHosts(
      String listener, Supplier<SniTable> table, Supplier<List<byte[]>> ticketKeys) {
    this.listener = listener;
    this.table = table;
    this.ticketKeys = ticketKeys;
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
    QuicSslContext made =
        host == null
            ? QuicSslContextBuilder.buildForServerWithSni(this::of)
            : builder(host).sni(this::of).build();
    synchronized (contexts) {
      first = made;
      derivedFrom = List.of();
    }
    refreshTicketKeys();
    return made;
  }

  private @Nullable QuicSslContext of(@Nullable String serverName) {
    refreshTicketKeys();
    TlsHost host = table.get().of(listener, serverName);
    return host == null || host.clientAuth() != ClientAuth.OFF
        ? null
        : contexts.computeIfAbsent(host, this::made);
  }

  private QuicSslContext made(TlsHost host) {
    QuicSslContext made = builder(host).build();
    made.sessionContext().setTicketKeys(derived);
    return made;
  }

  @SuppressWarnings("ReferenceEquality") // other keys are another list
  private void refreshTicketKeys() {
    if (ticketKeys.get() == derivedFrom) {
      return;
    }
    synchronized (contexts) {
      List<byte[]> current = ticketKeys.get();
      derived =
          current.stream().map(key -> ticketKey(listener, key)).toArray(SslSessionTicketKey[]::new);
      derivedFrom = current;
      QuicSslContext beginning = first;
      if (beginning != null) {
        beginning.sessionContext().setTicketKeys(derived);
      }
      contexts.values().forEach(context -> context.sessionContext().setTicketKeys(derived));
    }
  }

  /** The key of a listener's tickets that one of TLS over TCP leads to. */
  static SslSessionTicketKey ticketKey(String listener, byte[] key) {
    byte[] purpose = ("forebay quic tickets " + listener).getBytes(StandardCharsets.UTF_8);
    try {
      byte[] all =
          KDF.getInstance("HKDF-SHA256")
              .deriveData(
                  HKDFParameterSpec.ofExtract()
                      .addIKM(key)
                      .thenExpand(purpose, SslSessionTicketKey.TICKET_KEY_SIZE));
      return new SslSessionTicketKey(
          Arrays.copyOfRange(all, 0, 16),
          Arrays.copyOfRange(all, 16, 32),
          Arrays.copyOfRange(all, 32, 48));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has HKDF", e);
    }
  }

  private static QuicSslContextBuilder builder(TlsHost host) {
    KeyManager keys = new PairKeyManager(host.settings().pairs().subList(0, 1));
    return QuicSslContextBuilder.forServer(keys, null)
        .applicationProtocols(PROTOCOL)
        .earlyData(false);
  }
}
