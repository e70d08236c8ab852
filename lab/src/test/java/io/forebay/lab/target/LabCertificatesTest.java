package io.forebay.lab.target;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two runs of keytool take a second. */
@Tag("slow")
class LabCertificatesTest {
  @TempDir Path directory;

  private static X509Certificate read(Path pem) throws Exception {
    try (InputStream input = Files.newInputStream(pem)) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(input);
    }
  }

  @Tag("full")
  @Test
  void theAuthorityIssuesACertificateForThisMachine() throws Exception {
    TargetSpec.Tls tls =
        LabCertificates.create(directory.resolve("tls"), InetAddress.ofLiteral("10.0.0.1"));
    X509Certificate authority = read(tls.authority());
    X509Certificate server = read(tls.certificate());
    server.verify(authority.getPublicKey());
    server.checkValidity();
    assertTrue(authority.getBasicConstraints() >= 0);
    assertEquals(-1, server.getBasicConstraints());
    assertEquals(
        List.of("localhost", "127.0.0.1", "0:0:0:0:0:0:0:1", "10.0.0.1"),
        Objects.requireNonNull(server.getSubjectAlternativeNames()).stream()
            .map(name -> name.get(1))
            .toList());
    assertEquals(
        "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(tls.key())));
    assertTrue(Files.readString(tls.key()).startsWith("-----BEGIN PRIVATE KEY-----\n"));
    assertFalse(Files.exists(directory.resolve("tls/keys.p12")));
  }

  @Test
  @Tag("full")
  void eachIsNew() throws Exception {
    TargetSpec.Tls first = LabCertificates.create(directory, TargetSpec.LOOPBACK);
    String key = Files.readString(first.key());
    assertNotEquals(
        key, Files.readString(LabCertificates.create(directory, TargetSpec.LOOPBACK).key()));
  }
}
