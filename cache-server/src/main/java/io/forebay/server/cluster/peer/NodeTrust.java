package io.forebay.server.cluster.peer;

import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/** Trusts one node of a cluster: by its chain, and by its name in place of the host's. */
final class NodeTrust extends X509ExtendedTrustManager {
  private final X509ExtendedTrustManager byChain;
  private final String cluster;
  private final String node;

  NodeTrust(X509ExtendedTrustManager byChain, String cluster, String node) {
    this.byChain = byChain;
    this.cluster = cluster;
    this.node = node;
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    byChain.checkServerTrusted(chain, type);
    if (!PeerName.nodes(cluster, chain).contains(node)) {
      throw new CertificateException("the certificate is not that of node " + node);
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    checkServerTrusted(chain, type);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    checkServerTrusted(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    byChain.checkClientTrusted(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    checkClientTrusted(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    checkClientTrusted(chain, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return byChain.getAcceptedIssuers();
  }
}
