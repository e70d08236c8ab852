package io.forebay.server.config;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of certificates by ACME (RFC 8555).
 *
 * @param hosts names that get a certificate at the start; nothing is ordered while these and {@code
 *     onDemand} are empty
 * @param directory URL of the certificate authority
 * @param email contact that the authority may use, or null
 * @param termsAgreed whether the operator agrees to the authority's terms of service
 * @param caFile roots for the TLS of the directory, or null for those of the JVM
 * @param challenges in the order in which attempts use them
 * @param eabKeyId key identifier of an external account binding, or null
 * @param eabSecret its HMAC key in base64url, or null
 * @param renewAtPercent share of a certificate's lifetime that is left when it is renewed
 * @param renewalInfo whether the authority is asked when to renew (RFC 9773)
 * @param onDemand names, or wildcards of one label, that get a certificate at a first handshake
 * @param onDemandPerHour bound of orders that handshakes cause
 */
public record AcmeConfig(
    List<String> hosts,
    URI directory,
    @Nullable String email,
    boolean termsAgreed,
    @Nullable Path caFile,
    List<Challenge> challenges,
    @Nullable String eabKeyId,
    @Nullable Secret eabSecret,
    KeyType keyType,
    int renewAtPercent,
    boolean renewalInfo,
    List<String> onDemand,
    int onDemandPerHour) {

  static final URI LETS_ENCRYPT = URI.create("https://acme-v02.api.letsencrypt.org/directory");

  /** What holds where nothing is configured: nothing is ordered. */
  public static final AcmeConfig OFF =
      new AcmeConfig(
          List.of(),
          LETS_ENCRYPT,
          null,
          false,
          null,
          List.of(Challenge.TLS_ALPN_01, Challenge.HTTP_01),
          null,
          null,
          KeyType.ECDSA_P256,
          33,
          true,
          List.of(),
          10);

  /** How the authority checks that the node serves a name. */
  public enum Challenge {
    /** RFC 8555 §8.3. */
    HTTP_01,
    /** RFC 8737. */
    TLS_ALPN_01
  }

  /** Keys of certificates. */
  public enum KeyType {
    ECDSA_P256,
    ECDSA_P384,
    RSA_2048
  }

  /** Whether any certificate may be ordered. */
  public boolean isOn() {
    return !hosts.isEmpty() || !onDemand.isEmpty();
  }
}
