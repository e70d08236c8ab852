package io.forebay.server.listen;

import io.forebay.server.config.TlsConfig.ClientAuth;
import io.forebay.server.tls.TlsHost;
import io.forebay.server.tls.TlsTable;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * What a connection has shown of its client, against what the hosts it asks for want to see. Who
 * has made a connection for one name may send requests for another; where clients are asked for
 * certificates that must not lead past them.
 */
final class HostGuard {
  private static final AttributeKey<HostGuard> KEY = AttributeKey.valueOf(HostGuard.class, "guard");

  private final Supplier<TlsTable> tls;
  private final String listener;
  private final @Nullable TlsHost host;
  private final @Nullable String clientCertificate;
  private final boolean isQuic;

  /**
   * Of a TCP connection.
   *
   * @param host what its ClientHello got, or null for plain text
   * @param clientCertificate as {@code Client-Cert} has it (RFC 9440 §2.2), or null
   */
  HostGuard(
      Supplier<TlsTable> tls,
      String listener,
      @Nullable TlsHost host,
      @Nullable String clientCertificate) {
    this(tls, listener, host, clientCertificate, false);
  }

  private HostGuard(
      Supplier<TlsTable> tls,
      String listener,
      @Nullable TlsHost host,
      @Nullable String clientCertificate,
      boolean isQuic) {
    this.tls = tls;
    this.listener = listener;
    this.host = host;
    this.clientCertificate = clientCertificate;
    this.isQuic = isQuic;
  }

  /** Of a QUIC connection, whose client was asked for nothing. */
  static HostGuard ofQuic(Supplier<TlsTable> tls, String listener) {
    return new HostGuard(tls, listener, null, null, true);
  }

  /** Of a connection whose handshake is done; null when the client's certificate is over by now. */
  static @Nullable HostGuard of(
      Supplier<TlsTable> tls, String listener, Channel channel, SSLEngine engine, long nowMillis) {
    TlsHost host = channel.attr(TlsHost.KEY).get();
    if (host == null || host.clientAuth() == ClientAuth.OFF) {
      return new HostGuard(tls, listener, host, null);
    }
    try {
      Certificate[] chain = engine.getSession().getPeerCertificates();
      if (chain.length == 0 || !(chain[0] instanceof X509Certificate certificate)) {
        return new HostGuard(tls, listener, host, null);
      }
      // A session that is resumed brings its certificate with it, unchecked.
      if (certificate.getNotAfter().toInstant().toEpochMilli() < nowMillis) {
        return null;
      }
      return new HostGuard(
          tls,
          listener,
          host,
          ":" + Base64.getEncoder().encodeToString(certificate.getEncoded()) + ":");
    } catch (SSLPeerUnverifiedException e) {
      return new HostGuard(tls, listener, host, null);
    } catch (CertificateEncodingException e) {
      return null;
    }
  }

  static void guard(Channel channel, HostGuard guard) {
    channel.attr(KEY).set(guard);
  }

  /** The guard of a connection, or null where nobody set one. */
  static @Nullable HostGuard of(Channel channel) {
    return channel.attr(KEY).get();
  }

  @Nullable String clientCertificate() {
    return clientCertificate;
  }

  /** Whether the client was asked for a certificate. */
  boolean hasAsked() {
    return host != null && host.clientAuth() != ClientAuth.OFF;
  }

  /** Refuses a request that came by the wrong connection (RFC 9110 §15.5.20). */
  @Nullable Refusal check(String authority) {
    TlsTable now = tls.get();
    boolean isMisdirected =
        isQuic
            ? now.asksClients(listener, authority)
            : now.isMisdirected(host, listener, authority);
    return isMisdirected ? Refusal.MISDIRECTED : null;
  }
}
