package io.forebay.server.origin.tls;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.ByteArrayInputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class PinnedTrustManagerTest {
  private static X509Certificate root;
  private static X509Certificate intermediate;
  private static X509Certificate leaf;
  private static X509Certificate stranger;

  @BeforeAll
  static void issue() throws Exception {
    X509Bundle top = authority("root").buildSelfSigned();
    X509Bundle middle = authority("intermediate").buildIssuedBy(top);
    root = top.getCertificate();
    intermediate = middle.getCertificate();
    leaf =
        new CertificateBuilder().subject("CN=leaf").ecp256().buildIssuedBy(middle).getCertificate();
    stranger = authority("stranger").buildSelfSigned().getCertificate();
  }

  private static CertificateBuilder authority(String name) {
    return new CertificateBuilder().subject("CN=" + name).ecp256().setIsCertificateAuthority(true);
  }

  @Test
  void aKeyOfThePathIsEnough() {
    for (X509Certificate pinned : List.of(leaf, intermediate, root)) {
      assertDoesNotThrow(() -> check(List.of(pinned), leaf, intermediate, root));
      assertDoesNotThrow(() -> check(List.of(stranger, pinned), leaf, intermediate, root));
    }
  }

  @Test
  void aCertificateThatSignedNothingDoesNotCount() {
    CertificateException refused =
        assertThrows(
            CertificateException.class,
            () -> check(List.of(stranger), leaf, intermediate, root, stranger));
    assertTrue(
        String.valueOf(refused.getMessage()).contains(PinnedTrustManager.pin(leaf)),
        refused::toString);
    assertThrows(CertificateException.class, () -> check(List.of(stranger), leaf, stranger));
    assertThrows(CertificateException.class, () -> check(List.of(root), leaf, stranger, root));
  }

  @Test
  void aPinDoesNotReplaceTheChain() {
    PinnedTrustManager manager =
        new PinnedTrustManager(new Chains(false), List.of(PinnedTrustManager.pin(leaf)));
    CertificateException refused =
        assertThrows(
            CertificateException.class,
            () -> manager.checkServerTrusted(new X509Certificate[] {leaf}, "ECDHE_ECDSA"));
    assertEquals("chain", refused.getMessage());
  }

  /** Computed with openssl x509 -pubkey, pkey -outform der, dgst -sha256 -binary, base64. */
  @Test
  void isTheDigestOfTheSubjectPublicKeyInfo() throws Exception {
    String pem =
        """
        -----BEGIN CERTIFICATE-----
        MIIBdzCCAR2gAwIBAgIUFoF+kjdxpRwBmTjxmaNRuAYV7VowCgYIKoZIzj0EAwIw
        EDEOMAwGA1UEAwwFa25vd24wIBcNMjYxMTI2MDY0MDE0WhgPMjEyNjExMDIwNjQw
        MTRaMBAxDjAMBgNVBAMMBWtub3duMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
        xgEeswC0cbrcwmlrmcgYHV0szaCpkeUNwU4zD6nGxallOqkOFLNbi8qLLaIrQPNh
        zNNHMyb9nqKXR8ji05CQSKNTMFEwHQYDVR0OBBYEFOd+xUgpgXvME9v5IEInYNJa
        LuxTMB8GA1UdIwQYMBaAFOd+xUgpgXvME9v5IEInYNJaLuxTMA8GA1UdEwEB/wQF
        MAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgZewqQV0f9R/doAkMSfDKcPm0DWUN6tM1
        P3qYQfJ2huwCIQDvNorOX62UPvap0lZVXWFOl8K11gWFDowO0R1GUBEBAA==
        -----END CERTIFICATE-----
        """;
    X509Certificate known =
        (X509Certificate)
            CertificateFactory.getInstance("X.509")
                .generateCertificate(
                    new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
    assertEquals(
        "sha256/RpBwZoVKhqcGNCplzOnl2YaUJ9HqfSq1jihpLcZeT0Y=", PinnedTrustManager.pin(known));
  }

  private static void check(List<X509Certificate> pinned, X509Certificate... chain)
      throws CertificateException {
    new PinnedTrustManager(new Chains(true), pinned.stream().map(PinnedTrustManager::pin).toList())
        .checkServerTrusted(Arrays.copyOf(chain, chain.length), "ECDHE_ECDSA");
  }

  /** Takes any chain, or none. */
  private static final class Chains extends X509ExtendedTrustManager {
    private final boolean isTrusting;

    Chains(boolean isTrusting) {
      this.isTrusting = isTrusting;
    }

    private void check() throws CertificateException {
      if (!isTrusting) {
        throw new CertificateException("chain");
      }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      check();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      check();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      check();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
