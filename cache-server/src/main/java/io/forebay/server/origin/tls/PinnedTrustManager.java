package io.forebay.server.origin.tls;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Checks chain and name as another trust manager does, and then that a pinned key is on the path
 * from the server's certificate upwards. Only certificates that the server sends are looked at, and
 * each only if it has signed the one before: what else a server appends proves nothing.
 */
final class PinnedTrustManager extends X509ExtendedTrustManager {
  private static final String PREFIX = "sha256/";

  /** Longer chains are not looked at. */
  private static final int MAX_CHAIN = 10;

  private final X509ExtendedTrustManager chains;
  private final Set<String> pins;

  /**
   * Of that which checks chains and names.
   *
   * @param pins {@code sha256/} and the base64 of the SHA-256 of a SubjectPublicKeyInfo
   */
  PinnedTrustManager(X509ExtendedTrustManager chains, List<String> pins) {
    this.chains = chains;
    this.pins = Set.copyOf(pins);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    chains.checkServerTrusted(chain, type, engine);
    checkPins(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    chains.checkServerTrusted(chain, type, socket);
    checkPins(chain);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    chains.checkServerTrusted(chain, type);
    checkPins(chain);
  }

  private void checkPins(X509Certificate[] chain) throws CertificateException {
    for (int i = 0; i < Math.min(chain.length, MAX_CHAIN); i++) {
      if (i > 0 && !hasSigned(chain[i], chain[i - 1])) {
        break;
      }
      if (pins.contains(pin(chain[i]))) {
        return;
      }
    }
    throw new CertificateException(
        "no key of the chain is in tls.pins; that of the server is "
            + (chain.length == 0 ? "unknown" : pin(chain[0])));
  }

  private static boolean hasSigned(X509Certificate issuer, X509Certificate subject) {
    try {
      subject.verify(issuer.getPublicKey());
      return true;
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  /** The pin of a certificate's key. */
  static String pin(X509Certificate certificate) {
    try {
      byte[] key = certificate.getPublicKey().getEncoded();
      return PREFIX
          + Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-256").digest(key));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    chains.checkClientTrusted(chain, type, engine);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    chains.checkClientTrusted(chain, type, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    chains.checkClientTrusted(chain, type);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return chains.getAcceptedIssuers();
  }
}
