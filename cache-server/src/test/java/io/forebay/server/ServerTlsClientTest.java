package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.LimitKey;
import io.forebay.testing.Certificates;
import io.forebay.testing.OpensslClient;
import io.forebay.testing.RawClient;
import io.netty.pkitesting.X509Bundle;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients present and receive over TLS, and handshakes that must fail. */
@Timeout(120)
@Tag("slow")
final class ServerTlsClientTest {
  @TempDir Path directory;
  @TempDir Path pki;
  private final TestOrigin origin = new TestOrigin();
  private final ConcurrentLinkedQueue<String> heads = new ConcurrentLinkedQueue<>();
  private Certificates files;
  private X509Bundle alice;
  private Edge edge;

  @BeforeEach
  void start() throws Exception {
    files = Certificates.in(pki);
    files.ecdsa("open", "open.example");
    files.ecdsa("closed", "closed.example");
    files.ecdsa("asking", "asking.example");
    files.ecdsa("strict", "strict.example");
    files.rsa("strict-rsa", "strict.example");
    alice = files.client("alice");
    origin.on(
        "/a",
        (request, connection) -> {
          heads.add(request.head());
          TestOrigin.sendOk(
              connection,
              "cache-control: max-age=60\r\nvary: client-cert\r\n",
              TestOrigin.ascii("answer " + request.number()));
        });
    String auth = ", client-ca: \"" + files.authorityPem() + "\", client-auth: ";
    edge =
        Edge.start(
            directory,
            "32MiB",
            Edge.origins(origin.url())
                + "timeouts: {tls-handshake: 1s}\n"
                + "routes:\n  - {origin: main, match: {host: open.example},"
                + " hsts: {max-age: 730d, subdomains: true, preload: true}}\n"
                + "  - {origin: main}\n"
                + "certificates:\n  open: {"
                + files.entry("open")
                + "}\n  closed: {"
                + files.entry("closed")
                + auth
                + "required}\n  asking: {"
                + files.entry("asking")
                + auth
                + "optional}\n  strict: {policy: modern, second: {"
                + files.entry("strict-rsa")
                + "}, "
                + files.entry("strict")
                + "}\n");
  }

  @AfterEach
  void stop() throws Exception {
    edge.close();
    origin.close();
  }

