package io.forebay.server.origin.tls;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.TlsConfig.PairConfig;
import io.forebay.server.text.Printable;
import io.forebay.server.tls.CertificatePair;
import io.forebay.server.tls.PemFile;
import io.forebay.server.tls.TlsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The content of the files that TLS towards an origin uses.
 *
 * @param trustFile PEM file of trust anchors, or null for the platform's
 * @param client certificate and key to show, or null
 * @param digest identifies the content of all the files; empty without any
 */
public record OriginCredentials(
    @Nullable Path trustFile, @Nullable CertificatePair client, List<String> pins, String digest) {

  /**
   * Reads the files.
   *
   * @throws IOException if one cannot be used, with a sentence that names it
   */
  public static OriginCredentials load(OriginConfig config) throws IOException {
    Path trust = config.trust();
    PairConfig pair = config.tls().client();
    StringBuilder digest = new StringBuilder();
    if (trust != null) {
      digest.append(digest("trust file", trust));
    }
    if (pair == null) {
      return new OriginCredentials(trust, null, config.tls().pins(), digest.toString());
    }
    digest.append(digest("certificate", pair.certificate())).append(digest("key", pair.key()));
    try {
      CertificatePair client = CertificatePair.load(pair);
      if (!client.hasMatchingKey()) {
        throw new IOException(
            "certificate " + pair.certificate() + " and key " + pair.key() + " do not match");
      }
      return new OriginCredentials(trust, client, config.tls().pins(), digest.toString());
    } catch (TlsException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Whether a connection needs nothing but the platform's trust anchors. */
  public boolean isPlatform() {
    return trustFile == null && client == null && pins.isEmpty();
  }

  /** Checks chains, names and pins. */
  public TrustManager trustManager() throws IOException {
    try {
      KeyStore anchors = null;
      if (trustFile != null) {
        anchors = KeyStore.getInstance(KeyStore.getDefaultType());
        anchors.load(null, null);
        int number = 0;
        for (var anchor : PemFile.certificates(trustFile)) {
          anchors.setCertificateEntry("anchor-" + number++, anchor);
        }
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(anchors);
      for (TrustManager manager : factory.getTrustManagers()) {
        if (manager instanceof X509ExtendedTrustManager chains) {
          return pins.isEmpty() ? chains : new PinnedTrustManager(chains, pins);
        }
      }
      throw new IOException("this Java has no trust manager for X.509");
    } catch (TlsException e) {
      throw new IOException(
          "trust file " + trustFile + " contains no usable PEM certificate: " + e.getMessage(), e);
    } catch (GeneralSecurityException e) {
      throw new IOException("trust anchors cannot be used: " + Printable.line(e), e);
    }
  }

  private static String digest(String what, Path file) throws IOException {
    try {
      byte[] bytes = Files.readAllBytes(file);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchFileException e) {
      throw new IOException(what + " " + file + " does not exist", e);
    } catch (IOException e) {
      throw new IOException(what + " " + file + " cannot be read: " + Printable.line(e), e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
