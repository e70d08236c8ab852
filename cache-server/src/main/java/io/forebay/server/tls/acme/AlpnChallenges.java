package io.forebay.server.tls.acme;

import io.forebay.server.config.AcmeConfig.KeyType;
import io.forebay.server.text.Printable;
import io.forebay.server.tls.CertificatePair;
import io.forebay.server.tls.ClientTls;
import io.forebay.server.tls.TlsException;
import java.io.IOException;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.Identifier;
import org.shredzone.acme4j.util.CertificateUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The validations by tls-alpn-01 that TLS listeners answer (RFC 8737), those of the other nodes of
 * a cluster included. Nodes share what a certificate has to prove, a hash of 32 bytes, and each
 * makes a certificate of its own for it. Any thread that may block.
 */
public final class AlpnChallenges {
  private static final Logger LOG = LoggerFactory.getLogger(AlpnChallenges.class);
  private static final int HASH_BYTES = 32;

  /** Each is a TLS context. */
  private static final int MAX_OTHERS = 300;

  private final ClientTls tls;
  private final SecureRandom random;

  private volatile Map<String, String> own = Map.of();
  private Map<String, String> others = Map.of();
  private boolean areServed = true;
  private Map<String, Served> served = Map.of();

  /** Of all these certificates: they prove nothing with it. */
  private @Nullable KeyPair key;

  private record Served(String hash, CertificatePair pair) {}

  AlpnChallenges(ClientTls tls, SecureRandom random) {
    this.tls = tls;
    this.random = random;
  }

  /** Those of this node: hashes in base64, by name. */
  public Map<String, String> own() {
    return own;
  }

  /** Adds a validation of this node, in place of an earlier one of that name. */
  synchronized void put(String host, byte[] hash) throws TlsException {
    Map<String, String> next = new HashMap<>(own);
    next.put(host, Base64.getEncoder().encodeToString(hash));
    own = Map.copyOf(next);
    serve();
  }

  /** A validation of this node is over. */
  synchronized void remove(String host) throws TlsException {
    if (own.containsKey(host)) {
      Map<String, String> next = new HashMap<>(own);
      next.remove(host);
      own = Map.copyOf(next);
      serve();
    }
  }

  /**
   * Replaces those of other nodes. What is no name and hash is left out.
   *
   * @param hashes in base64, by name
   * @return whether listeners answer all of them: of two for one name this node answers its own
   */
  public synchronized boolean others(Map<String, String> hashes) {
    Map<String, String> next = new HashMap<>();
    hashes.forEach((host, hash) -> {
      if (next.size() < MAX_OTHERS && AcmeFiles.isHost(host) && isHash(hash)) {
        next.put(host, hash);
      }
    });
    if (!next.equals(others)) {
      others = Map.copyOf(next);
      serveOthers();
    }
    return areServed
        && next.size() == hashes.size()
        && next.entrySet().stream()
            .allMatch(
                each -> each.getValue().equals(own.getOrDefault(each.getKey(), each.getValue())));
  }

  private void serveOthers() {
    areServed = false;
    try {
      serve();
    } catch (TlsException e) {
      LOG.error("validations of other nodes cannot be answered: {}", Printable.line(e.toString()));
    }
  }

  private static boolean isHash(String base64) {
    try {
      return Base64.getDecoder().decode(base64).length == HASH_BYTES;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private void serve() throws TlsException {
    Map<String, String> all = new HashMap<>(others);
    all.putAll(own);
    Map<String, Served> next = new HashMap<>();
    Map<String, CertificatePair> certificates = new HashMap<>();
    for (Map.Entry<String, String> one : all.entrySet()) {
      Served known = served.get(one.getKey());
      Served made =
          known != null && known.hash().equals(one.getValue())
              ? known
              : new Served(one.getValue(), certificate(one.getKey(), one.getValue()));
      next.put(one.getKey(), made);
      certificates.put(one.getKey(), made.pair());
    }
    tls.challenges(certificates);
    served = next;
    areServed = true;
  }

  private CertificatePair certificate(String host, String hash) throws TlsException {
    KeyPair pair = key;
    if (pair == null) {
      // acme4j 4.0.0 signs this certificate as RSA does, whatever the key.
      pair = KeyPairs.generate(KeyType.RSA_2048, random);
      key = pair;
    }
    Path nowhere = Path.of("challenge");
    try {
      return new CertificatePair(
          nowhere,
          nowhere,
          List.of(
              CertificateUtils.createTlsAlpn01Certificate(
                  pair, Identifier.dns(host), Base64.getDecoder().decode(hash))),
          pair.getPrivate());
    } catch (IOException e) {
      throw new TlsException("the certificate of a challenge cannot be made: " + e.getMessage());
    }
  }
}
