package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Certificates;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.OpensslClient;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Pebble;
import io.forebay.testing.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  @Test
  void aSessionOverHttp3IsResumedAtAnotherNodeAndAfterARestart() throws Exception {
    Path python = Tools.requireAioquic();
    Path script = Tools.resource("/h3_resume.py", directory.resolve("h3_resume.py"));
    Certificates certificates = Certificates.in(Files.createDirectories(directory.resolve("site")));
    var ignored = certificates.ecdsa("site", "s.example");
    String tls =
        """
        tls: {listen: "127.0.0.1:%d", certificate: "%s", key: "%s"}
        http3: {listeners: [https]}
        """;
    List<String> more =
        List.of(
            tls.formatted(first, certificates.pem("site"), certificates.key("site")),
            tls.formatted(second, certificates.pem("site"), certificates.key("site")));
    try (ClusterEdges cluster = ClusterEdges.start(directory, origin.url(), 1, more)) {
      Await.until(
          "both have the keys",
          () -> sessions(python, script, certificates).equals(List.of("full", "resumed")));
      assertEquals(0, cluster.edge(1).terminate());
      var again = cluster.edge(1).restart();
      Await.until(
          "it has them again",
          () -> sessions(python, script, certificates).equals(List.of("full", "resumed")));
      assertTrue(again.isAlive());
    }
  }

  /** One at the first node, and one at the second with its ticket. */
  private List<String> sessions(Path python, Path script, Certificates certificates)
      throws Exception {
    return Commands.run(
            Duration.ofSeconds(60),
            List.of(
                python.toString(),
                script.toString(),
                "s.example",
                certificates.authorityPem().toString(),
                Integer.toString(first),
                Integer.toString(second)))
        .orFail()
        .out()
        .lines()
        .toList();
  }

  /** The authority reaches the other node alone: it validates where that one listens. */
  @ParameterizedTest
  @ValueSource(strings = {"http-01", "tls-alpn-01"})
  void aValidationIsAnsweredByAnotherNodeThanTheOneThatAskedForIt(String challenge)
      throws Exception {
    if (!Pebble.isInstalled()) {
      String why = "pebble is missing: .ci/run builds it into .tools";
      if ("true".equals(System.getenv("CI"))) {
        Assertions.fail(why);
      }
      Assumptions.abort(why);
    }
    Certificates certificates = Certificates.in(Files.createDirectories(directory.resolve("site")));
    var ignored = certificates.ecdsa("site", "s.example");
    String tls =
        """
        tls: {listen: "127.0.0.1:%d", certificate: "%s", key: "%s"}
        """
            .formatted(second, certificates.pem("site"), certificates.key("site"));
    try (ClusterEdges cluster = ClusterEdges.start(directory, origin.url(), 1, List.of(tls));
        Pebble authority =
            Pebble.start(directory.resolve("pebble"), cluster.edge(0).port(), second, 0, "")) {
      String acme =
          """
          tls:
            listen: "127.0.0.1:%d"
            acme:
              hosts: [www.shop.example]
              directory: %s
              ca-file: %s
              agree-to-terms: true
              challenges: %s
          """
              .formatted(first, authority.directory(), authority.tlsRoot(), challenge);
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
        assertEquals(0, ordering.metrics().sum("forebay_acme_unconfirmed_validations_total"));
      }
    }
  }
}
