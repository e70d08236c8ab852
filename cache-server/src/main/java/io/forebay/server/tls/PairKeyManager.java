package io.forebay.server.tls;

import io.netty.handler.ssl.util.SimpleKeyManagerFactory;
import java.net.Socket;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.ManagerFactoryParameters;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one host, as they are. A key store would encrypt each key, with a password that is
 * derived in ten thousand steps: too long for an event loop, and for a start with many hosts.
 *
 * <p>The alias of a pair is the algorithm of its key. Immutable.
 */
final class PairKeyManager extends X509ExtendedKeyManager {
  private final List<CertificatePair> pairs;

  PairKeyManager(List<CertificatePair> pairs) {
    this.pairs = List.copyOf(pairs);
  }

  /** For contexts that take factories only. */
  KeyManagerFactory factory() {
    return new SimpleKeyManagerFactory() {
      @Override
      protected void engineInit(@Nullable KeyStore store, char @Nullable [] password) {}

      @Override
      protected void engineInit(@Nullable ManagerFactoryParameters parameters) {}

      @Override
      protected KeyManager[] engineGetKeyManagers() {
        return new KeyManager[] {PairKeyManager.this};
      }
    };
  }

  /** Of {@code EC}, {@code RSA} or, with what a certificate is signed with, {@code EC_RSA}. */
  private @Nullable CertificatePair pair(String keyType) {
    int end = keyType.indexOf('_');
    String algorithm = end < 0 ? keyType : keyType.substring(0, end);
    for (CertificatePair pair : pairs) {
      if (pair.key().getAlgorithm().equals(algorithm)) {
        return pair;
      }
    }
    return null;
  }

  private @Nullable String alias(String keyType) {
    CertificatePair pair = pair(keyType);
    return pair == null ? null : pair.key().getAlgorithm();
  }

  @Override
  public @Nullable String chooseEngineServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    return alias(keyType);
  }

  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return alias(keyType);
  }

  @Override
  public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    String alias = alias(keyType);
    return alias == null ? null : new String[] {alias};
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return null;
  }

  @Override
  public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
    return null;
  }

  @Override
  public X509Certificate @Nullable [] getCertificateChain(String alias) {
    CertificatePair pair = pair(alias);
    return pair == null ? null : pair.chain().toArray(new X509Certificate[0]);
  }

  @Override
  public @Nullable PrivateKey getPrivateKey(String alias) {
    CertificatePair pair = pair(alias);
    return pair == null ? null : pair.key();
  }
}
