package io.forebay.server.tls.ocsp;

import io.forebay.server.tls.ocsp.Der.DerException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertPathValidator;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.security.cert.PKIXRevocationChecker;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Builds OCSP requests and verifies responses (RFC 6960). */
public final class Ocsp {
  private static final String AUTHORITY_INFORMATION = "1.3.6.1.5.5.7.1.1";

  /** id-ad-ocsp. */
  private static final byte[] OCSP = {0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01};

  private static final int URI_NAME = 0x86;

  /** SHA-1 only names the issuer here; it is what responders are asked with (RFC 5019 §2.1.1). */
  private static final byte[] SHA_1 = {0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A, 0x05, 0x00};

  /** An answer that was checked. */
  public static final class Answer {
    private final byte[] bytes;
    private final Instant from;
    private final @Nullable Instant until;

    Answer(byte[] bytes, Instant from, @Nullable Instant until) {
      this.bytes = bytes;
      this.from = from;
      this.until = until;
    }

    public byte[] bytes() {
      return bytes;
    }

    public Instant from() {
      return from;
    }

    /** When it ends, or null where it does not say. */
    @Nullable
    public Instant until() {
      return until;
    }
  }

  private Ocsp() {}

  /** The responder that a certificate names, or null. */
  public static @Nullable URI responder(X509Certificate certificate) {
    byte[] extension = certificate.getExtensionValue(AUTHORITY_INFORMATION);
    if (extension == null) {
      return null;
    }
    try {
      Der accesses =
          new Der(new Der(extension).next(Der.OCTET_STRING).content()).next(Der.SEQUENCE);
      while (accesses.hasMore()) {
        Der access = accesses.next(Der.SEQUENCE);
        boolean isOcsp = Arrays.equals(access.next(Der.OID).content(), OCSP);
        int kind = access.tag();
        byte[] location = access.next().content();
        if (isOcsp && kind == URI_NAME) {
          URI uri = URI.create(new String(location, StandardCharsets.US_ASCII));
          String scheme = uri.getScheme();
          if (uri.getHost() != null && ("http".equals(scheme) || "https".equals(scheme))) {
            return uri;
          }
        }
      }
    } catch (DerException | IllegalArgumentException e) {
      return null;
    }
    return null;
  }

  /** The question about one certificate. */
  public static byte[] request(X509Certificate certificate, X509Certificate issuer)
      throws DerException {
    byte[] issuerKey = issuerKey(issuer);
    byte[] id =
        Der.element(
            Der.SEQUENCE,
            Der.element(Der.SEQUENCE, SHA_1),
            Der.element(Der.OCTET_STRING, sha1(certificate.getIssuerX500Principal().getEncoded())),
            Der.element(Der.OCTET_STRING, sha1(issuerKey)),
            Der.element(Der.INTEGER, certificate.getSerialNumber().toByteArray()));
    // OCSPRequest { TBSRequest { requestList { Request { CertID } } } }
    byte[] wrapped = id;
    for (int i = 0; i < 4; i++) {
      wrapped = Der.element(Der.SEQUENCE, wrapped);
    }
    return wrapped;
  }

  /** The bits of a public key without what says which kind it is. */
  private static byte[] issuerKey(X509Certificate issuer) throws DerException {
    Der info = new Der(issuer.getPublicKey().getEncoded()).next(Der.SEQUENCE);
    info.next(Der.SEQUENCE);
    byte[] bits = info.next(Der.BIT_STRING).content();
    // The first octet counts the bits that are left over.
    return Arrays.copyOfRange(bits, 1, bits.length);
  }

  /**
   * Checks an answer as a strict client would: signed by the issuer or whom the issuer lets answer,
   * for this certificate, valid now, and good. The JDK does all of that.
   *
   * @throws GeneralSecurityException when it must not be stapled
   * @throws DerException when it cannot be read
   */
  public static Answer checked(
      byte[] bytes, X509Certificate certificate, X509Certificate issuer, Instant now)
      throws GeneralSecurityException, DerException {
    CertPathValidator validator = CertPathValidator.getInstance("PKIX");
    PKIXRevocationChecker checker = (PKIXRevocationChecker) validator.getRevocationChecker();
    checker.setOcspResponses(Map.of(certificate, bytes));
    checker.setOptions(
        EnumSet.of(
            PKIXRevocationChecker.Option.ONLY_END_ENTITY,
            PKIXRevocationChecker.Option.NO_FALLBACK));
    PKIXParameters parameters = new PKIXParameters(Set.of(new TrustAnchor(issuer, null)));
    parameters.addCertPathChecker(checker);
    parameters.setDate(Date.from(now));
    validator.validate(
        CertificateFactory.getInstance("X.509").generateCertPath(List.of(certificate)), parameters);
    return times(bytes, certificate);
  }

  /** Whether an answer is sound and says that the certificate was revoked. */
  public static boolean isRevoked(Throwable refusal) {
    return refusal instanceof CertPathValidatorException invalid
        && invalid.getReason() == CertPathValidatorException.BasicReason.REVOKED;
  }

  /** From when to when the answer about the certificate holds. */
  private static Answer times(byte[] bytes, X509Certificate certificate) throws DerException {
    Der response = new Der(bytes).next(Der.SEQUENCE);
    response.next(Der.ENUMERATED);
    Der typed = response.next(Der.CONTEXT_0).next(Der.SEQUENCE);
    typed.next(Der.OID);
    Der basic = new Der(typed.next(Der.OCTET_STRING).content()).next(Der.SEQUENCE);
    Der data = basic.next(Der.SEQUENCE);
    if (data.tag() == Der.CONTEXT_0) {
      data.next();
    }
    // responderID, producedAt
    data.next();
    data.next(Der.GENERALIZED_TIME);
    Der singles = data.next(Der.SEQUENCE);
    byte[] serial = certificate.getSerialNumber().toByteArray();
    while (singles.hasMore()) {
      Der single = singles.next(Der.SEQUENCE);
      Der id = single.next(Der.SEQUENCE);
      id.next(Der.SEQUENCE);
      id.next(Der.OCTET_STRING);
      id.next(Der.OCTET_STRING);
      boolean isThis = Arrays.equals(id.next(Der.INTEGER).content(), serial);
      // certStatus
      single.next();
      Instant from = single.time();
      Instant until = single.tag() == Der.CONTEXT_0 ? single.next().time() : null;
      if (isThis) {
        return new Answer(bytes, from, until);
      }
    }
    throw new DerException("has no status for this certificate");
  }

  private static byte[] sha1(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-1").digest(bytes);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has SHA-1", e);
    }
  }
}
