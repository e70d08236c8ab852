package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.forebay.testing.Certificates;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Rules that ask for the certificate of a client. */
@Timeout(240)
@Tag("slow")
final class ServerCertificateConditionTest {
  private static final String NAME = "CN=alice,OU=ops,OU=night,O=Example \\, Inc";

  @TempDir Path directory;
  @TempDir Path pki;
  private final TestOrigin origin = new TestOrigin();
  private Certificates files;
  private X509Bundle alice;
  private X509Bundle bob;
  private @Nullable Edge edge;

  @BeforeEach
  void makeCertificates() throws Exception {
    files = Certificates.in(pki);
    files.ecdsa("asking", "127.0.0.1");
    alice =
        new CertificateBuilder()
            .subject(NAME)
            .ecp256()
            .addExtendedKeyUsageClientAuth()
            .addSanDnsName("Build.example.com")
            .addSanUriName("spiffe://example.com/build")
            .addSanRfc822Name("alice@example.com")
            .buildIssuedBy(files.authority());
    bob = files.client("bob");
    origin.on("/a", TestOrigin.ok("cache-control: max-age=1000\r\n", TestOrigin.ascii("a")));
  }

  private static String fingerprint(X509Bundle bundle) throws Exception {
    byte[] der = bundle.getCertificate().getEncoded();
    return HexFormat.ofDelimiter(":")
        .formatHex(MessageDigest.getInstance("SHA-256").digest(der))
        .toUpperCase(Locale.ROOT);
  }

  /** One rule for each condition, whose field says that it holds. */
  private void start() throws Exception {
    List<String> conditions =
        List.of(
            "cn: {subject: {CN: alice}}",
            "unit: {subject: {OU: night}}",
            "organization: {subject: {O: 'Example , Inc'}}",
            "whole: {subject: '" + NAME + "'}",
            "regex: {subject: {regex: '^CN=(alice|bob)(,|$)'}}",
            "both: {subject: {CN: '*', OU: ops}}",
            "issuer: {issuer: {is: '"
                + files.authority().getCertificate().getSubjectX500Principal().getName()
                + "'}}",
            "other-issuer: {issuer: {CN: alice}}",
            "dns: {san: {dns: '*.EXAMPLE.com'}}",
            "uri: {san: {uri: 'spiffe://example.com/*'}}",
            "email: {san: {email: alice@example.com}}",
            "fingerprint: {fingerprint: ['" + fingerprint(alice) + "', '" + "0".repeat(64) + "']}",
            "verified: {verified: true}",
            "none: {verified: false}");
    StringBuilder rules = new StringBuilder();
    for (String condition : conditions) {
      int colon = condition.indexOf(':');
      rules
          .append("      - {when: {client-certificate: ")
          .append(condition.substring(colon + 1))
          .append("}, response-headers: {add: {x-holds: ")
          .append(condition, 0, colon)
          .append("}}}\n");
    }
    edge =
        Edge.start(
            directory,
            "32MiB",
            "  - {name: mutual, address: \"127.0.0.1:0\", tls: {default: asking}}\n"
                + Edge.origins(origin.url())
                + "http3: {listeners: [secure]}\n"
                + "certificates:\n  asking: {"
                + files.entry("asking")
                + ", client-ca: \""
                + files.authorityPem()
                + "\", client-auth: optional}\n"
                + "routes:\n  - rules:\n"
                + rules);
  }

  @AfterEach
  void stop() throws Exception {
    edge().close();
    origin.close();
  }

  private Edge edge() {
    return requireNonNull(edge);
  }

  private HttpClient client(HttpClient.Version version, @Nullable X509Bundle bundle)
      throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    KeyManager[] keys = bundle == null ? null : bundle.toKeyManagerFactory().getKeyManagers();
    context.init(keys, new TrustManager[] {files.authority().toTrustManager()}, null);
    return HttpClient.newBuilder().version(version).sslContext(context).build();
  }

  private Set<String> holding(HttpClient client, HttpClient.Version version) throws Exception {
    HttpResponse<String> response =
        client.send(
            HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + edge().port("mutual") + "/a"))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertEquals(version, response.version());
    assertEquals(200, response.statusCode());
    return new TreeSet<>(response.headers().allValues("x-holds"));
  }

  @ParameterizedTest
  @CsvSource({"HTTP_1_1", "HTTP_2"})
  void aRuleAsksForPartsOfTheCertificate(HttpClient.Version version) throws Exception {
    start();
    Set<String> ofAlice =
        Set.of(
            "cn",
            "unit",
            "organization",
            "whole",
            "regex",
            "both",
            "issuer",
            "dns",
            "uri",
            "email",
            "fingerprint",
            "verified");
    try (HttpClient first = client(version, alice);
        HttpClient second = client(version, bob);
        HttpClient third = client(version, null)) {
      for (int i = 0; i < 2; i++) {
        // The second request of a connection finds the verdicts of the first.
        assertEquals(new TreeSet<>(ofAlice), holding(first, version));
        assertEquals(Set.of("regex", "issuer", "verified"), holding(second, version));
        assertEquals(Set.of("none"), holding(third, version));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"plain", "TLS", "HTTP/3"})
  void elsewhereNoClientHasOne(String protocol) throws Exception {
    start();
    try (ProtocolClient client = ProtocolClient.connect(edge(), protocol)) {
      for (int i = 0; i < 3; i++) {
        assertEquals(List.of("none"), client.ask("GET", "/a").all("x-holds"));
      }
    }
  }
}
