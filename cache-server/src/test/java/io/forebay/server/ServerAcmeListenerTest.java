package io.forebay.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.OpensslClient;
import io.forebay.testing.Ports;
import io.forebay.testing.RawClient;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node whose authority is down, with a listener that has no certificate of its own. */
@Timeout(120)
final class ServerAcmeListenerTest {
  @TempDir Path directory;
  private final TestOrigin origin = new TestOrigin();
  private Edge edge;

  @BeforeEach
  void start() throws Exception {
    origin.on("/s", TestOrigin.ok("cache-control: max-age=60\r\n", TestOrigin.ascii("stored")));
    edge =
        Edge.start(
            directory,
            "32MiB",
            """
              - {name: auto, address: "127.0.0.1:0", tls: {acme: true}}
            http3: {listeners: [auto]}
            tls:
              acme:
                hosts: [www.shop.example]
                directory: "http://127.0.0.1:PORT/dir"
                agree-to-terms: true
            """
                    .replace("PORT", String.valueOf(Ports.free()))
                + Edge.origins(origin.url()));
  }

  @AfterEach
  void stop() throws Exception {
    edge.close();
    origin.close();
  }

  @Test
  void aNameWithoutACertificateFailsItsHandshakeAndNothingElse() throws Exception {
    String refused = OpensslClient.run(edge.port("auto"), "-servername", "www.shop.example");
    assertTrue(refused.contains("unrecognized name"), refused);
    assertTrue(OpensslClient.run(edge.port("auto"), "-noservername").contains("unrecognized name"));
    assertTrue(
        OpensslClient.run(edge.tlsPort(), "-servername", "www.shop.example").contains("stored"));
    assertEquals("stored", RawClient.get(edge.port(), "/s").text());
    Await.until("the authority was tried", () -> edge.server().acme().summary().failing() == 1);
    assertEquals(0, edge.server().acme().summary().withCertificate());
  }

  @Test
  void aValidationThatNobodyExpectsIsRefused() throws Exception {
    String refused =
        OpensslClient.run(edge.tlsPort(), "-servername", "www.shop.example", "-alpn", "acme-tls/1");
    assertTrue(refused.contains("unrecognized name"), refused);
    // Who offers more is no validation (RFC 8737 §3).
    assertTrue(
        OpensslClient.run(
                edge.tlsPort(), "-servername", "www.shop.example", "-alpn", "acme-tls/1,http/1.1")
            .contains("stored"));
  }
}
