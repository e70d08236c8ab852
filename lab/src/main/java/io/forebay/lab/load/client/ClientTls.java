package io.forebay.lab.load.client;

import io.forebay.lab.load.LoadPlan;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.quic.QuicSslContext;
import io.netty.handler.codec.quic.QuicSslContextBuilder;
import io.netty.handler.codec.quic.QuicSslEngine;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * TLS of the client's connections, by BoringSSL. Sessions are kept by place: each connection that
 * offers one offers that of the one before it in its place, since a ticket of TLS 1.3 is for one
 * use. Netty looks sessions up by host and port; the number of the place stands for the port.
 */
final class ClientTls implements AutoCloseable {
  /** Servers issue two at a time, and used ones are in the cache for a while. */
  private static final int SESSIONS_A_PLACE = 8;

  private final TrustedOnce trust;
  private final LoadPlan.Protocol protocol;
  private final @Nullable SslContext tcpResuming;
  private final @Nullable SslContext tcpWhole;
  private final @Nullable QuicSslContext quicResuming;
  private final @Nullable QuicSslContext quicWhole;
  private final AtomicInteger wholes = new AtomicInteger();

  ClientTls(LoadPlan plan) throws IOException {
    protocol = plan.protocol();
    trust = new TrustedOnce(trusted(plan.trust()));
    int sessions = SESSIONS_A_PLACE * plan.connections();
    if (protocol == LoadPlan.Protocol.HTTP3) {
      quicResuming = quic(sessions);
      quicWhole = quic(1);
      tcpResuming = null;
      tcpWhole = null;
    } else {
      tcpResuming = tcp(sessions);
      tcpWhole = tcp(1);
      quicResuming = null;
      quicWhole = null;
    }
  }

  private static X509TrustManager trusted(@Nullable String pem) throws IOException {
    try {
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(pem == null ? null : store(pem));
      for (TrustManager manager : factory.getTrustManagers()) {
        if (manager instanceof X509TrustManager found) {
          return found;
        }
      }
      throw new IOException("this JVM verifies no certificates");
    } catch (GeneralSecurityException e) {
      throw new IOException("the plan's trust has no certificates: " + e.getMessage(), e);
    }
  }

  private static KeyStore store(String pem) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    int number = 0;
    for (Certificate certificate :
        CertificateFactory.getInstance("X.509")
            .generateCertificates(
                new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)))) {
      store.setCertificateEntry("authority-" + number++, certificate);
    }
    return store;
  }

  private SslContext tcp(int sessions) throws IOException {
    return SslContextBuilder.forClient()
        .sslProvider(OpenSsl.isAvailable() ? SslProvider.OPENSSL_REFCNT : SslProvider.JDK)
        .protocols("TLSv1.3", "TLSv1.2")
        .endpointIdentificationAlgorithm(null)
        .trustManager(trust)
        .sessionCacheSize(sessions)
        .applicationProtocolConfig(
            new ApplicationProtocolConfig(
                Protocol.ALPN,
                SelectorFailureBehavior.NO_ADVERTISE,
                SelectedListenerFailureBehavior.ACCEPT,
                protocol == LoadPlan.Protocol.HTTP2
                    ? ApplicationProtocolNames.HTTP_2
                    : ApplicationProtocolNames.HTTP_1_1))
        .build();
  }

  private QuicSslContext quic(int sessions) {
    return QuicSslContextBuilder.forClient()
        .trustManager(trust)
        .endpointIdentificationAlgorithm(null)
        .sessionCacheSize(sessions)
        .applicationProtocols("h3")
        .build();
  }

  SslHandler handler(ByteBufAllocator allocator, Slot slot, boolean resumes) {
    SslContext context = resumes ? tcpResuming : tcpWhole;
    if (context == null) {
      throw new IllegalStateException("no TLS over TCP");
    }
    return context.newHandler(allocator, slot.target.host(), place(slot, resumes));
  }

  QuicSslEngine engine(Slot slot, boolean resumes) {
    QuicSslContext context = resumes ? quicResuming : quicWhole;
    if (context == null) {
      throw new IllegalStateException("no QUIC");
    }
    return context.newEngine(ByteBufAllocator.DEFAULT, slot.target.host(), place(slot, resumes));
  }

  /** One that no other connection has had, where none is to be resumed. */
  private int place(Slot slot, boolean resumes) {
    return resumes ? slot.index + 1 : wholes.incrementAndGet() & Integer.MAX_VALUE;
  }

  /** Whether the server agreed to the protocol of the plan. */
  boolean isAgreed(SslHandler handler) {
    return protocol != LoadPlan.Protocol.HTTP2
        || ApplicationProtocolNames.HTTP_2.equals(handler.applicationProtocol());
  }

  /** Asked once for each handshake that has ended. */
  boolean isResumed(@Nullable SSLEngine engine) {
    return engine != null && OpenSsl.isAvailable() && trust.isResumed(engine);
  }

  @Override
  public void close() {
    ReferenceCountUtil.release(tcpResuming);
    ReferenceCountUtil.release(tcpWhole);
    ReferenceCountUtil.release(quicResuming);
    ReferenceCountUtil.release(quicWhole);
  }
}
