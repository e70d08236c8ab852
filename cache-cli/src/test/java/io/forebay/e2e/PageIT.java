package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A page with fifty assets, fetched over each protocol by foreign clients. Each fetches it twice:
 * from the origin, and then from the store. Every byte is compared, and the protocol is asserted.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("full")
final class PageIT {

  private static final String HOST = "edge.test";
  private static final int ASSETS = 50;

  /** Around the sizes of records, frames, chunks and slices; the other assets are in between. */
  private static final int[] EDGES = {
    0, 1, 2, 1_023, 4_096, 16_383, 16_384, 16_385, 32_767, 32_768, 32_769, 65_535, 65_536, 131_071,
    131_072, 131_073, 1_048_575, 1_048_576, 1_048_577, 2_500_000
  };

  @TempDir static Path directory;

  private final List<Tree.Entry> files = new ArrayList<>();
  private NginxOrigin origin;
  private PathOrigin reports;
  private EdgeProcess edge;
  private Path certificate;
  private int port;

  @BeforeAll
  void start() throws Exception {
    certificate = directory.resolve("cert.pem");
    Path key = directory.resolve("key.pem");
    Tools.selfSigned(certificate, key, HOST, "DNS:" + HOST + ",IP:127.0.0.1");
    // Each client has the page under a name of its own, and so fetches it from the origin first.
    origin =
        NginxOrigin.start(
            directory.resolve("nginx"),
            """
            types { text/html html; }
            rewrite ^/by-[a-z0-9-]+/(.*)$ /$1 break;
            add_header Cache-Control 'public, max-age=3600';
            """);
    reports = PathOrigin.start();
    reports.on("/report", exchange -> exchange.respond(204, "Cache-Control: no-store\r\n", ""));
    writePage(origin.tree(50));
    port = Ports.free();
    EdgeProcess.Settings settings =
        EdgeProcess.in(directory.resolve("edge"))
            .memory("256MiB")
            .config(
                """
                listen:
                  - name: front
                    address: "127.0.0.1:%d"
                    tls: {certificate: %s, key: %s}
                http3: {listeners: [front]}
                origins:
                  files: %s
                  reports: %s
                routes:
                  - match: {path: /report}
                    origin: reports
                  - origin: files
                """
                    .formatted(port, certificate, key, origin.url(), reports.url()))
            .listeningByFile();
    edge = settings.start();
  }

  @AfterAll
  void stop() {
    Tools.close(edge, reports, origin);
  }

  private void writePage(Tree tree) throws IOException {
    SplittableRandom random = new SplittableRandom(50);
    for (int i = 0; i < ASSETS; i++) {
      files.add(tree.write("/a/" + i, i < EDGES.length ? EDGES[i] : 200 + random.nextInt(150_000)));
    }
    String images =
        IntStream.range(0, ASSETS)
            .mapToObj(i -> "<img src=\"a/" + i + "\">")
            .collect(Collectors.joining("\n"));
    files.addFirst(
        tree.write(
            "/index.html",
            """
            <!doctype html><meta charset="utf-8"><title>Fifty</title><link rel="icon" href="data:,">
            %s
            <script>
            const hex = bytes => [...new Uint8Array(bytes)].map(b => b.toString(16).padStart(2, "0")).join("");
            const fetched = async name => {
              const response = await fetch(name, {cache: "no-store"});
              const body = await response.arrayBuffer();
              return hex(await crypto.subtle.digest("SHA-256", body));
            };
            addEventListener("load", async () => {
              const names = ["index.html", ...[...document.images].map(image => image.getAttribute("src"))];
              const digests = await Promise.all(names.map(fetched));
              const entries = ["navigation", "resource"].flatMap(type => performance.getEntriesByType(type));
              const protocols = new Set(entries.map(entry => entry.nextHopProtocol));
              const lines = ["entries " + entries.length, ...protocols, ...digests];
              fetch("/report", {method: "POST", body: lines.join("\\n")});
            });
            </script>
            """
                .formatted(images)
                .getBytes(StandardCharsets.UTF_8)));
  }

