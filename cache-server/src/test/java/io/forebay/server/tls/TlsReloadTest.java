package io.forebay.server.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.TlsConfig;
import io.forebay.server.config.TlsConfig.CertificateConfig;
import io.forebay.server.config.TlsConfig.ClientAuth;
import io.forebay.server.config.TlsConfig.PairConfig;
import io.forebay.server.tls.ocsp.Der;
import io.forebay.testing.Certificates;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.ReferenceCountedOpenSslContext;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Problems of certificates that are found before a client receives them. */
final class TlsReloadTest {
  private static Instant now;

  @TempDir static Path directory;
  private static Certificates files;

  @BeforeAll
  static void make() throws Exception {
    now = Instant.now();
    files = Certificates.in(directory);
    files.ecdsa("good", "www.example.com");
    files.rsa("rsa", "www.example.com");
    files.ecdsa("wild", "*.example.com", "example.org");
    files.ecdsa("other", "other.example");
    files.issue("expired", b -> b.ecp256().notAfter(now.minus(Duration.ofMinutes(1))), "a.example");
    files.issue("early", b -> b.ecp256().notBefore(now.plus(Duration.ofMinutes(1))), "a.example");
    files.ecdsa("nameless");
    KeyPairGenerator weak = KeyPairGenerator.getInstance("RSA");
    weak.initialize(1024);
    files.issue("weak", b -> b.keyPair(weak.generateKeyPair()), "a.example");
    KeyPairGenerator edwards = KeyPairGenerator.getInstance("Ed25519");
    files.issue("edwards", b -> b.keyPair(edwards.generateKeyPair()), "a.example");
    Files.writeString(files.pem("garbage"), "not a certificate\n");
    Files.writeString(files.key("garbage"), "not a key\n");
    X509Bundle client = files.client("client");
    assertNotNull(client);

    X509Bundle intermediate =
        new CertificateBuilder()
            .subject("CN=Intermediate")
            .ecp256()
            .setIsCertificateAuthority(true)
            .setKeyUsage(true, CertificateBuilder.KeyUsage.keyCertSign)
            .buildIssuedBy(files.authority());
    X509Bundle leaf =
        new CertificateBuilder()
            .subject("CN=leaf")
            .ecp256()
            .addSanDnsName("a.example")
            .buildIssuedBy(intermediate);
    String leafPem = leaf.getCertificatePEM() + "\n";
    String middle = intermediate.getCertificatePEM() + "\n";
    String root = files.authority().getCertificatePEM() + "\n";
    for (String name : List.of("whole", "reversed", "gap", "incomplete", "stranger")) {
      Files.writeString(files.key(name), leaf.getPrivateKeyPEM());
    }
    Files.writeString(files.pem("whole"), leafPem + middle + root);
    Files.writeString(files.pem("reversed"), leafPem + root + middle);
    Files.writeString(files.pem("gap"), leafPem + root);
    Files.writeString(files.pem("incomplete"), leafPem);
    Files.writeString(files.pem("stranger"), Files.readString(files.pem("good")));
  }

  private static CertificateConfig entry(String name, String... hosts) {
    return new CertificateConfig(
        name,
        List.of(new PairConfig(files.pem(name), files.key(name))),
        List.of(hosts),
        ClientAuth.OFF,
        null,
        null);
  }

  private static TlsConfig config(CertificateConfig... certificates) {
    TlsConfig d = TlsConfig.DEFAULT;
    return new TlsConfig(
        d.policy(),
        d.clientHelloBytes(),
        d.expiryWarning(),
        false,
        d.tickets(),
        List.of(certificates));
  }

  private static ListenerConfig listener(String name) {
    return new ListenerConfig(
        "main", new Address("127.0.0.1", 0), files.pem(name), files.key(name));
  }

  private static TlsReload stage(
      TlsReload.Purpose purpose, Map<String, TlsHost> before, CertificateConfig... certificates) {
    return TlsReload.of(config(certificates), List.of(listener("good")), purpose, before, now);
  }

  private static TlsReload checked(CertificateConfig... certificates) {
    return stage(TlsReload.Purpose.CHECK, Map.of(), certificates);
  }

  @ParameterizedTest
  @CsvSource({
    "expired, has expired at",
    "early, is not valid before",
    "stranger, do not match",
    "reversed, out of order: certificate 3 issued certificate 1",
    "gap, a chain with a gap",
    "weak, RSA key of 1024 bits",
    "edwards, neither RSA nor on a NIST curve",
    "client, not valid for servers",
    "garbage, contains no certificate in PEM format",
    "missing, no such file"
  })
  void whatNoClientAcceptsIsAnError(String name, String text) {
    List<String> errors = checked(entry(name)).errors();
    assertTrue(
        errors.stream()
            .anyMatch(e -> e.startsWith("certificates." + name + ": ") && e.contains(text)),
        errors::toString);
    errors.forEach(error -> assertEquals(1, error.lines().count(), error));
  }

  @ParameterizedTest
  @CsvSource({
    "nameless, names no host",
    "incomplete, may lack an intermediate",
  })
  void whatSomeClientsAcceptIsAWarning(String name, String text) {
    TlsReload stage = checked(entry(name, "a.example"));
    assertEquals(List.of(), stage.errors());
    assertTrue(
        stage.warnings().stream().anyMatch(w -> w.contains(text)), stage.warnings()::toString);
  }

