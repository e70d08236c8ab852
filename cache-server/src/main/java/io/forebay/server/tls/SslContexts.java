package io.forebay.server.tls;

import io.forebay.server.config.TlsConfig.ClientAuth;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslCachingX509KeyManagerFactory;
import io.netty.handler.ssl.OpenSslContextOption;
import io.netty.handler.ssl.OpenSslServerSessionContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLException;

/**
 * Creates TLS contexts: with BoringSSL where its native library loads, else with the JDK's TLS,
 * which is slower and has fewer features.
 */
final class SslContexts {
  /** Of a chain that a client shows: memory that it has before it is known. */
  private static final int CLIENT_CHAIN_BYTES = 32 * 1024;

  /** For how long tickets may be used, if their key is still there (RFC 8446 §4.6.1: a week). */
  private static final long SESSION_SECONDS = Duration.ofHours(24).toSeconds();

  private SslContexts() {}

  /**
   * A context of one host.
   *
   * @param scope what its tickets are bound to
   */
  static SslContext of(TlsHostSettings settings, byte[] scope) throws TlsException {
    boolean isBoring = OpenSsl.isAvailable();
    TlsPolicy policy = TlsPolicy.of(settings.policy());
    try {
      SslContextBuilder builder =
          SslContextBuilder.forServer(keys(settings.pairs(), isBoring))
              .sslProvider(isBoring ? SslProvider.OPENSSL : SslProvider.JDK)
              .protocols(policy.protocols())
              .ciphers(policy.ciphers(), SupportedCipherSuiteFilter.INSTANCE)
              .applicationProtocolConfig(
                  new ApplicationProtocolConfig(
                      Protocol.ALPN,
                      SelectorFailureBehavior.NO_ADVERTISE,
                      SelectedListenerFailureBehavior.ACCEPT,
                      settings.protocols()))
              .sessionTimeout(SESSION_SECONDS)
              .clientAuth(
                  switch (settings.clientAuth()) {
                    case OFF -> io.netty.handler.ssl.ClientAuth.NONE;
                    case OPTIONAL -> io.netty.handler.ssl.ClientAuth.OPTIONAL;
                    case REQUIRED -> io.netty.handler.ssl.ClientAuth.REQUIRE;
                  });
      if (settings.clientAuth() == ClientAuth.OFF) {
        builder.trustManager(RejectAllTrustManager.NONE);
      } else {
        builder.trustManager(settings.clientCas().toArray(new X509Certificate[0]));
      }
      if (isBoring) {
        builder
            .option(OpenSslContextOption.GROUPS, policy.groups().toArray(new String[0]))
            .option(OpenSslContextOption.MAX_CERTIFICATE_LIST_BYTES, CLIENT_CHAIN_BYTES);
      }
      SslContext context = builder.build();
      if (context.sessionContext() instanceof OpenSslServerSessionContext sessions) {
        // Sessions are in tickets: no state is kept for clients, and any loop or node can resume.
        sessions.setSessionCacheEnabled(false);
        if (!sessions.setSessionIdContext(scope)) {
          throw new TlsException(settings.name() + ": tickets cannot be bound");
        }
      }
      return context;
    } catch (SSLException | IllegalArgumentException e) {
      throw new TlsException(settings.pairs().getFirst().file() + " cannot be used: " + reason(e));
    }
  }

  /**
   * All pairs. With BoringSSL the certificates are those of {@link NativeCredentials}, which go
   * first; but Netty fails a handshake for which this has nothing.
   */
  private static KeyManagerFactory keys(List<CertificatePair> pairs, boolean isBoring) {
    KeyManagerFactory factory = new PairKeyManager(pairs).factory();
    return isBoring ? new OpenSslCachingX509KeyManagerFactory(factory) : factory;
  }

  /** The message furthest down that says anything. */
  private static String reason(Throwable failure) {
    String text = failure.getClass().getSimpleName();
    for (Throwable t = failure; t != null; t = t.getCause()) {
      String message = t.getMessage();
      if (message != null && !message.isEmpty()) {
        text = message;
      }
    }
    return text.lines().findFirst().orElse(text);
  }
}