  private List<String> digests() {
    return files.stream().map(Tree.Entry::sha256).toList();
  }

  /** What the origin was asked for of the page since it had been asked for so much. */
  private List<String> askedSince(int before) throws Exception {
    List<NginxOrigin.Logged> asked = origin.requests();
    return asked.subList(before, asked.size()).stream()
        .map(NginxOrigin.Logged::uri)
        .sorted()
        .toList();
  }

  private List<String> paths() {
    return files.stream().map(Tree.Entry::path).sorted().toList();
  }

  // ---- curl

  /** Its options for each protocol that it knows; of HTTP/3 it depends on how curl was built. */
  static List<String> protocolsOfCurl() throws Exception {
    String version = Commands.run(Tools.require("curl").toString(), "--version").orFail().out();
    if (version.contains("HTTP3")) {
      return List.of("--http1.1", "--http2", "--http3-only");
    }
    System.out.println("this curl has no HTTP/3: " + version.lines().findFirst().orElse(""));
    return List.of("--http1.1", "--http2");
  }

  @ParameterizedTest
  @MethodSource("protocolsOfCurl")
  void curlFetchesThePage(String protocol) throws Exception {
    String client = "/by-curl-" + protocol.replaceAll("[^0-9]", "");
    String version = protocol.replaceAll("[^0-9.]", "");
    int before = origin.requests().size();
    curl(client, protocol, version);
    assertEquals(paths(), askedSince(before), "each was fetched once");
    List<String> statuses = curl(client, protocol, version);
    assertTrue(statuses.stream().allMatch(status -> status.contains("; hit")), statuses::toString);
    assertEquals(paths(), askedSince(before), "and stored");
  }

  /** One run of curl for the whole page; the Cache-Status of each answer. */
  private List<String> curl(String client, String protocol, String version) throws Exception {
    Path bodies = Files.createTempDirectory(directory, "curl");
    List<String> command =
        new ArrayList<>(
            List.of(
                Tools.require("curl").toString(),
                "--silent",
                "--show-error",
                "--fail",
                "--noproxy",
                "*",
                "--max-time",
                "50",
                "--parallel",
                "--parallel-max",
                // One connection for all, or as many as a browser would have.
                version.equals("1.1") ? "6" : "60",
                "--cacert",
                certificate.toString(),
                "--resolve",
                HOST + ":" + port + ":127.0.0.1",
                protocol,
                "--write-out",
                "%{http_code} %{http_version} %{num_connects} %header{cache-status}\\n"));
    for (int i = 0; i < files.size(); i++) {
      command.addAll(
          List.of(
              "--output",
              bodies.resolve(Integer.toString(i)).toString(),
              "https://" + HOST + ":" + port + client + files.get(i).path()));
    }
    Commands.Finished run = Commands.run(Duration.ofSeconds(60), command).orFail();
    assertSame(bodies);
    List<String[]> said = run.out().lines().map(line -> line.split(" ", 4)).toList();
    assertEquals(files.size(), said.size(), run.out());
    int connects = 0;
    for (String[] words : said) {
      assertEquals("200", words[0]);
      assertEquals(version, words[1]);
      connects += Integer.parseInt(words[2]);
    }
    int most = version.equals("1.1") ? 6 : 1;
    assertTrue(connects >= 1 && connects <= most, connects + " connections");
    return said.stream().map(words -> words[3]).toList();
  }

  private void assertSame(Path bodies) throws IOException {
    for (int i = 0; i < files.size(); i++) {
      assertEquals(
          files.get(i).sha256(),
          Curl.sha256(bodies.resolve(Integer.toString(i))),
          files.get(i).path());
    }
  }

  // ---- nghttp