  @Test
  void aWholeChainIsNothingToSpeakOf() throws Exception {
    Files.setPosixFilePermissions(
        files.key("whole"), java.nio.file.attribute.PosixFilePermissions.fromString("rw-------"));
    TlsReload stage = checked(entry("whole"));
    assertEquals(List.of(), stage.errors());
    assertEquals(List.of(), stage.warnings());
  }

  @Test
  void aHostThatTheCertificateIsNotForIsAWarning() {
    TlsReload stage = checked(entry("good", "elsewhere.example", "www.example.com"));
    assertEquals(
        List.of("certificates.good: " + files.pem("good") + " does not cover elsewhere.example"),
        stage.warnings());
  }

  @Tag("full")
  @Test
  void keysInTheirOldFormsAreRead() throws Exception {
    for (String name : List.of("rsa", "good")) {
      Path old = directory.resolve(name + ".old");
      Process openssl =
          new ProcessBuilder(
                  "openssl",
                  "pkey",
                  "-traditional",
                  "-in",
                  files.key(name).toString(),
                  "-out",
                  old.toString())
              .inheritIO()
              .start();
      assertEquals(0, openssl.waitFor());
      assertTrue(
          Files.readString(old)
              .startsWith(name.equals("rsa") ? "-----BEGIN RSA" : "-----BEGIN EC"));
      CertificateConfig entry =
          new CertificateConfig(
              "old",
              List.of(new PairConfig(files.pem(name), old)),
              List.of(),
              ClientAuth.OFF,
              null,
              null);
      assertEquals(List.of(), checked(entry).errors());
    }
  }

  @Test
  void twoPairsHaveToBeOfTwoKinds() {
    CertificateConfig both =
        new CertificateConfig(
            "both",
            List.of(
                new PairConfig(files.pem("good"), files.key("good")),
                new PairConfig(files.pem("wild"), files.key("wild"))),
            List.of(),
            ClientAuth.OFF,
            null,
            null);
    assertTrue(checked(both).errors().getFirst().contains("both certificates are ECDSA"));
  }

  @Test
  void oneHostHasOneCertificate() {
    TlsReload stage = checked(entry("good", "www.example.com"), entry("rsa", "www.example.com"));
    assertEquals(
        List.of("certificates.rsa: certificates.good also has the host www.example.com; keep one"),
        stage.errors());
  }

  @Test
  void exactNamesThenWildcardsThenTheListeners() {
    TlsReload stage = checked(entry("good"), entry("wild"), entry("other"));
    assertEquals(List.of(), stage.errors());
    SniTable table = stage.table();
    assertEquals("certificates.good", name(table, "www.example.com"));
    assertEquals("certificates.wild", name(table, "cdn.example.com"));
    assertEquals("certificates.wild", name(table, "example.org"));
    assertEquals("certificates.other", name(table, "other.example."));
    assertEquals("listener main", name(table, "a.b.example.com"));
    assertEquals("listener main", name(table, "example.com"));
    assertEquals("listener main", name(table, "unknown.example"));
    assertEquals("listener main", name(table, ""));
    assertEquals("listener main", name(table, "."));
    assertEquals("listener main", name(table, null));
    assertNull(table.of("no-listener", "unknown.example"));
  }

  private static String name(SniTable table, @Nullable String serverName) {
    TlsHost host = table.of("main", serverName);
    assertNotNull(host);
    return host.name();
  }

  @Test
  void whatIsTheSameStaysWhatItIs() {
    TlsReload first = stage(TlsReload.Purpose.START, Map.of(), entry("good"), entry("wild"));
    TlsReload second =
        stage(TlsReload.Purpose.RELOAD, first.hosts(), entry("good"), entry("other"));
    assertEquals(List.of("certificates.other", "certificates.wild"), second.changed());
    assertEquals(first.hosts().get("certificates.good"), second.hosts().get("certificates.good"));
  }

  @Test
  void whatHasExpiredStartsButComesNotIntoARunningNode() {
    TlsReload start = stage(TlsReload.Purpose.START, Map.of(), entry("expired"));
    assertEquals(List.of(), start.errors());
    assertTrue(start.warnings().getFirst().contains("has expired"));
    assertEquals(
        List.of(),
        stage(TlsReload.Purpose.RELOAD, start.hosts(), entry("expired")).errors(),
        "it serves already");
    assertEquals(1, stage(TlsReload.Purpose.RELOAD, Map.of(), entry("expired")).errors().size());
  }

  @Test
  void itIsBoringSsl() {
    assertTrue(OpenSsl.isAvailable(), () -> String.valueOf(OpenSsl.unavailabilityCause()));
    assertTrue(OpenSsl.versionString().contains("BoringSSL"), OpenSsl.versionString());
    TlsHost host = checked(entry("good")).hosts().get("certificates.good");
    assertNotNull(host);
    assertTrue(host.context() instanceof ReferenceCountedOpenSslContext);
  }

  static Stream<String> derThatIsNone() {
    return Stream.of("", "30", "3080", "3003", "308400000000", "30820001");
  }

  @ParameterizedTest
  @org.junit.jupiter.params.provider.MethodSource("derThatIsNone")
  void bytesThatAreNoDerAreRefused(String hex) {
    byte[] bytes = java.util.HexFormat.of().parseHex(hex);
    org.junit.jupiter.api.Assertions.assertThrows(
        Der.DerException.class, () -> new Der(bytes).next(Der.SEQUENCE));
  }
}
