package io.forebay.server;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.OpensslClient;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A responder that is asked over HTTP, and what clients see of its answer. */
@Timeout(120)
@Tag("full")
final class ServerOcspTest {
  @TempDir Path directory;
  @TempDir Path pki;

  @Test
  void theAnswerOfTheResponderIsStapled() throws Exception {
    Certificates files = Certificates.in(pki);
    AtomicReference<X509Bundle> bundle = new AtomicReference<>();
    HttpServer responder =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    responder.createContext(
        "/ocsp",
        exchange -> {
          try (exchange) {
            byte[] answer =
                files.ocspAnswer(
                    exchange.getRequestBody().readAllBytes(),
                    requireNonNull(bundle.get()),
                    "V",
                    60);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
        });
    responder.start();
    try (TestOrigin origin = new TestOrigin()) {
      String url = "http://127.0.0.1:" + responder.getAddress().getPort() + "/ocsp";
      bundle.set(files.withResponder("a", url, "a.example"));
      String yaml = Edge.origins(origin.url()) + "certificates: {a: {" + files.entry("a") + "}}\n";
      try (Edge edge = Edge.start(directory, "32MiB", yaml)) {
        Await.until(
            "an answer is there",
            () ->
                edge.server().certificates().stream()
                    .anyMatch(certificate -> certificate.stapledUntil() != null));
        String said = OpensslClient.run(edge.tlsPort(), "-servername", "a.example", "-status");
        assertTrue(said.contains("OCSP Response Status: successful"), said);
        assertTrue(said.contains("Cert Status: good"), said);
        said = OpensslClient.run(edge.tlsPort(), "-servername", "other.example", "-status");
        assertTrue(said.contains("OCSP response: no response sent"), said);
      }
    } finally {
      responder.stop(0);
    }
  }
}
