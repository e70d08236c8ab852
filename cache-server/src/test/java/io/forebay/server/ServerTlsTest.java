package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.node.NodeControl.Reload;
import io.forebay.testing.Bytes;
import io.forebay.testing.Certificates;
import io.forebay.testing.OpensslClient;
import io.forebay.testing.RawClient;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which certificate a client receives, and how that changes while the node runs. */
@Timeout(120)
@Tag("full")
final class ServerTlsTest {
  @TempDir Path directory;
  @TempDir Path pki;
  private final TestOrigin origin = new TestOrigin();
  private Certificates files;
  private Edge edge;

  @BeforeEach
  void start() throws Exception {
    files = Certificates.in(pki);
    files.ecdsa("shop", "shop.example");
    files.rsa("shop-rsa", "shop.example");
    files.ecdsa("wild", "*.cdn.example");
    origin.on("/s", TestOrigin.ok("cache-control: max-age=60\r\n", TestOrigin.ascii("stored")));
    edge = Edge.start(directory, "32MiB", yaml("shop"));
  }

  @AfterEach
  void stop() throws Exception {
    edge.close();
    origin.close();
  }

  private String yaml(String first) {
    return Edge.origins(origin.url())
        + "certificates:\n  shop: {"
        + files.entry(first)
        + ", second: {"
        + files.entry("shop-rsa")
        + "}}\n  wild: {"
        + files.entry("wild")
        + "}\n";
  }

  private String subject(String... options) throws Exception {
    String said = OpensslClient.run(edge.tlsPort(), options);
    return said.lines().filter(line -> line.startsWith("subject=")).findFirst().orElse(said);
  }

  @ParameterizedTest
  @CsvSource({
    "shop.example, CN = shop",
    "SHOP.Example, CN = shop",
    "a.cdn.example, CN = wild",
    "a.b.cdn.example, CN = 127.0.0.1",
    "cdn.example, CN = 127.0.0.1",
    "elsewhere.example, CN = 127.0.0.1"
  })
  void theNameAskedForChoosesTheCertificate(String name, String subject) throws Exception {
    assertEquals("subject=" + subject, subject("-servername", name));
  }

  @Test
  void whoAsksForNoNameGetsTheListenersOwn() throws Exception {
    assertEquals("subject=CN = 127.0.0.1", subject("-noservername"));
  }

  @ParameterizedTest
  @CsvSource({
    "-tls1_3, ecdsa_secp256r1_sha256, CN = shop",
    "-tls1_3, rsa_pss_rsae_sha256, CN = shop-rsa",
    "-tls1_3, rsa_pss_rsae_sha256:ecdsa_secp256r1_sha256, CN = shop",
    "-tls1_2, RSA+SHA256, CN = shop-rsa",
    "-tls1_2, RSA+SHA256:ECDSA+SHA256, CN = shop"
  })
  void whoCanGetsEcdsaTheOthersRsa(String version, String algorithms, String subject)
      throws Exception {
    assertEquals(
        "subject=" + subject,
        subject("-servername", "shop.example", version, "-sigalgs", algorithms));
  }

  @Test
  void aChangeIsForNewHandshakesWhileADownloadGoesOn() throws Exception {
    byte[] body = Edge.bytes(3, 400_000);
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch gate = new CountDownLatch(1);
    origin.on(
        "/long",
        (request, connection) -> {
          TestOrigin.sendHead(connection, "cache-control: no-store\r\n", body.length)
              .send(Arrays.copyOf(body, 1000));
          asked.countDown();
          TestOrigin.await(gate);
          connection.send(Arrays.copyOfRange(body, 1000, body.length));
        });
    try (RawClient download = connect("shop.example")) {
      download.request("GET", "/long");
      TestOrigin.await(asked);
      X509Bundle renewed =
          files.issue("shop", b -> b.ecp256().subject("CN=renewed"), "shop.example");
      assertFalse(renewed.isSelfSigned());
      Reload reload = edge.server().reload();
      assertEquals(List.of(), reload.errors());
      assertEquals(List.of("certificates.shop"), reload.changed());
      assertEquals("subject=CN = renewed", subject("-servername", "shop.example"));
      gate.countDown();
      Bytes.assertEquals(body, download.reply().body());
      assertEquals("stored", download.get("/s").text());
    }
  }

  @Test
  void oneBadCertificateLeavesAllOldOnesInForce() throws Exception {
    files.issue("wild", b -> b.ecp256().subject("CN=new-wild"), "*.cdn.example");
    files.ecdsa("stranger", "shop.example");
    Files.copy(
        files.key("stranger"),
        files.key("shop"),
        java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    Reload reload = edge.server().reload();
    assertEquals(
        List.of(
            "certificates.shop: "
                + files.pem("shop")
                + " and key "
                + files.key("shop")
                + " do not match"),
        reload.errors());
    assertEquals(List.of(), reload.changed());
    assertEquals("subject=CN = wild", subject("-servername", "a.cdn.example"));
    assertEquals("subject=CN = shop", subject("-servername", "shop.example"));
    files.ecdsa("shop", "shop.example");
    assertEquals(List.of(), edge.server().reload().errors());
    assertEquals("subject=CN = new-wild", subject("-servername", "a.cdn.example"));
  }

  @Test
  void aListenersOwnCertificateChangesToo() throws Exception {
    X509Bundle other = files.issue("own", b -> b.ecp256().subject("CN=own"), "own.example");
    files.write("own", other);
    Files.copy(
        files.pem("own"),
        directory.resolve("chain.pem"),
        java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    Files.copy(
        files.key("own"),
        directory.resolve("chain.key"),
        java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    Reload reload = edge.server().reload();
    assertEquals(List.of("listener secure"), reload.changed());
    assertEquals("subject=CN = own", subject("-noservername"));
  }

  @Test
  void theReportSaysWhenEachEnds() {
    var statuses = edge.server().certificates();
    assertEquals(
        List.of(
            "certificates.shop ecdsa",
            "certificates.shop rsa",
            "certificates.wild ecdsa",
            "listener secure ecdsa"),
        statuses.stream().map(status -> status.name() + " " + status.kind()).toList());
    assertEquals(List.of("shop.example"), statuses.get(0).hosts());
    assertTrue(
        statuses.stream().allMatch(status -> status.notAfter().isAfter(java.time.Instant.now())));
  }

  private RawClient connect(String serverName) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new javax.net.ssl.TrustManager[] {files.authority().toTrustManager()}, null);
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", edge.tlsPort());
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setServerNames(List.of(new SNIHostName(serverName)));
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return new RawClient(socket);
  }
}
