package io.forebay.server.cluster.peer;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** TLS contexts of the connections that a node of a cluster opens. */
public final class ClusterTls {

  private ClusterTls() {}

  /**
   * A context for connections to etcd; it checks the name of the host.
   *
   * @param cas roots; empty for those of the JVM
   * @param chain of the node's own certificate; empty for none
   */
  public static SSLContext toServers(
      List<X509Certificate> cas, List<X509Certificate> chain, @Nullable PrivateKey key)
      throws IOException {
    try {
      return context(chain, key, cas.isEmpty() ? null : trust(cas).getTrustManagers());
    } catch (GeneralSecurityException e) {
      throw new IOException("TLS towards etcd: " + e.getMessage(), e);
    }
  }

  /** A trust manager for chains; it checks the name of the host if the caller asks for that. */
  static X509ExtendedTrustManager byChain(List<X509Certificate> cas) throws IOException {
    try {
      for (TrustManager manager : trust(cas).getTrustManagers()) {
        if (manager instanceof X509ExtendedTrustManager byChain) {
          return byChain;
        }
      }
      throw new IOException("TLS of the cluster: no trust manager");
    } catch (GeneralSecurityException e) {
      throw new IOException("TLS of the cluster: " + e.getMessage(), e);
    }
  }

  private static SSLContext context(
      List<X509Certificate> chain, @Nullable PrivateKey key, TrustManager @Nullable [] trust)
      throws GeneralSecurityException, IOException {
    KeyManager[] keys = null;
    if (key != null) {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      char[] password = new char[0];
      store.setKeyEntry("node", key, password, chain.toArray(new X509Certificate[0]));
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(store, password);
      keys = factory.getKeyManagers();
    }
    SSLContext context = SSLContext.getInstance("TLSv1.3");
    context.init(keys, trust, null);
    return context;
  }

  private static TrustManagerFactory trust(List<X509Certificate> cas)
      throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    for (int i = 0; i < cas.size(); i++) {
      store.setCertificateEntry("ca-" + i, cas.get(i));
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory;
  }
}
