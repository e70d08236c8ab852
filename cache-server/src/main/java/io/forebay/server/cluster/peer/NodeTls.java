package io.forebay.server.cluster.peer;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECKey;
import javax.net.ssl.SSLException;
import javax.net.ssl.X509ExtendedTrustManager;

/** TLS of the connections between nodes: both ends are nodes of the cluster. */
final class NodeTls {
  /** BoringSSL verifies no signatures by keys on longer curves; the JDK does. */
  private static final int MAX_NATIVE_CURVE = 384;

  private NodeTls() {}

  /** For connections that other nodes open. */
  static SslContext forListener(NodeCredentials own) throws IOException {
    try {
      return SslContextBuilder.forServer(own.key(), chain(own))
          .sslProvider(provider(own))
          .protocols("TLSv1.3")
          .trustManager(own.cas().toArray(new X509Certificate[0]))
          .clientAuth(ClientAuth.REQUIRE)
          .build();
    } catch (SSLException | IllegalArgumentException e) {
      throw new IOException("cluster.tls: " + e.getMessage(), e);
    }
  }

  /**
   * For connections to a node.
   *
   * @param trust says which certificates are accepted; the name of the host is not checked
   */
  static SslContext toNode(NodeCredentials own, X509ExtendedTrustManager trust) throws IOException {
    try {
      return SslContextBuilder.forClient()
          .sslProvider(provider(own))
          .protocols("TLSv1.3")
          .keyManager(own.key(), chain(own))
          .trustManager(trust)
          .endpointIdentificationAlgorithm(null)
          .build();
    } catch (SSLException | IllegalArgumentException e) {
      throw new IOException("cluster.tls: " + e.getMessage(), e);
    }
  }

  private static SslProvider provider(NodeCredentials own) {
    boolean isLongCurve =
        own.key() instanceof ECKey key && key.getParams().getOrder().bitLength() > MAX_NATIVE_CURVE;
    return OpenSsl.isAvailable() && !isLongCurve ? SslProvider.OPENSSL : SslProvider.JDK;
  }

  private static X509Certificate[] chain(NodeCredentials own) {
    return own.chain().toArray(new X509Certificate[0]);
  }
}
