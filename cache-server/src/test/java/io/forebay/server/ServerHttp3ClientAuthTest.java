package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Certificates;
import io.forebay.testing.Http3Client;
import io.forebay.testing.RawClient;
import io.netty.pkitesting.X509Bundle;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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

/** Hosts that require client certificates cannot be reached over QUIC. */
@Timeout(120)
@Tag("slow")
final class ServerHttp3ClientAuthTest {
  @TempDir Path directory;
  @TempDir Path pki;
  private final TestOrigin origin = new TestOrigin();
  private Certificates files;
  private X509Bundle alice;
  private Edge edge;

  @BeforeEach
  void start() throws Exception {
    files = Certificates.in(pki);
    files.ecdsa("open", "open.example");
    files.ecdsa("closed", "closed.example");
    files.ecdsa("asking", "asking.example");
    alice = files.client("alice");
    origin.on("/a", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("answer")));
    edge =
        Edge.start(
            directory, "32MiB", listeners() + "http3: {listeners: [open, closed]}\n" + yaml("off"));
  }

  private static String listeners() {
    return """
      - {name: open, address: "127.0.0.1:0", tls: {default: open}}
      - {name: closed, address: "127.0.0.1:0", tls: {default: closed}}
    """;
  }

  /**
   * The listeners' own hosts are those of their names.
   *
   * @param auth what the host of the first listener asks of clients
   */
  private String yaml(String auth) {
    String ca = ", client-ca: \"" + files.authorityPem() + "\", client-auth: ";
    return Edge.origins(origin.url())
        + "certificates:\n  open: {"
        + files.entry("open")
        + ca
        + auth
        + "}\n  closed: {"
        + files.entry("closed")
        + ca
        + "required}\n  asking: {"
        + files.entry("asking")
        + ca
        + "optional}\n";
  }

  @AfterEach
  void stop() throws Exception {
    edge.close();
    origin.close();
  }

  private Http3Client connect(String listener, String name, @Nullable X509Bundle client)
      throws Exception {
    return new Http3Client(
        edge.port(listener),
        name,
        1 << 20,
        builder -> {
          builder.trustManager(files.authority().getCertificate());
          return client == null
              ? builder
              : builder.keyManager(
                  client.getKeyPair().getPrivate(), null, client.getCertificatePath());
        });
  }

  private static String status(Http3Client client, String host) throws Exception {
    return client.open(Http3Client.request("GET", "/a").authority(host), true).status();
  }

  /** Names by listener; of those that nobody has, the listener's own host is asked. */
  private static final List<List<String>> ASKING =
      List.of(
          List.of("open", "closed.example"),
          List.of("open", "asking.example"),
          List.of("closed", "closed.example"),
          List.of("closed", "elsewhere.example"),
          List.of("closed", "127.0.0.1"));

  @Tag("full")
  @Test
  void aHandshakeForAHostThatAsksIsRefused() throws Exception {
    // At the same time: a QUIC client that is refused stays for three probe timeouts.
    try (var each = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> refused = new ArrayList<>();
      for (List<String> one : ASKING) {
        for (boolean hasCertificate : new boolean[] {false, true}) {
          X509Bundle client = hasCertificate ? alice : null;
          refused.add(
              each.submit(() ->
                  assertThrows(
                      ExecutionException.class,
                      () -> connect(one.getFirst(), one.getLast(), client).close(),
                      () -> one + " " + hasCertificate)));
        }
      }
      for (Future<?> one : refused) {
        one.get();
      }
    }
    assertEquals(0, edge.sum(c -> c.http3.established));
    assertEquals(0, origin.count("/a"));
  }

  @ParameterizedTest
  @CsvSource({
    "open, open.example, 200",
    "open, elsewhere.example, 200",
    "open, closed.example, 421",
    "open, asking.example, 421",
    "closed, open.example, 200",
    "closed, elsewhere.example, 421",
    "closed, 127.0.0.1, 421"
  })
  void aConnectionForAnotherHostLeadsToNoneThatAsks(String listener, String host, String status)
      throws Exception {
    try (Http3Client client = connect(listener, "open.example", null)) {
      assertEquals(status, status(client, host));
      assertEquals("200", status(client, "open.example"));
    }
    assertEquals(status.equals("200") ? 2 : 1, origin.count("/a"));
  }

  @Tag("full")
  @Test
  void whatAHostAsksAfterAReloadHoldsForConnectionsThatAreThere() throws Exception {
    try (Http3Client client = connect("open", "open.example", null)) {
      assertEquals("200", status(client, "open.example"));
      assertEquals("200", status(client, "elsewhere.example"));
      // That HTTP/3 is off as well takes a restart, and must not open anything until then.
      edge.configure(listeners() + yaml("required"));
      assertEquals(List.of(), edge.server().reload().errors());
      assertEquals("421", status(client, "open.example"));
      assertEquals("421", status(client, "elsewhere.example"));
    }
    assertThrows(ExecutionException.class, () -> connect("open", "open.example", alice).close());
    assertEquals(2, origin.count("/a"));
  }

  @Test
  void onlyClientsThatMayComeByHttp3AreToldOfIt() throws Exception {
    assertTrue(altSvc("open.example").startsWith("h3=\":" + edge.port("open") + "\""));
    assertEquals("", altSvc("closed.example"));
    assertEquals("", altSvc("asking.example"));
  }

  private String altSvc(String name) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    KeyManager[] keys = alice.toKeyManagerFactory().getKeyManagers();
    context.init(keys, new TrustManager[] {files.authority().toTrustManager()}, null);
    Socket connected = context.getSocketFactory().createSocket("127.0.0.1", edge.port("open"));
    SSLSocket socket = (SSLSocket) connected;
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setServerNames(List.of(new SNIHostName(name)));
    socket.setSSLParameters(parameters);
    try (RawClient client = new RawClient(socket)) {
      RawClient.Response reply =
          client.send("GET /a HTTP/1.1\r\nHost: " + name + "\r\n\r\n").reply();
      assertEquals(200, reply.status());
      return reply.field("alt-svc");
    }
  }
}
