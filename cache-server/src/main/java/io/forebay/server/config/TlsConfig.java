package io.forebay.server.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of TLS for client connections.
 *
 * @param policy of certificates that name none
 * @param clientHelloBytes longest ClientHello that is read
 * @param ja4 whether clients are fingerprinted
 * @param expiryWarning how long before a certificate ends it is said in the log
 * @param ocsp whether answers of OCSP responders are fetched and stapled
 * @param certificates for the names that clients ask for
 * @param acme certificates that the node orders itself
 */
public record TlsConfig(
    Policy policy,
    int clientHelloBytes,
    Duration expiryWarning,
    boolean ocsp,
    TicketConfig tickets,
    List<CertificateConfig> certificates,
    AcmeConfig acme,
    boolean ja4) {

  /** What holds where nothing is configured. */
  public static final TlsConfig DEFAULT =
      new TlsConfig(
          Policy.INTERMEDIATE,
          16 * 1024,
          Duration.ofDays(14),
          true,
          new TicketConfig(true, Duration.ofHours(8), null),
          List.of(),
          AcmeConfig.OFF,
          false);

  /** Without ACME. */
  public TlsConfig(
      Policy policy,
      int clientHelloBytes,
      Duration expiryWarning,
      boolean ocsp,
      TicketConfig tickets,
      List<CertificateConfig> certificates) {
    this(
        policy,
        clientHelloBytes,
        expiryWarning,
        ocsp,
        tickets,
        certificates,
        AcmeConfig.OFF,
        false);
  }

  /** Versions, ciphers and groups by the name of Mozilla's recommendation for them. */
  public enum Policy {
    MODERN,
    INTERMEDIATE
  }

  /** What is asked of clients. */
  public enum ClientAuth {
    OFF,
    OPTIONAL,
    REQUIRED
  }

  /**
   * Session tickets.
   *
   * @param rotation how long keys that the node makes itself encrypt
   * @param file keys that several nodes share, or null
   */
  public record TicketConfig(boolean enabled, Duration rotation, @Nullable Path file) {}

  /** A certificate chain and its key, PEM files both. */
  public record PairConfig(Path certificate, Path key) {}

  /**
   * A certificate, or one of each kind, and whom it is shown to.
   *
   * @param pairs one, or two of which one is ECDSA and one is RSA
   * @param hosts names it is for; empty: those in the certificate
   * @param clientCa whose certificates clients may show; null while none are asked for
   * @param policy null: that of the node
   */
  public record CertificateConfig(
      String name,
      List<PairConfig> pairs,
      List<String> hosts,
      ClientAuth clientAuth,
      @Nullable Path clientCa,
      @Nullable Policy policy) {

    public @Nullable Path secondCertificate() {
      return pairs.size() < 2 ? null : pairs.get(1).certificate();
    }

    public @Nullable Path secondKey() {
      return pairs.size() < 2 ? null : pairs.get(1).key();
    }
  }
}
