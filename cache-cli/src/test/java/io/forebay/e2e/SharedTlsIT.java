package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.OpensslClient;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Pebble;
import io.forebay.testing.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What nodes of a cluster share of TLS: ticket keys, and answers to ACME validations. */
@Tag("full")
final class SharedTlsIT {
  @TempDir Path directory;
  private PathOrigin origin;
  private int first;
  private int second;

  @BeforeEach
  void start() throws Exception {
    origin = PathOrigin.start();
    origin.otherwise(exchange -> exchange.respond(200, "Cache-Control: max-age=60\r\n", "ok"));
    first = Ports.free();
    second = Ports.free();
  }

  @AfterEach
  void stop() throws Exception {
    origin.close();
  }

  @Test
  void aSessionIsResumedAtAnotherNode() throws Exception {
    Certificates certificates = Certificates.in(Files.createDirectories(directory.resolve("site")));
    var ignored = certificates.ecdsa("site", "s.example");
    String tls =
        """
        tls: {listen: "127.0.0.1:%d", certificate: "%s", key: "%s"}
        """;
    List<String> more =
        List.of(
            tls.formatted(first, certificates.pem("site"), certificates.key("site")),
            tls.formatted(second, certificates.pem("site"), certificates.key("site")));
    try (ClusterEdges cluster = ClusterEdges.start(directory, origin.url(), 1, more)) {
      Path session = directory.resolve("session");
      Await.until(
          "both have the keys",
          () -> {
            String opened =
                OpensslClient.run(
                    first, "-servername", "s.example", "-sess_out", session.toString());
            assertTrue(opened.contains("New, TLSv1.3"), opened);
            return OpensslClient.run(
                    second, "-servername", "s.example", "-sess_in", session.toString())
                .contains("Reused, TLSv1.3");
          });
      // A node that starts later has them, too.
      assertEquals(0, cluster.edge(1).terminate());
      var again = cluster.edge(1).restart();
      Await.until(
          "it resumes what was opened before its start",
          () ->
              OpensslClient.run(second, "-servername", "s.example", "-sess_in", session.toString())
                  .contains("Reused, TLSv1.3"));
      assertTrue(again.isAlive());
    }
  }

  /** The authority reaches the other node alone: it validates where that one listens. */
  @Test
  void aValidationIsAnsweredByAnotherNodeThanTheOneThatAskedForIt() throws Exception {
    if (!Pebble.isInstalled()) {
      String why = "pebble is missing: .ci/run builds it into .tools";
      if ("true".equals(System.getenv("CI"))) {
        Assertions.fail(why);
      }
      Assumptions.abort(why);
    }
    try (ClusterEdges cluster = ClusterEdges.start(directory, origin.url(), 1, 1);
        Pebble authority =
            Pebble.start(
                directory.resolve("pebble"), cluster.edge(0).port(), Ports.free(), 0, "")) {
      String acme =
          """
          tls:
            listen: "127.0.0.1:%d"
            acme:
              hosts: [www.shop.example]
              directory: %s
              ca-file: %s
              agree-to-terms: true
              challenges: http-01
          """
              .formatted(first, authority.directory(), authority.tlsRoot());
      Path root = Files.writeString(directory.resolve("root.pem"), authority.root());
      try (EdgeProcess ordering = cluster.settings("edge-1", "edge-1", acme).start()) {
        Await.until(
            "a certificate",
            () ->
                Curl.get(
                            "https://www.shop.example:" + first + "/",
                            "--cacert",
                            root.toString(),
                            "--resolve",
                            "www.shop.example:" + first + ":127.0.0.1")
                        .exit()
                    == 0);
        assertEquals(1, authority.orders());
        assertEquals(1, ordering.metrics().sum("forebay_acme_certificates_total"));
        assertEquals(0, ordering.metrics().sum("forebay_acme_failures_total"));
      }
    }
  }
}
