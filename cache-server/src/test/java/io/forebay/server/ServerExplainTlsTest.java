package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Certificates;
import io.forebay.testing.RawClient;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The TLS part of an explanation matches the handshake and the response that follow. */
@Timeout(120)
@Tag("slow")
final class ServerExplainTlsTest {
  @TempDir Path directory;
  @TempDir Path pki;
  private final TestOrigin origin = new TestOrigin();
  private Certificates files;
  private Edge edge;

  @BeforeEach
  void start() throws Exception {
    origin.on(
        "/a",
        TestOrigin.ok(
            "cache-control: max-age=60\r\nstrict-transport-security: max-age=5\r\n", new byte[5]));
    files = Certificates.in(pki);
    files.ecdsa("www", "www.example", "shop.example");
    files.rsa("www-rsa", "www.example", "shop.example");
    files.ecdsa("wild", "*.cdn.example");
    files.ecdsa("asks", "asks.example");
    files.ecdsa("other", "elsewhere.example");
    files.issue(
        "old", builder -> builder.ecp256().notAfter(Instant.now().minusSeconds(60)), "old.example");
    edge =
        Edge.start(
            directory,
            "32MiB",
            Edge.origins(origin.url())
                + "routes:\n"
                + "  - {name: www, origin: main, match: {host: www.example},"
                + " hsts: {max-age: 1d, subdomains: true}}\n"
                + "  - {name: all, origin: main}\n"
                + "certificates:\n  www: {policy: modern, second: {"
                + files.entry("www-rsa")
                + "}, "
                + files.entry("www")
                + "}\n  wild: {"
                + files.entry("wild")
                + "}\n  asks: {client-auth: optional, client-ca: \""
                + files.authorityPem()
                + "\", "
                + files.entry("asks")
                + "}\n  old: {"
                + files.entry("old")
                + "}\n  other: {hosts: [mine.example], "
                + files.entry("other")
                + "}\n");
  }

  @AfterEach
  void stop() throws IOException {
    edge.close();
    origin.close();
  }

  private JsonNode explain(String url) throws Exception {
    return edge.explain(200, "{\"url\":\"" + url + "\"}");
  }

  /** The one TLS listener's part. */
  private JsonNode listener(String host) throws Exception {
    JsonNode tls = explain("https://" + host + "/a").path("tls");
    assertEquals(1, tls.path("listeners").size(), tls.toString());
    return tls.path("listeners").get(0);
  }

  private static String text(JsonNode node, String name) {
    return node.path(name).asString("");
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(one -> texts.add(one.asString("")));
    return texts;
  }

  /** The certificate that a client gets that asks for a name, and the version. */
  private SSLSocket connect(String host, SSLContext context) throws Exception {
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", edge.tlsPort());
    if (!host.matches("[0-9.]+")) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setServerNames(List.of(new SNIHostName(host)));
      socket.setSSLParameters(parameters);
    }
    socket.startHandshake();
    return socket;
  }

  private SSLContext trusting() throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {files.authority().toTrustManager()}, null);
    return context;
  }

  @ParameterizedTest
  @CsvSource({
    "www.example, certificates.www, www.example, modern, off, true",
    "WWW.Example:8443, certificates.www, www.example, modern, off, true",
    "a.cdn.example, certificates.wild, *.cdn.example, intermediate, off, true",
    "asks.example, certificates.asks, asks.example, intermediate, optional, true",
    "mine.example, certificates.other, mine.example, intermediate, off, false",
    "a.b.cdn.example, listener secure, '', intermediate, off, false",
    "127.0.0.1, listener secure, '', intermediate, off, false"
  })
  void theCertificateIsTheOneThatAHandshakeShows(
      String host, String entry, String matched, String policy, String clientAuth, boolean isFor)
      throws Exception {
    JsonNode told = listener(host);
    assertEquals("secure", text(told, "listener"));
    assertEquals(entry, text(told, "entry"));
    assertEquals(matched, text(told, "matchedName"));
    assertEquals(policy, text(told, "policy"));
    assertEquals(clientAuth, text(told, "clientAuth"));
    assertEquals(
        policy.equals("modern") ? List.of("TLSv1.3") : List.of("TLSv1.3", "TLSv1.2"),
        texts(told.path("versions")));
    JsonNode first = told.path("certificates").get(0);
    assertEquals(isFor, first.path("forHost").asBoolean(false));
    assertTrue(first.path("valid").asBoolean(false));
    SSLContext context = entry.startsWith("listener") ? edge.tlsClientContext() : trusting();
    try (SSLSocket socket = connect(host.replaceAll(":.*", ""), context)) {
      X509Certificate leaf = (X509Certificate) socket.getSession().getPeerCertificates()[0];
      assertEquals(leaf.getNotAfter().toInstant().toString(), text(first, "notAfter"));
      assertEquals(
          leaf.getPublicKey().getAlgorithm().equals("EC") ? "ecdsa" : "rsa", text(first, "kind"));
      List<String> names =
          leaf.getSubjectAlternativeNames().stream()
              .filter(name -> name.get(0).equals(2))
              .map(name -> String.valueOf(name.get(1)))
              .toList();
      assertEquals(names, texts(first.path("names")));
    }
  }

  @Test
  void bothKindsAreSaidAndWhatIsOverIsCalledThat() throws Exception {
    JsonNode both = listener("shop.example").path("certificates");
    assertEquals("ecdsa", text(both.get(0), "kind"));
    assertEquals("rsa", text(both.get(1), "kind"));
    assertEquals(2, both.size());
    JsonNode old = listener("old.example").path("certificates").get(0);
    assertFalse(old.path("valid").asBoolean(true));
    assertTrue(old.path("forHost").asBoolean(false));
    assertTrue(
        Instant.parse(text(old, "notAfter")).isAfter(Instant.now().minus(Duration.ofHours(1))));
  }

  @Test
  void strictTransportSecurityIsToldByWhoSaysIt() throws Exception {
    JsonNode told = explain("https://www.example/a").at("/tls/hsts");
    assertEquals("max-age=86400; includeSubDomains", text(told, "value"));
    assertEquals("route", text(told, "from"));
    assertTrue(explain("https://127.0.0.1/a").at("/tls/hsts").isNull(), "not asked yet");
    try (RawClient client = edge.connectTls()) {
      assertEquals(200, client.get("/a", "Host: shop.example").status());
      edge.awaitIdle();
      told = explain("https://shop.example/a").at("/tls/hsts");
      assertEquals("stored", text(told, "from"));
      assertEquals(
          client.get("/a", "Host: shop.example").field("strict-transport-security"),
          text(told, "value"));
    }
  }

  @Test
  void plainTextHasNone() throws Exception {
    JsonNode told = explain("http://www.example/a");
    assertTrue(told.has("tls"));
    assertTrue(told.path("tls").isNull(), told.toString());
  }
}
