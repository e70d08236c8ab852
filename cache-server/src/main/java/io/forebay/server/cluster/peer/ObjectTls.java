package io.forebay.server.cluster.peer;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLException;

/** TLS of the connections on which nodes send objects: both ends are nodes of the cluster. */
final class ObjectTls {
  private ObjectTls() {}

  /** For connections that other nodes open. */
  static SslContext forListener(NodeCredentials own) throws IOException {
    try {
      return SslContextBuilder.forServer(own.key(), chain(own))
          .sslProvider(provider())
          .protocols("TLSv1.3")
          .trustManager(own.cas().toArray(new X509Certificate[0]))
          .clientAuth(ClientAuth.REQUIRE)
          .build();
    } catch (SSLException | IllegalArgumentException e) {
      throw new IOException("cluster.tls: " + e.getMessage(), e);
    }
  }

  /** For connections to a node. */
  static SslContext toNode(NodeCredentials own, NodeTrust trust) throws IOException {
    try {
      return SslContextBuilder.forClient()
          .sslProvider(provider())
          .protocols("TLSv1.3")
          .keyManager(own.key(), chain(own))
          .trustManager(trust)
          .endpointIdentificationAlgorithm(null)
          .build();
    } catch (SSLException | IllegalArgumentException e) {
      throw new IOException("cluster.tls: " + e.getMessage(), e);
    }
  }

  private static SslProvider provider() {
    return OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;
  }

  private static X509Certificate[] chain(NodeCredentials own) {
    return own.chain().toArray(new X509Certificate[0]);
  }
}
