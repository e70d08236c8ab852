package io.forebay.server.tls;

import io.forebay.server.tls.CertificateWarning.Severity;
import io.forebay.storage.file.PrivateFiles;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PublicKey;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * Checks a certificate before its first use. What every client would reject is an error; what some
 * would reject, or what looks like a mistake, is a warning.
 */
public final class ServerCertificateCheck {
  private static final int MIN_RSA_BITS = 2048;
  private static final int MIN_EC_BITS = 256;
  private static final int MAX_EC_BITS = 521;
  private static final String SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
  private static final String ANY_USAGE = "2.5.29.37.0";

  private final CertificatePair pair;

  /** What texts call the certificate. */
  private final String subject;

  private final Consumer<CertificateWarning> findings;

  private ServerCertificateCheck(
      CertificatePair pair, String subject, Consumer<CertificateWarning> findings) {
    this.pair = pair;
    this.subject = subject;
    this.findings = findings;
  }

  /**
   * Looks at everything that shows without a client.
   *
   * @param hosts names it is to be shown for; may be empty
   */
  static void run(
      CertificatePair pair,
      List<String> hosts,
      Instant now,
      Consumer<CertificateWarning> findings) {
    ServerCertificateCheck check =
        new ServerCertificateCheck(pair, pair.file().toString(), findings);
    check.content(hosts, now);
    check.keyFile();
  }

  /**
   * Why a certificate that is in no file cannot be served for a host now, in sentences that call it
   * {@code it}; null where it can.
   */
  public static @Nullable String refusal(CertificatePair pair, String host, Instant now) {
    List<String> reasons = new ArrayList<>();
    ServerCertificateCheck check =
        new ServerCertificateCheck(
            pair,
            "it",
            finding -> {
              if (finding.severity() != Severity.WARNING) {
                reasons.add(finding.text());
              }
            });
    check.content(List.of(), now);
    if (!pair.covers(host)) {
      reasons.add("it does not cover " + host);
    }
    return reasons.isEmpty() ? null : String.join("; ", reasons);
  }

  private void content(List<String> hosts, Instant now) {
    key();
    times(now);
    order();
    names(hosts);
    usage();
  }

  private void say(Severity severity, String text) {
    findings.accept(new CertificateWarning(severity, subject + " " + text));
  }

  private void key() {
    PublicKey publicKey = pair.leaf().getPublicKey();
    if (publicKey instanceof RSAPublicKey rsa) {
      int bits = rsa.getModulus().bitLength();
      if (bits < MIN_RSA_BITS) {
        say(Severity.ERROR, "has an RSA key of " + bits + " bits; the minimum is 2048");
      }
    } else if (publicKey instanceof ECPublicKey ec) {
      int bits = ec.getParams().getCurve().getField().getFieldSize();
      if (bits < MIN_EC_BITS || bits > MAX_EC_BITS) {
        say(Severity.ERROR, "has a key on an unsupported curve; use P-256 or P-384");
      }
    } else {
      say(
          Severity.ERROR,
          "has a key of type "
              + publicKey.getAlgorithm()
              + ", which browsers do not support; use ECDSA or RSA");
      return;
    }
    for (X509Certificate certificate : pair.chain()) {
      String algorithm = certificate.getSigAlgName();
      if ((algorithm.startsWith("SHA1") || algorithm.startsWith("MD5"))
          && !isSelfSigned(certificate)) {
        say(
            Severity.WARNING,
            "has a certificate signed with " + algorithm + ", which clients reject");
      }
    }
  }

  private void times(Instant now) {
    boolean isLeaf = true;
    for (X509Certificate certificate : pair.chain()) {
      String which = isLeaf ? "" : "has an intermediate that ";
      isLeaf = false;
      Instant until = certificate.getNotAfter().toInstant();
      Instant from = certificate.getNotBefore().toInstant();
      if (until.isBefore(now)) {
        say(Severity.TIME, which + "has expired at " + until);
      } else if (from.isAfter(now)) {
        say(Severity.TIME, which + "is not valid before " + from);
      }
    }
  }

  /** Each certificate has to be issued by the one behind it (RFC 5246 §7.4.2). */
  private void order() {
    List<X509Certificate> chain = pair.chain();
    for (int i = 0; i + 1 < chain.size(); i++) {
      if (isIssuedBy(chain.get(i), chain.get(i + 1))) {
        continue;
      }
      X509Certificate lost = chain.get(i);
      int issuer = -1;
      for (int other = 0; other < chain.size(); other++) {
        if (other != i && isIssuedBy(lost, chain.get(other))) {
          issuer = other;
        }
      }
      say(
          Severity.ERROR,
          issuer >= 0
              ? "has its chain out of order: certificate "
                  + (issuer + 1)
                  + " issued certificate "
                  + (i + 1)
                  + " and must directly follow it"
              : "has a chain with a gap: certificate "
                  + (i + 2)
                  + " did not issue certificate "
                  + (i + 1)
                  + ", \""
                  + lost.getIssuerX500Principal().getName()
                  + "\" issued it");
      return;
    }
    X509Certificate last = chain.getLast();
    if (!isSelfSigned(last) && !Roots.SUBJECTS.contains(last.getIssuerX500Principal())) {
      say(
          Severity.WARNING,
          "may lack an intermediate: its chain ends with \""
              + last.getSubjectX500Principal().getName()
              + "\", whose issuer \""
              + last.getIssuerX500Principal().getName()
              + "\" is not a root known to this Java");
    }
  }

  private static boolean isSelfSigned(X509Certificate certificate) {
    return certificate.getSubjectX500Principal().equals(certificate.getIssuerX500Principal());
  }

  private static boolean isIssuedBy(X509Certificate certificate, X509Certificate issuer) {
    if (!certificate.getIssuerX500Principal().equals(issuer.getSubjectX500Principal())) {
      return false;
    }
    try {
      certificate.verify(issuer.getPublicKey());
      return true;
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private void names(List<String> hosts) {
    if (!pair.hasAlternativeNames()) {
      say(Severity.WARNING, "names no host (subjectAltName), so browsers reject it");
      return;
    }
    for (String host : hosts) {
      if (!pair.covers(host)) {
        say(Severity.WARNING, "does not cover " + host);
      }
    }
  }

  private void usage() {
    try {
      List<String> usages = pair.leaf().getExtendedKeyUsage();
      if (usages != null && !usages.contains(SERVER_AUTH) && !usages.contains(ANY_USAGE)) {
        say(Severity.ERROR, "is not valid for servers (extended key usage)");
      }
    } catch (CertificateParsingException e) {
      say(Severity.ERROR, "has an extended key usage that cannot be read");
    }
  }

  private void keyFile() {
    Path file = pair.keyFile();
    if (PrivateFiles.isReadableByAll(file)) {
      findings.accept(
          new CertificateWarning(
              Severity.WARNING, file + " can be read by every user of this machine"));
    }
  }

  /** Read when a chain ends with no root, since that takes a while. */
  private static final class Roots {
    static final Set<X500Principal> SUBJECTS = subjects();

    private static Set<X500Principal> subjects() {
      try {
        TrustManagerFactory factory =
            TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init((KeyStore) null);
        return Arrays.stream(factory.getTrustManagers())
            .filter(X509TrustManager.class::isInstance)
            .flatMap(manager -> Arrays.stream(((X509TrustManager) manager).getAcceptedIssuers()))
            .map(X509Certificate::getSubjectX500Principal)
            .collect(Collectors.toUnmodifiableSet());
      } catch (GeneralSecurityException e) {
        return Set.of();
      }
    }
  }
}
