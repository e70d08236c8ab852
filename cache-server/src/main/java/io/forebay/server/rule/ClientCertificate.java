package io.forebay.server.rule;

import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The certificate that a client proved to have, with the verdicts of conditions on it: each
 * condition looks into the certificate once per connection. Owner: the loop of the connection.
 */
public final class ClientCertificate {

  /** A reload brings other conditions: those before it are forgotten together at this number. */
  private static final int MAX_VERDICTS = 64;

  private final X509Certificate certificate;
  private @Nullable IdentityHashMap<CertificateCondition, Integer> verdicts;

  /** A certificate whose chain and key the handshake has verified. */
  public ClientCertificate(X509Certificate certificate) {
    this.certificate = certificate;
  }

  /** A number of it: 64 bits of its SHA-256. */
  public long number() {
    String digits = CertificatePart.fingerprint().values(certificate).getFirst();
    return HexFormat.fromHexDigitsToLong(digits, 0, Long.BYTES * 2);
  }

  /** The verdict of a condition; {@link Condition#LATER} in the fast lane if it is not known. */
  int verdict(CertificateCondition condition, boolean isFast) {
    IdentityHashMap<CertificateCondition, Integer> known = verdicts;
    Integer verdict = known == null ? null : known.get(condition);
    if (verdict != null) {
      return verdict;
    }
    if (isFast) {
      return Condition.LATER;
    }
    if (known == null || known.size() >= MAX_VERDICTS) {
      known = new IdentityHashMap<>();
      verdicts = known;
    }
    int found = condition.testCertificate(certificate);
    known.put(condition, found);
    return found;
  }
}
