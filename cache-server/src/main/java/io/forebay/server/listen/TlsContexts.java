package io.forebay.server.listen;

import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.netty.handler.codec.http2.Http2SecurityUtil;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** TLS of a listener: BoringSSL where its natives load, else the JDK's. TLS 1.2 and 1.3. */
final class TlsContexts {

  private static final Logger LOG = LoggerFactory.getLogger(TlsContexts.class);

  private TlsContexts() {}

  /** The context of a listener with a certificate. */
  static SslContext of(ListenerConfig listener) throws ListenException {
    Path certificate = listener.certificate();
    Path key = listener.key();
    if (certificate == null || key == null) {
      throw new ListenException(
          "listener " + listener.name() + ": TLS needs both a certificate and a key");
    }
    SslProvider provider = SslProvider.OPENSSL;
    if (!OpenSsl.isAvailable()) {
      provider = SslProvider.JDK;
      LOG.warn(
          "listener {}: BoringSSL does not load here, using the JDK's slower TLS: {}",
          listener.name(),
          String.valueOf(OpenSsl.unavailabilityCause()));
    }
    SslContextBuilder builder = builder(listener.name(), certificate, key);
    try {
      return builder
          .sslProvider(provider)
          .protocols("TLSv1.3", "TLSv1.2")
          // The list of RFC 9113 and TLS 1.3: forward secrecy and AEAD only.
          .ciphers(Http2SecurityUtil.CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
          .applicationProtocolConfig(
              new ApplicationProtocolConfig(
                  Protocol.ALPN,
                  SelectorFailureBehavior.NO_ADVERTISE,
                  SelectedListenerFailureBehavior.ACCEPT,
                  ApplicationProtocolNames.HTTP_2,
                  ApplicationProtocolNames.HTTP_1_1))
          .build();
    } catch (SSLException e) {
      throw new ListenException(
          "listener "
              + listener.name()
              + ": certificate "
              + certificate
              + " and key "
              + key
              + " cannot be used: "
              + reason(e),
          e);
    }
  }

  private static SslContextBuilder builder(String listener, Path certificate, Path key)
      throws ListenException {
    try (InputStream chainBytes = open(listener, "certificate", certificate);
        InputStream keyBytes = open(listener, "key", key)) {
      return SslContextBuilder.forServer(chainBytes, keyBytes);
    } catch (IllegalArgumentException e) {
      throw new ListenException(
          "listener "
              + listener
              + ": certificate "
              + certificate
              + " and key "
              + key
              + " cannot be used: "
              + reason(e),
          e);
    } catch (IOException e) {
      throw new ListenException("listener " + listener + ": " + reason(e), e);
    }
  }

  private static InputStream open(String listener, String what, Path file) throws ListenException {
    try {
      return Files.newInputStream(file);
    } catch (IOException e) {
      throw new ListenException(
          "listener " + listener + ": " + what + " " + file + " cannot be read: " + reason(e), e);
    }
  }

  /** The message furthest down that says anything. */
  private static String reason(Throwable failure) {
    String text = failure.getClass().getSimpleName();
    for (Throwable t = failure; t != null; t = t.getCause()) {
      String message = t.getMessage();
      if (message != null && !message.isEmpty()) {
        text = t instanceof java.nio.file.NoSuchFileException ? "no such file" : message;
      }
    }
    return text.lines().findFirst().orElse(text);
  }
}
