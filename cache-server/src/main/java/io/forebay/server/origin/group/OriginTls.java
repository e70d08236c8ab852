package io.forebay.server.origin.group;

import io.forebay.server.origin.tls.OriginCredentials;
import io.forebay.server.text.Printable;
import io.forebay.server.tls.CertificatePair;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * TLS towards origins: BoringSSL where its native library loads, else the JDK's. Chain and host
 * name are always verified; there is no switch to turn that off.
 */
public final class OriginTls {
  private static final int MAX_CAUSES = 10;

  private OriginTls() {}

  /**
   * What connections with those credentials are made with; it keeps their sessions.
   *
   * @param protocols names for ALPN, in order of preference; none to negotiate nothing
   */
  public static SslContext context(OriginCredentials credentials, List<String> protocols)
      throws IOException {
    SslContextBuilder builder =
        SslContextBuilder.forClient()
            .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK)
            .protocols("TLSv1.3", "TLSv1.2")
            .endpointIdentificationAlgorithm("HTTPS");
    if (!protocols.isEmpty()) {
      builder.applicationProtocolConfig(
          new ApplicationProtocolConfig(
              Protocol.ALPN,
              SelectorFailureBehavior.NO_ADVERTISE,
              SelectedListenerFailureBehavior.ACCEPT,
              protocols));
    }
    try {
      if (!credentials.isPlatform()) {
        builder.trustManager(credentials.trustManager());
      }
      CertificatePair client = credentials.client();
      if (client != null) {
        builder.keyManager(client.key(), client.chain().toArray(X509Certificate[]::new));
      }
      return builder.build();
    } catch (SSLException | IllegalArgumentException e) {
      throw new IOException("TLS to origins cannot be set up: " + Printable.line(e), e);
    }
  }

  /** Whether a handshake failed because of the origin's certificate. */
  public static boolean isCertificateRefused(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
      if (cause instanceof CertificateException || cause instanceof CertPathBuilderException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** Why a handshake failed, in words an operator can act on. */
  public static String words(Throwable failure) {
    if (failure instanceof ClosedChannelException) {
      return "the origin closed the connection during the handshake";
    }
    Throwable cause = failure;
    for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
      if (cause instanceof CertificateExpiredException) {
        return "certificate has expired: " + Printable.line(cause);
      }
      if (cause instanceof CertificateNotYetValidException) {
        return "certificate is not valid yet: " + Printable.line(cause);
      }
      if (cause instanceof CertPathBuilderException) {
        return "certificate is not trusted: " + Printable.line(cause);
      }
      Throwable next = cause.getCause();
      if (next == null) {
        break;
      }
      cause = next;
    }
    return Printable.line(cause == null ? failure : cause);
  }
}