  private SSLContext context(@Nullable X509Bundle client) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    KeyManager[] keys = client == null ? null : client.toKeyManagerFactory().getKeyManagers();
    context.init(keys, new TrustManager[] {files.authority().toTrustManager()}, null);
    return context;
  }

  private RawClient connect(String serverName, @Nullable X509Bundle client) throws Exception {
    SSLSocket socket =
        (SSLSocket) context(client).getSocketFactory().createSocket("127.0.0.1", edge.tlsPort());
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setServerNames(List.of(new SNIHostName(serverName)));
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return new RawClient(socket);
  }

  private static RawClient.Response ask(RawClient client, String host, String... fields)
      throws Exception {
    StringBuilder request = new StringBuilder("GET /a HTTP/1.1\r\nHost: " + host + "\r\n");
    for (String field : fields) {
      request.append(field).append("\r\n");
    }
    return client.send(request.append("\r\n").toString()).reply();
  }

  private static @Nullable String field(String head, String name) {
    return head.lines()
        .filter(line -> line.toLowerCase(java.util.Locale.ROOT).startsWith(name + ":"))
        .map(line -> line.substring(name.length() + 1).strip())
        .findFirst()
        .orElse(null);
  }

  private String certificateOfAlice() throws Exception {
    return ":" + Base64.getEncoder().encodeToString(alice.getCertificate().getEncoded()) + ":";
  }

  @ParameterizedTest
  @ValueSource(strings = {"closed.example", "asking.example"})
  void theOriginIsToldWhoTheClientIs(String host) throws Exception {
    try (RawClient client = connect(host, alice)) {
      assertEquals(200, ask(client, host).status());
      assertEquals(certificateOfAlice(), field(heads.remove(), "client-cert"));
    }
  }

  @Test
  void answersForOneClientAreNoAnswersForAnother() throws Exception {
    try (RawClient known = connect("asking.example", alice);
        RawClient unknown = connect("asking.example", null)) {
      assertEquals("answer 1", ask(known, "asking.example").text());
      assertEquals("answer 2", ask(unknown, "asking.example").text());
      assertEquals("answer 1", ask(known, "asking.example").text());
    }
  }

  @Test
  void whatAClientSaysOfItselfIsNotPassedOn() throws Exception {
    String[] lies = {"Client-Cert: :bGll:", "Client-Cert-Chain: :bGll:"};
    try (RawClient client = connect("open.example", null);
        RawClient known = connect("asking.example", alice);
        RawClient plain = edge.connect()) {
      assertEquals(200, ask(client, "open.example", lies).status());
      String head = heads.remove();
      assertNull(field(head, "client-cert"), head);
      assertNull(field(head, "client-cert-chain"), head);
      assertEquals(200, ask(plain, "plain.example", lies).status());
      assertNull(field(heads.remove(), "client-cert"));
      assertEquals(200, ask(known, "asking.example", lies).status());
      assertEquals(certificateOfAlice(), field(heads.remove(), "client-cert"));
    }
  }

  @Test
  void overHttp2Too() throws Exception {
    HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_2)
            .sslContext(edge.tlsClientContext())
            .build();
    HttpResponse<String> response =
        client.send(
            HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + edge.tlsPort() + "/a"))
                .header("Client-Cert", ":bGll:")
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertEquals(HttpClient.Version.HTTP_2, response.version());
    assertEquals(200, response.statusCode());
    assertNull(field(heads.remove(), "client-cert"));
    client.shutdownNow();
  }

  @Tag("full")
  @Test
  void withoutACertificateThereIsNoWayIn() throws Exception {
    String said = OpensslClient.run(edge.tlsPort(), "-servername", "closed.example");
    assertTrue(said.contains("certificate required"), said);
    assertFalse(said.contains("HTTP/1.1 200"), said);
  }

  @ParameterizedTest
  @CsvSource({
    "open.example, closed.example, 421",
    "open.example, asking.example, 421",
    "open.example, elsewhere.example, 200",
    "open.example, open.example, 200",
    "asking.example, closed.example, 421",
    "asking.example, open.example, 421"
  })
  void aConnectionForOneHostLeadsToNoHostThatAsksForMore(String name, String host, int status)
      throws Exception {
    try (RawClient client = connect(name, null)) {
      assertEquals(status, ask(client, host).status());
    }
  }

  @Test
  void plainTextLeadsToNoHostThatWantsACertificate() throws Exception {
    try (RawClient client = edge.connect();
        RawClient other = edge.connect()) {
      assertEquals(421, ask(client, "closed.example").status());
      assertEquals(200, ask(other, "open.example").status());
    }
    assertEquals(1, heads.size());
  }

  @Test
  void browsersAreToldToComeByTlsAlone() throws Exception {
    String line = "strict-transport-security: max-age=63072000; includeSubDomains; preload";
    try (RawClient client = connect("open.example", null);
        RawClient other = connect("asking.example", null);
        RawClient plain = edge.connect()) {
      for (int i = 0; i < 2; i++) {
        assertTrue(ask(client, "open.example").lines().contains(line), "fetched, then hit");
        assertFalse(ask(other, "asking.example").lines().toString().contains("strict-"));
        assertFalse(ask(plain, "open.example").lines().toString().contains("strict-"));
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @CsvSource({
    "strict.example, -tls1_3, TLS_",
    "strict.example, -tls1_2, alert",
    "open.example, -tls1_2, ECDHE-ECDSA-",
    "open.example, -tls1_1, alert",
    "open.example, -tls1_2 -cipher ECDHE-ECDSA-AES128-SHA, alert",
    "open.example, -tls1_2 -cipher ECDHE-ECDSA-CHACHA20-POLY1305, ECDHE-ECDSA-CHACHA20-POLY1305",
    "open.example, -tls1_3 -groups P-521, alert",
    "open.example, -tls1_3 -groups P-384, secp384r1"
  })
  void aPolicyIsWhatItsNameSays(String name, String options, String expected) throws Exception {
    String[] split = options.split(" ", -1);
    String[] all = new String[split.length + 2];
    all[0] = "-servername";
    all[1] = name;
    System.arraycopy(split, 0, all, 2, split.length);
    String said = OpensslClient.run(edge.tlsPort(), all);
    assertTrue(said.contains(expected), said);
    assertEquals(!expected.equals("alert"), said.contains("HTTP/1.1 "), said);
  }

  @Test
  @Tag("full")
  void s16AHelloOf16MiBIsRefusedFromItsFirstBytes() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), edge.tlsPort())) {
      socket.setSoTimeout(10_000);
      OutputStream out = socket.getOutputStream();
      out.write(new byte[] {0x16, 3, 1, 0, 5, 1, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 3});
      assertTrue(socket.getInputStream().readAllBytes().length < 16, "no more than an alert");
    }
    edge.awaitSum(1, c -> c.tlsFailures);
    edge.awaitSum(1, c -> c.hits(LimitKey.TLS_CLIENT_HELLO));
    edge.awaitSum(0, c -> c.connectionsOpen);
  }

  @Test
  void s16AHelloInPiecesIsNotHeldBeyondItsBound() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), edge.tlsPort())) {
      socket.setSoTimeout(10_000);
      OutputStream out = socket.getOutputStream();
      // It claims 16 KiB, the bound, and comes a byte a record; that is 6 bytes each.
      out.write(new byte[] {0x16, 3, 1, 0, 4, 1, 0, 0x40, 0});
      byte[] record = {0x16, 3, 1, 0, 1, 0};
      for (int i = 0; i < 16_000; i++) {
        out.write(record);
      }
      out.flush();
      assertEquals(0, socket.getInputStream().readAllBytes().length, "the time is over");
    }
    edge.awaitSum(0, c -> c.connectionsOpen);
  }

  @Test
  void s16WhoSaysNothingIsSentAway() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), edge.tlsPort())) {
      socket.setSoTimeout(10_000);
      assertEquals(-1, socket.getInputStream().read());
    }
    edge.awaitSum(0, c -> c.connectionsOpen);
  }

  @Test
  void s10PlainTextBeforeTheHandshakeIsNoRequest() throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), edge.tlsPort())) {
      socket.setSoTimeout(10_000);
      socket
          .getOutputStream()
          .write(
              "GET /a HTTP/1.1\r\nHost: open.example\r\n\r\n"
                  .getBytes(java.nio.charset.StandardCharsets.US_ASCII));
      assertFalse(
          new String(
                  socket.getInputStream().readAllBytes(),
                  java.nio.charset.StandardCharsets.ISO_8859_1)
              .contains("HTTP/"));
    }
    assertEquals(0, heads.size());
  }
}
