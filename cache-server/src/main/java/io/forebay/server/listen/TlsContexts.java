package io.forebay.server.listen;

import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.netty.buffer.ByteBufAllocator;
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
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** TLS of a listener: BoringSSL where its natives load, else the JDK's. TLS 1.2 and 1.3. */
final class TlsContexts {

  private static final Logger LOG = LoggerFactory.getLogger(TlsContexts.class);

  private static final int RECORDS_LENGTH = 64 * 1024;
  private static final int MAX_TURNS = 100;

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
      SslContext context =
          builder
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
      handshake(context);
      return context;
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

  /**
   * Shakes hands once in memory: a key that does not belong to the certificate would otherwise only
   * show when the first client comes.
   */
  private static void handshake(SslContext context) throws SSLException {
    SSLEngine server = context.newEngine(ByteBufAllocator.DEFAULT);
    try {
      SSLEngine client =
          SslContextBuilder.forClient()
              .sslProvider(SslProvider.JDK)
              .trustManager(InsecureTrustManagerFactory.INSTANCE)
              .build()
              .newEngine(ByteBufAllocator.DEFAULT);
      ByteBuffer toServer = ByteBuffer.allocate(RECORDS_LENGTH);
      ByteBuffer toClient = ByteBuffer.allocate(RECORDS_LENGTH);
      client.beginHandshake();
      server.beginHandshake();
      for (int turn = 0; turn < MAX_TURNS; turn++) {
        step(client, toServer, toClient);
        step(server, toClient, toServer);
        if (isDone(client) && isDone(server)) {
          return;
        }
      }
      throw new SSLException("the handshake does not end");
    } finally {
      ReferenceCountUtil.release(server);
    }
  }

  private static void step(SSLEngine engine, ByteBuffer out, ByteBuffer in) throws SSLException {
    ByteBuffer none = ByteBuffer.allocate(0);
    ByteBuffer application = ByteBuffer.allocate(RECORDS_LENGTH);
    switch (engine.getHandshakeStatus()) {
      case NEED_WRAP -> engine.wrap(none, out);
      case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
        in.flip();
        engine.unwrap(in, application);
        in.compact();
      }
      case NEED_TASK -> {
        Runnable task = engine.getDelegatedTask();
        if (task != null) {
          task.run();
        }
      }
      case FINISHED, NOT_HANDSHAKING -> {}
    }
  }

  private static boolean isDone(SSLEngine engine) {
    return engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING
        && !engine.getSession().getProtocol().equals("NONE");
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
