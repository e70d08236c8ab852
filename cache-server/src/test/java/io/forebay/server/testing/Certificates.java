package io.forebay.server.testing;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;

/** A private authority, and PEM files of what it issues, in one directory. */
public final class Certificates {
  private final Path directory;
  private final X509Bundle authority;

  private Certificates(Path directory, X509Bundle authority) throws IOException {
    this.directory = directory;
    this.authority = authority;
    Files.writeString(directory.resolve("ca.pem"), authority.getCertificatePEM());
    Files.writeString(directory.resolve("ca.key"), authority.getPrivateKeyPEM());
  }

  public static Certificates in(Path directory) throws Exception {
    return new Certificates(
        directory,
        new CertificateBuilder()
            .subject("CN=Authority " + directory.getFileName())
            .ecp256()
            .setIsCertificateAuthority(true)
            .setKeyUsage(
                true,
                CertificateBuilder.KeyUsage.keyCertSign,
                CertificateBuilder.KeyUsage.digitalSignature)
            .buildSelfSigned());
  }

  public X509Bundle authority() {
    return authority;
  }

  public Path authorityPem() {
    return directory.resolve("ca.pem");
  }

  /** An ECDSA certificate for those names as {@code file.pem} and {@code file.key}. */
  public X509Bundle ecdsa(String file, String... names) throws Exception {
    return issue(file, builder -> builder.ecp256(), names);
  }

  public X509Bundle rsa(String file, String... names) throws Exception {
    return issue(file, builder -> builder.rsa2048(), names);
  }

  /** A certificate of which something is otherwise. */
  public X509Bundle issue(String file, UnaryOperator<CertificateBuilder> change, String... names)
      throws Exception {
    Instant now = Instant.now();
    CertificateBuilder builder =
        new CertificateBuilder()
            .subject("CN=" + file)
            .notBefore(now.minus(Duration.ofHours(1)))
            .notAfter(now.plus(Duration.ofDays(60)))
            .addExtendedKeyUsageServerAuth();
    if (names.length > 0) {
      builder = builder.addExtensionOctetString("2.5.29.17", false, dnsNames(names));
    }
    X509Bundle bundle = change.apply(builder).buildIssuedBy(authority);
    write(file, bundle);
    return bundle;
  }

  /** GeneralNames by hand: the builder takes no wildcards. All of it is shorter than 128 bytes. */
  private static byte[] dnsNames(String... names) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (String name : names) {
      all.write(0x82);
      all.write(name.length());
      all.writeBytes(name.getBytes(StandardCharsets.US_ASCII));
    }
    ByteArrayOutputStream sequence = new ByteArrayOutputStream();
    sequence.write(0x30);
    sequence.write(all.size());
    sequence.writeBytes(all.toByteArray());
    return sequence.toByteArray();
  }

  /** A client's certificate of this authority. */
  public X509Bundle client(String file) throws Exception {
    X509Bundle bundle =
        new CertificateBuilder()
            .subject("CN=" + file)
            .ecp256()
            .addExtendedKeyUsageClientAuth()
            .buildIssuedBy(authority);
    write(file, bundle);
    return bundle;
  }

  /** The chain with its root, so that nothing of it is missing, and the key. */
  public void write(String file, X509Bundle bundle) throws IOException {
    Files.writeString(
        pem(file), bundle.getCertificatePathPEM() + "\n" + authority.getCertificatePEM());
    Files.writeString(key(file), bundle.getPrivateKeyPEM());
    Files.setPosixFilePermissions(key(file), PosixFilePermissions.fromString("rw-------"));
  }

  public Path pem(String file) {
    return directory.resolve(file + ".pem");
  }

  public Path key(String file) {
    return directory.resolve(file + ".key");
  }

  /** The entry of a configuration, without the name. */
  public String entry(String file) {
    return "certificate: \"" + pem(file) + "\", key: \"" + key(file) + "\"";
  }
}
