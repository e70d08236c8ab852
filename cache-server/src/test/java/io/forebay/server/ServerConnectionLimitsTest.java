package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.counters.LimitKey;
import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.Http3Client;
import io.forebay.testing.RawClient;
import io.netty.handler.codec.http3.Http3ErrorCode;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
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

/** Limits of connections by the name that clients ask for, and by the certificate they show. */
@Timeout(240)
@Tag("slow")
final class ServerConnectionLimitsTest {
  @TempDir Path directory;
  @TempDir Path pki;
  private final TestOrigin origin = new TestOrigin();
  private Certificates files;
  private @Nullable Edge edge;

  @BeforeEach
  void makeCertificates() throws Exception {
    files = Certificates.in(pki);
    files.ecdsa("one", "one.example");
    files.ecdsa("two", "two.example");
    origin.on("/a", TestOrigin.ok("cache-control: no-store\r\n", TestOrigin.ascii("a")));
  }

  private void start(String limits) throws IOException {
    String auth = ", client-ca: \"" + files.authorityPem() + "\", client-auth: optional";
    edge =
        Edge.start(
            directory,
            "32MiB",
            "  - {name: quic, address: \"127.0.0.1:0\", tls: {default: two}}\n"
                + Edge.origins(origin.url())
                + "http3: {listeners: [quic]}\n"
                + limits
                + "certificates:\n  one: {"
                + files.entry("one")
                + auth
                + "}\n  two: {"
                + files.entry("two")
                + "}\n");
  }

  @AfterEach
  void stop() throws IOException {
    edge().close();
    origin.close();
  }

  private Edge edge() {
    return requireNonNull(edge);
  }

  private RawClient connect(String serverName, @Nullable X509Bundle client) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    KeyManager[] keys = client == null ? null : client.toKeyManagerFactory().getKeyManagers();
    context.init(keys, new TrustManager[] {files.authority().toTrustManager()}, null);
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", edge().tlsPort());
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setServerNames(List.of(new SNIHostName(serverName)));
    socket.setSSLParameters(parameters);
    return new RawClient(socket);
  }

  private Http3Client connectQuic() throws Exception {
    return new Http3Client(
        edge().port("quic"),
        "two.example",
        1 << 20,
        builder -> builder.trustManager(files.authorityPem().toFile()));
  }

  /** Whether a new connection is served. */
  private boolean isServed(RawClient client, String host) {
    try {
      client.send("GET /a HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
      return client.reply().status() == 200;
    } catch (IOException | RuntimeException e) {
      return false;
    }
  }

  private void awaitServed(String name, @Nullable X509Bundle certificate) {
    Await.until(
        "the place is free again",
        () -> {
          try (RawClient client = connect(name, certificate)) {
            return isServed(client, name);
          }
        });
  }

  private long hits(LimitKey limit) {
    return edge().sum(counters -> counters.hits(limit));
  }

  @Test
  void aNameHasNoMoreConnectionsThanItMay() throws Exception {
    start("limits: {connections-per-server-name: 1}\n");
    try (RawClient first = connect("one.example", null);
        RawClient other = connect("two.example", null)) {
      assertTrue(isServed(first, "one.example"));
      try (RawClient second = connect("ONE.example", null)) {
        assertFalse(isServed(second, "one.example"));
      }
      assertTrue(isServed(other, "two.example"));
      assertTrue(isServed(first, "one.example"));
    }
    assertEquals(1, hits(LimitKey.CONNECTIONS_PER_SERVER_NAME));
    awaitServed("one.example", null);
  }

  @Test
  void overQuicToo() throws Exception {
    start("limits: {connections-per-server-name: 1}\n");
    try (Http3Client first = connectQuic()) {
      assertEquals("200", first.get("/a").status());
      try (Http3Client second = connectQuic()) {
        assertEquals(Http3ErrorCode.H3_EXCESSIVE_LOAD.code(), second.closed());
      }
      assertEquals("200", first.get("/a").status());
    }
    assertEquals(1, hits(LimitKey.CONNECTIONS_PER_SERVER_NAME));
  }

  @Test
  void aCertificateHasNoMoreConnectionsThanItMay() throws Exception {
    start("limits: {connections-per-certificate: 1}\n");
    X509Bundle alice = files.client("alice");
    X509Bundle bob = files.client("bob");
    try (RawClient first = connect("one.example", alice);
        RawClient other = connect("one.example", bob);
        RawClient nobody = connect("one.example", null);
        RawClient none = connect("one.example", null)) {
      assertTrue(isServed(first, "one.example"));
      try (RawClient second = connect("one.example", alice)) {
        assertFalse(isServed(second, "one.example"));
      }
      assertTrue(isServed(other, "one.example"));
      assertTrue(isServed(nobody, "one.example"));
      assertTrue(isServed(none, "one.example"));
    }
    assertEquals(1, hits(LimitKey.CONNECTIONS_PER_CERTIFICATE));
    awaitServed("one.example", alice);
  }
}
