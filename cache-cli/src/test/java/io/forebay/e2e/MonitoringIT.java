package io.forebay.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import java.io.File;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The files of {@code ops} in the programs that they are for: promtool checks and runs the rules,
 * and a real Prometheus runs every query of the dashboards against a node under load. Grafana is
 * not there.
 */
@Tag("full")
final class MonitoringIT {
  private static final Path OPS = Path.of("..", "ops").toAbsolutePath().normalize();
  private static final JsonMapper JSON = new JsonMapper();
  private static final int OBJECTS = 400;

  @TempDir Path directory;

  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void rulesDoWhatTheirCasesSay() throws Exception {
    String promtool = Tools.require("promtool").toString();
    Path files = OPS.resolve("prometheus");

    Commands.run(
            promtool,
            "check",
            "rules",
            files.resolve("rules/recording.yml").toString(),
            files.resolve("rules/alerts.yml").toString())
        .orFail();
    Commands.run(
            promtool,
            "check",
            "config",
            "--syntax-only",
            files.resolve("prometheus.yml").toString())
        .orFail();
    Commands.run(promtool, "test", "rules", files.resolve("tests/rules_test.yml").toString())
        .orFail();
  }

  /** So that the test above can fail: a threshold that nothing reaches. */
  @Test
  void aRuleThatDoesNotDoWhatItsCaseSaysIsNoticed() throws Exception {
    String promtool = Tools.require("promtool").toString();
    for (String name : List.of("rules/recording.yml", "rules/alerts.yml", "tests/rules_test.yml")) {
      Path copy = directory.resolve(name);
      Files.createDirectories(copy.getParent());
      Files.writeString(
          copy,
          Files.readString(OPS.resolve("prometheus").resolve(name))
              .replace("origin_error_ratio:rate5m > 0.1", "origin_error_ratio:rate5m > 0.9"));
    }

    assertEquals(
        1,
        Commands.run(
                promtool, "test", "rules", directory.resolve("tests/rules_test.yml").toString())
            .exit());
  }

  @Test
  void everyQueryOfTheDashboardsHasSamplesOfANodeUnderLoad() throws Exception {
    String program = Tools.require("prometheus").toString();
    Map<String, String> queries = queries();
    assertTrue(queries.size() > 80, () -> queries.size() + " queries");
    try (PathOrigin origin = PathOrigin.start();
        EdgeProcess edge = edge(origin);
        Load load = new Load(edge)) {
      Path data = directory.resolve("prometheus");
      int port = Ports.free();
      Process prometheus =
          new ProcessBuilder(
                  program,
                  "--config.file=" + scrapeConfig(edge),
                  "--storage.tsdb.path=" + data,
                  "--web.listen-address=127.0.0.1:" + port)
              .redirectErrorStream(true)
              .redirectInput(new File("/dev/null"))
              .redirectOutput(directory.resolve("prometheus.log").toFile())
              .start();
      try {
        Map<String, String> missing = new TreeMap<>(queries);
        try {
          Await.until(
              "samples of every query",
              () -> {
                for (Map.Entry<String, String> query : queries.entrySet()) {
                  if (missing.containsKey(query.getKey())
                      && !samples(port, query.getValue()).isEmpty()) {
                    missing.remove(query.getKey());
                  }
                }
                return missing.isEmpty();
              });
        } catch (AssertionError late) {
          throw new AssertionError("no samples of " + missing, late);
        }
        assertRulesAreWell(port);
        load.assertWell();
      } finally {
        prometheus.destroy();
        prometheus.waitFor();
      }
    }
  }

