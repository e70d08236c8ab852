package io.forebay.server.tls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.AcmeConfig;
import io.forebay.server.config.TlsConfig;
import io.forebay.server.http.ChallengeTokens;
import io.forebay.server.tls.acme.AlpnChallenges;
import io.forebay.server.tls.acme.CertificateManager;
import io.forebay.server.tls.ocsp.OcspClient;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Validations by tls-alpn-01 that other nodes of a cluster expect. */
final class SharedAlpnChallengesTest {
  /** RFC 8737 §3: acmeIdentifier. */
  private static final String ACME_IDENTIFIER = "1.3.6.1.5.5.7.1.31";

  @TempDir Path directory;
  private ClientTls tls;
  private CertificateManager manager;
  private AlpnChallenges challenges;

  @BeforeEach
  void open() throws Exception {
    tls =
        new ClientTls(
            TlsConfig.DEFAULT,
            System::currentTimeMillis,
            new SecureRandom(),
            new OcspStapler(System::currentTimeMillis, new OcspClient()));
    manager =
        CertificateManager.open(
            AcmeConfig.OFF, directory, tls, new ChallengeTokens(), System::currentTimeMillis);
    challenges = manager.alpn();
  }

  @AfterEach
  void close() {
    manager.close();
    tls.close();
  }

  private static byte[] hash(int filling) {
    byte[] hash = new byte[32];
    Arrays.fill(hash, (byte) filling);
    return hash;
  }

  private static String base64(byte[] hash) {
    return Base64.getEncoder().encodeToString(hash);
  }

  @Test
  void theCertificateProvesTheHashAndTheName() {
    assertTrue(challenges.others(Map.of("www.shop.example", base64(hash(7)))));
    TlsHost host = tls.table().challenge("www.shop.example");
    assertNotNull(host);
    CertificatePair pair = host.settings().pairs().getFirst();
    assertEquals(List.of("www.shop.example"), pair.names());
    byte[] extension = pair.leaf().getExtensionValue(ACME_IDENTIFIER);
    assertArrayEquals(
        hash(7), Arrays.copyOfRange(extension, extension.length - 32, extension.length));
    assertNull(tls.table().challenge("other.example"));
    assertEquals(Map.of(), challenges.own(), "they are not handed on");
  }

  @Test
  void oneThatStaysIsNotMadeAnewAndOneThatIsOverGoes() {
    assertTrue(challenges.others(Map.of("a.example", base64(hash(1)))));
    CertificatePair first = pair("a.example");
    TlsHost context = tls.table().challenge("a.example");
    assertTrue(
        challenges.others(Map.of("a.example", base64(hash(1)), "b.example", base64(hash(2)))));
    assertSame(first, pair("a.example"));
    assertSame(context, tls.table().challenge("a.example"));
    assertTrue(challenges.others(Map.of("b.example", base64(hash(3)))));
    assertNull(tls.table().challenge("a.example"));
    assertNotNull(tls.table().challenge("b.example"));
    assertTrue(challenges.others(Map.of()));
    assertNull(tls.table().challenge("b.example"));
  }

  private CertificatePair pair(String name) {
    TlsHost host = tls.table().challenge(name);
    assertNotNull(host);
    return host.settings().pairs().getFirst();
  }

  @Tag("full")
  @Test
  void noiseIsLeftOutAndNumbersAreBounded() {
    assertFalse(
        challenges.others(
            Map.of(
                "a.example",
                base64(hash(1)),
                "../etc/passwd",
                base64(hash(1)),
                "short.example",
                "AAAA",
                "text.example",
                "no base64")),
        "not all are answered");
    assertNotNull(tls.table().challenge("a.example"));
    for (String name : List.of("../etc/passwd", "short.example", "text.example")) {
      assertNull(tls.table().challenge(name), name);
    }
    Map<String, String> many = new HashMap<>();
    for (int i = 0; i < 400; i++) {
      many.put("h" + i + ".example", base64(hash(i % 100)));
    }
    assertFalse(challenges.others(many));
    long served =
        many.keySet().stream().filter(name -> tls.table().challenge(name) != null).count();
    assertEquals(300, served);
  }
}
