package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * h2spec 2.2.0, all cases including the strict ones, against the jar over plain text with prior
 * knowledge. The program comes from a Maven plugin; nothing else of it is used.
 */
@Tag("full")
final class H2SpecIT {

  private static final String ARCHIVE = "/h2spec/2.2.0/h2spec_linux_amd64.tar.gz";
  private static final int CASES = 146;

  /**
   * What we do otherwise, and why. h2spec was written for RFC 7540; a case that passes after all
   * fails the test, so that its line goes.
   */
  private static final Map<String, String> EXCLUDED =
      Map.of(
          "http2/5.1 half closed (remote): Sends a HEADERS frame",
          """
          A second HEADERS with pseudo-headers is trailers that are malformed, RFC 9113 8.1: reset with
          PROTOCOL_ERROR, where h2spec wants the other thing that is wrong with it, STREAM_CLOSED.
          """,
          "http2/5.1 closed: Sends a HEADERS frame",
          """
          RFC 9113 5.1: an endpoint MAY treat it as a connection error, where RFC 7540 said MUST. The
          stream is reset with STREAM_CLOSED; requests on others go on.
          """);

  @TempDir private Path directory;

  @Test
  void theEdgeDoesWhatH2specAsks() throws Exception {
    Path program = unpack();
    Path report = directory.resolve("report.xml");
    try (PathOrigin origin = PathOrigin.start()) {
      origin.otherwise(
          exchange -> exchange.respond(200, "Cache-Control: max-age=3600\r\n", "x".repeat(5_000)));
      EdgeProcess.Settings settings = EdgeProcess.in(directory.resolve("edge"), origin.url());
      settings
          .config("listen: [{address: \"127.0.0.1:%d\", h2c: yes}]\n".formatted(settings.port()))
          .listeningByFile();
      try (EdgeProcess edge = settings.start()) {
        Commands.Finished run =
            Commands.run(
                Duration.ofMinutes(2),
                List.of(
                    program.toString(),
                    "--strict",
                    "--host",
                    "127.0.0.1",
                    "--port",
                    Integer.toString(edge.port()),
                    "--junit-report",
                    report.toString()));
        assertTrue(edge.isAlive());
        TreeSet<String> failed = new TreeSet<>();
        NodeList cases =
            DocumentBuilderFactory.newDefaultInstance()
                .newDocumentBuilder()
                .parse(report.toFile())
                .getElementsByTagName("testcase");
        for (int i = 0; i < cases.getLength(); i++) {
          Element one = (Element) cases.item(i);
          if (one.getElementsByTagName("failure").getLength() > 0
              || one.getElementsByTagName("error").getLength() > 0) {
            failed.add(one.getAttribute("package") + " " + one.getAttribute("classname"));
          }
        }
        assertEquals(new TreeSet<>(EXCLUDED.keySet()), failed, run.out());
        assertEquals(CASES, cases.getLength());
      }
    }
  }

  private Path unpack() throws Exception {
    Path archive = directory.resolve("h2spec.tar.gz");
    try (InputStream in = H2SpecIT.class.getResourceAsStream(ARCHIVE)) {
      assertNotNull(in, "the plugin's jar is on the test's class path");
      Files.copy(in, archive, StandardCopyOption.REPLACE_EXISTING);
    }
    Commands.run("tar", "xzf", archive.toString(), "-C", directory.toString()).orFail();
    return directory.resolve("h2spec");
  }
}