  /** With a disk, TLS, probes, and a route of live channels: all that dashboards look at. */
  private EdgeProcess edge(PathOrigin origin) throws Exception {
    byte[] body = new byte[100_000];
    new SplittableRandom(1).nextBytes(body);
    origin.otherwise(exchange -> exchange.respond(200, "Cache-Control: max-age=2\r\n", body));
    Path certificate = directory.resolve("cert.pem");
    Path key = directory.resolve("key.pem");
    Tools.selfSigned(certificate, key, "edge.test", "DNS:edge.test");
    EdgeProcess.Settings settings =
        EdgeProcess.in(directory.resolve("edge")).memory("16MiB").listeningByFile();
    return settings
        .config(
            """
            listen:
              - {name: plain, address: "127.0.0.1:%d"}
              - name: secure
                address: "127.0.0.1:%d"
                tls: {certificate: %s, key: %s}
            stores: {ssd: {path: %s, size: 64MiB}}
            origins: {site: {servers: [%s], probe: {type: http, interval: 1s}}}
            routes:
              - {name: live, match: {path: /live/}, origin: site, media: live, cmcd: on, prefetch: on}
              - {name: site, origin: site}
            """
                .formatted(
                    settings.port(),
                    Ports.free(),
                    certificate,
                    key,
                    directory.resolve("disk"),
                    origin.url()))
        .start();
  }

  private Path scrapeConfig(EdgeProcess edge) throws Exception {
    return Files.writeString(
        directory.resolve("prometheus.yml"),
        """
        global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
        rule_files: [%s/prometheus/rules/*.yml]
        scrape_configs:
          - job_name: forebay
            static_configs: [{targets: ["127.0.0.1:%d"], labels: {instance: edge}}]
        """
            .formatted(OPS, edge.adminPort()));
  }

  /** By dashboard, panel and letter. */
  private static Map<String, String> queries() throws Exception {
    Map<String, String> queries = new LinkedHashMap<>();
    try (Stream<Path> files = Files.list(OPS.resolve("grafana/dashboards"))) {
      for (Path file : files.sorted().toList()) {
        JsonNode board = JSON.readTree(Files.readString(file));
        for (JsonNode panel : board.path("panels")) {
          for (JsonNode target : panel.path("targets")) {
            queries.put(
                board.path("uid").asString()
                    + ": "
                    + panel.path("title").asString()
                    + " "
                    + target.path("refId").asString(),
                target
                    .path("expr")
                    .asString()
                    .replace("$instance", ".*")
                    .replace("$__rate_interval", "30s"));
          }
        }
      }
    }
    return queries;
  }

  private JsonNode api(int port, String path) throws Exception {
    HttpResponse<String> response =
        http.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/v1/" + path))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    // What is no query stays none: no use in waiting.
    if (response.statusCode() == 400) {
      throw new AssertionError(path + ": " + response.body());
    }
    return JSON.readTree(response.body()).path("data");
  }

  private JsonNode samples(int port, String query) throws Exception {
    return api(port, "query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8))
        .path("result");
  }

  private void assertRulesAreWell(int port) throws Exception {
    int rules = 0;
    for (JsonNode group : api(port, "rules").path("groups")) {
      for (JsonNode rule : group.path("rules")) {
        assertEquals("ok", rule.path("health").asString(), rule::toString);
        rules++;
      }
    }
    assertTrue(rules >= 20, rules + " rules");
  }

  /** Clients of few and of many objects, and players, until it is closed. */
  private static final class Load implements AutoCloseable {
    private final EdgeProcess edge;
    private final Thread thread;
    private volatile boolean isOver;
    private volatile @Nullable Exception failure;

    private Load(EdgeProcess edge) {
      this.edge = edge;
      this.thread = Thread.ofPlatform().daemon().start(this::run);
    }

    private void run() {
      SplittableRandom random = new SplittableRandom(1);
      try {
        while (!isOver) {
          edge.get("/object/" + Math.min(random.nextInt(OBJECTS), random.nextInt(OBJECTS)));
          edge.get(
              "/live/channel/segment-"
                  + System.nanoTime() / 1_000_000_000
                  + ".m4s?CMCD=bl%3D2000%2Cbs%2Cmtp%3D25400%2Csu");
        }
      } catch (Exception e) {
        failure = e;
      }
    }

    private void assertWell() {
      if (failure != null) {
        throw new AssertionError("a client failed", failure);
      }
    }

    @Override
    public void close() throws InterruptedException {
      isOver = true;
      thread.join();
    }
  }
}
