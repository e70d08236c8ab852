package io.forebay.lab.load.client;

import java.net.Socket;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Verifies a chain once and knows it again, since the JDK takes as long for a chain as the rest of
 * a handshake does. Names are not compared: servers of a lab go by address. Knows which handshakes
 * were whole: in one that resumes a session no certificate comes.
 */
final class TrustedOnce extends X509ExtendedTrustManager {
  private final javax.net.ssl.X509TrustManager authority;
  private final Set<String> verified = ConcurrentHashMap.newKeySet();
  private final Set<SSLEngine> whole = ConcurrentHashMap.newKeySet();

  TrustedOnce(javax.net.ssl.X509TrustManager authority) {
    this.authority = authority;
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    checkServerTrusted(chain, authType);
    whole.add(engine);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    String print = fingerprint(chain);
    if (!verified.contains(print)) {
      authority.checkServerTrusted(chain, authType);
      verified.add(print);
    }
  }

  private static String fingerprint(X509Certificate[] chain) throws CertificateException {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (X509Certificate certificate : chain) {
        digest.update(certificate.getEncoded());
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether the engine's handshake resumed a session; asked once, when it is over. */
  boolean isResumed(SSLEngine engine) {
    return !whole.remove(engine);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    checkServerTrusted(chain, authType);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
      throws CertificateException {
    throw new CertificateException("no server");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
      throws CertificateException {
    throw new CertificateException("no server");
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String authType)
      throws CertificateException {
    throw new CertificateException("no server");
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return authority.getAcceptedIssuers();
  }
}