  @Test
  void nghttpFetchesThePageWithItsAssets() throws Exception {
    int before = origin.requests().size();
    for (int run = 0; run < 2; run++) {
      Commands.Finished finished =
          Commands.run(
                  Duration.ofSeconds(60),
                  List.of(
                      Tools.require("nghttp").toString(),
                      "--get-assets",
                      "--null-out",
                      "--hexdump",
                      "--timeout=50",
                      "--header=accept-encoding: identity",
                      "https://127.0.0.1:" + port + "/by-nghttp/index.html"))
              .orFail();
      List<String> expected = new ArrayList<>(digests());
      // A stream without DATA has no body, and an empty one may go without.
      expected.remove(Curl.sha256(new byte[0]));
      List<String> received = new ArrayList<>(Http2Dump.digests(finished.out()));
      received.remove(Curl.sha256(new byte[0]));
      assertEquals(expected, received, finished::err);
    }
    assertEquals(paths(), askedSince(before), "each was fetched once");
  }

  // ---- HTTP/3 by aioquic

  @Test
  void aioquicFetchesThePage() throws Exception {
    Path python = Tools.requireAioquic();
    Path script = directory.resolve("h3_page.py");
    try (InputStream in = PageIT.class.getResourceAsStream("/h3_page.py")) {
      Files.write(script, Objects.requireNonNull(in).readAllBytes());
    }
    int before = origin.requests().size();
    for (int run = 0; run < 2; run++) {
      Path bodies = Files.createTempDirectory(directory, "aioquic");
      List<String> command =
          new ArrayList<>(
              List.of(
                  python.toString(),
                  script.toString(),
                  "127.0.0.1",
                  Integer.toString(port),
                  HOST,
                  certificate.toString(),
                  bodies.toString()));
      files.forEach(file -> command.add("/by-aioquic" + file.path()));
      Commands.Finished finished = Commands.run(Duration.ofSeconds(80), command).orFail();
      assertSame(bodies);
      List<String> said = finished.out().lines().toList();
      assertEquals(files.size(), said.size(), finished.out());
      for (String line : said) {
        assertTrue(line.matches("[0-9]+ 200 .*"), line);
        assertTrue(run == 0 || line.contains("; hit"), line);
      }
    }
    assertEquals(paths(), askedSince(before), "each was fetched once");
  }

  // ---- the browser

  @ParameterizedTest
  @CsvSource({
    "http/1.1, --disable-http2 --disable-quic",
    "h2, --disable-quic",
    "h3, --origin-to-force-quic-on=" + HOST + ":%d"
  })
  void chromiumFetchesThePage(String protocol, String options) throws Exception {
    X509Certificate trusted;
    try (InputStream in = Files.newInputStream(certificate)) {
      trusted = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
    int before = origin.requests().size();
    String client = "/by-chromium-" + protocol.replaceAll("[^a-z0-9]", "");
    String url = "https://" + HOST + ":" + port + client + "/index.html";
    for (int run = 0; run < 2; run++) {
      int reported = reports.count("/report");
      try (Chromium browser =
          Chromium.open(
              Files.createTempDirectory(directory, "chromium"),
              url,
              HOST,
              trusted,
              List.of(options.formatted(port).split(" ")))) {
        Await.until(
            "the page has reported",
            () -> {
              browser.assertRunning();
              return reports.count("/report") > reported;
            });
      }
      List<String> report =
          new String(reports.requests("/report").getLast().body(), StandardCharsets.UTF_8)
              .lines()
              .toList();
      // The page and its fifty images, and all of that once more by the script.
      assertEquals("entries " + (2 * files.size()), report.getFirst());
      assertEquals(protocol, report.get(1), "the one protocol of all of them");
      assertEquals(digests(), report.subList(2, report.size()));
    }
    // A browser asks for one thing over several connections at once, and what two loops meet in a
    // busy
    // index is passed rather than waited for: so once, but for a few.
    List<String> asked = askedSince(before);
    assertEquals(Set.copyOf(paths()), Set.copyOf(asked));
    assertTrue(asked.size() <= paths().size() + 3, () -> "fetched more than once: " + asked);
  }
}
