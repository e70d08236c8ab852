package io.forebay.server.testing;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import javax.net.ssl.SSLContext;

/** A private certificate authority for one test class, and what it issues. */
public final class TestCertificates {
  private final X509Bundle authority;

  private TestCertificates(X509Bundle authority) {
    this.authority = authority;
  }

  public static TestCertificates create() {
    try {
      return new TestCertificates(
          new CertificateBuilder()
              .subject("CN=Forebay Test Authority")
              .ecp256()
              .setIsCertificateAuthority(true)
              .setKeyUsage(
                  true,
                  CertificateBuilder.KeyUsage.keyCertSign,
                  CertificateBuilder.KeyUsage.digitalSignature)
              .buildSelfSigned());
    } catch (Exception e) {
      throw new IllegalStateException("no authority", e);
    }
  }

  /** A certificate for a DNS name, valid now. */
  public X509Bundle forName(String name) {
    return issue(base(name).addSanDnsName(name));
  }

  /** A certificate for an IP address, valid now. */
  public X509Bundle forAddress(String address) {
    return issue(base(address).addSanIpAddress(address));
  }

  /** A certificate for a DNS name whose time was over a day ago. */
  public X509Bundle expired(String name) {
    Instant now = Instant.now();
    return issue(
        base(name)
            .addSanDnsName(name)
            .notBefore(now.minus(Duration.ofDays(3)))
            .notAfter(now.minus(Duration.ofDays(1))));
  }

  private static CertificateBuilder base(String name) {
    return new CertificateBuilder().subject("CN=" + name).ecp256().addExtendedKeyUsageServerAuth();
  }

  private X509Bundle issue(CertificateBuilder builder) {
    try {
      return builder.buildIssuedBy(authority);
    } catch (Exception e) {
      throw new IllegalStateException("no certificate", e);
    }
  }

  /** Writes the authority's certificate as a PEM file to trust. */
  public Path authorityPem(Path directory) throws IOException {
    return Files.writeString(directory.resolve("authority.pem"), authority.getCertificatePEM());
  }

  /** Writes a certificate and its chain. */
  public static Path chainPem(X509Bundle bundle, Path directory) throws IOException {
    return Files.writeString(directory.resolve("chain.pem"), bundle.getCertificatePathPEM());
  }

  /** Writes a certificate's key. */
  public static Path keyPem(X509Bundle bundle, Path directory) throws IOException {
    return Files.writeString(directory.resolve("key.pem"), bundle.getPrivateKeyPEM());
  }

  /** A server's side of TLS with that certificate. */
  public static SSLContext serverContext(X509Bundle bundle) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(bundle.toKeyManagerFactory().getKeyManagers(), null, null);
      return context;
    } catch (Exception e) {
      throw new IllegalStateException("no TLS context", e);
    }
  }
}
