package io.forebay.server.listen.connection;

import io.forebay.server.config.TlsConfig.ClientAuth;
import io.forebay.server.rule.ClientCertificate;
import io.forebay.server.tls.SniTable;
import io.forebay.server.tls.TlsHost;
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
 * Checks the client certificate of a connection against the requirements of the requested host. A
 * connection made for one name may carry requests for another, and must not bypass that host's
 * requirement of a certificate.
 */
public final class ClientCertificateCheck {
  private static final AttributeKey<ClientCertificateCheck> KEY =
      AttributeKey.valueOf(ClientCertificateCheck.class, "guard");

  private final Supplier<SniTable> tls;
  private final String listener;
  private final @Nullable TlsHost host;
  private final @Nullable String clientCertificate;
  private final @Nullable ClientCertificate certificate;
  private final boolean isQuic;

  /**
   * Of a TCP connection.
   *
   * @param host what its ClientHello got, or null for plain text
   * @param clientCertificate as {@code Client-Cert} has it (RFC 9440 §2.2), or null
   */
  public ClientCertificateCheck(
      Supplier<SniTable> tls,
      String listener,
      @Nullable TlsHost host,
      @Nullable String clientCertificate) {
    this(tls, listener, host, clientCertificate, null, false);
  }

  private ClientCertificateCheck(
      Supplier<SniTable> tls,
      String listener,
      @Nullable TlsHost host,
      @Nullable String clientCertificate,
      @Nullable ClientCertificate certificate,
      boolean isQuic) {
    this.tls = tls;
    this.listener = listener;
    this.host = host;
    this.clientCertificate = clientCertificate;
    this.certificate = certificate;
    this.isQuic = isQuic;
  }

  /** Of a QUIC connection, whose client was asked for nothing. */
  public static ClientCertificateCheck ofQuic(Supplier<SniTable> tls, String listener) {
    return new ClientCertificateCheck(tls, listener, null, null, null, true);
  }

  /** Of a connection whose handshake is done; null when the client's certificate is over by now. */
  public static @Nullable ClientCertificateCheck of(
      Supplier<SniTable> tls, String listener, Channel channel, SSLEngine engine, long nowMillis) {
    TlsHost host = channel.attr(TlsHost.KEY).get();
    if (host == null || host.clientAuth() == ClientAuth.OFF) {
      return new ClientCertificateCheck(tls, listener, host, null);
    }
    try {
      Certificate[] chain = engine.getSession().getPeerCertificates();
      if (chain.length == 0 || !(chain[0] instanceof X509Certificate certificate)) {
        return new ClientCertificateCheck(tls, listener, host, null);
      }
      // A session that is resumed brings its certificate with it, unchecked.
      if (certificate.getNotAfter().toInstant().toEpochMilli() < nowMillis) {
        return null;
      }
      return new ClientCertificateCheck(
          tls,
          listener,
          host,
          ":" + Base64.getEncoder().encodeToString(certificate.getEncoded()) + ":",
          new ClientCertificate(certificate),
          false);
    } catch (SSLPeerUnverifiedException e) {
      return new ClientCertificateCheck(tls, listener, host, null);
    } catch (CertificateEncodingException e) {
      return null;
    }
  }

  public static void guard(Channel channel, ClientCertificateCheck guard) {
    channel.attr(KEY).set(guard);
  }

  /** The check of a connection, or null without one. */
  public static @Nullable ClientCertificateCheck of(Channel channel) {
    return channel.attr(KEY).get();
  }

  @Nullable String clientCertificate() {
    return clientCertificate;
  }

  /** The certificate of the client, or null. */
  public @Nullable ClientCertificate certificate() {
    return certificate;
  }

  /** Whether the client was asked for a certificate. */
  public boolean hasAsked() {
    return host != null && host.clientAuth() != ClientAuth.OFF;
  }

  /** Refuses a request that came by the wrong connection (RFC 9110 §15.5.20). */
  @Nullable Rejection check(String authority) {
    SniTable now = tls.get();
    boolean isMisdirected =
        isQuic
            ? now.asksClients(listener, authority)
            : now.isMisdirected(host, listener, authority);
    return isMisdirected ? Rejection.MISDIRECTED : null;
  }
}
