package io.forebay.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The files of {@code ops}, where neither Prometheus nor Grafana is available. */
final class OpsFilesTest {
  private static final Path OPS = Path.of("..", "ops");
  private static final Path METRICS = Path.of("..", "docs", "METRICS.md");
  private static final String DATA_SOURCE = "forebay-prometheus";
  private static final int GRID_WIDTH = 24;

  private static final Pattern METRIC =
      Pattern.compile("\\b(forebay:[a-z0-9_:]+|(?:forebay|jvm|process|system)_[a-z0-9_]+)\\b");

  private static final JsonMapper JSON = new JsonMapper();
  private static final YAMLMapper YAML = new YAMLMapper();

  static List<Path> dashboards() throws IOException {
    try (Stream<Path> files = Files.list(OPS.resolve("grafana/dashboards"))) {
      return files.sorted().toList();
    }
  }

  private static JsonNode yaml(String name) throws IOException {
    return YAML.readTree(Files.readString(OPS.resolve(name)));
  }

  private static List<JsonNode> rules(String name) throws IOException {
    List<JsonNode> rules = new ArrayList<>();
    for (JsonNode group : yaml("prometheus/rules/" + name).path("groups")) {
      assertFalse(group.path("name").asString().isBlank());
      group.path("rules").forEach(rules::add);
    }
    return rules;
  }

  @Test
  void thereIsADashboardForEachSubject() throws IOException {
    Set<String> ids = new TreeSet<>();
    for (Path file : dashboards()) {
      ids.add(JSON.readTree(Files.readString(file)).path("uid").asString());
    }
    assertEquals(
        Set.of("forebay-overview", "forebay-store", "forebay-origins", "forebay-video"), ids);
  }

  @ParameterizedTest
  @MethodSource("dashboards")
  void aDashboardHasWhatGrafanaNeeds(Path file) throws IOException {
    JsonNode board = JSON.readTree(Files.readString(file));
    assertFalse(board.path("title").asString("").isBlank());
    assertTrue(board.path("schemaVersion").asInt(0) >= 36);
    assertTrue(board.path("id").isMissingNode(), "Grafana gives the number itself");
    for (JsonNode variable : board.path("templating").path("list")) {
      assertEquals(DATA_SOURCE, variable.path("datasource").path("uid").asString());
    }
    assertTrue(board.path("panels").size() >= 12);
    Set<Integer> ids = new HashSet<>();
    for (JsonNode panel : board.path("panels")) {
      String title = panel.path("title").asString("");
      assertFalse(title.isBlank());
      assertTrue(ids.add(panel.path("id").asInt()), title);
      assertTrue(Set.of("stat", "timeseries").contains(panel.path("type").asString()), title);
      assertEquals("prometheus", panel.path("datasource").path("type").asString(), title);
      assertEquals(DATA_SOURCE, panel.path("datasource").path("uid").asString(), title);
      JsonNode field = panel.path("fieldConfig");
      assertFalse(field.path("defaults").path("unit").asString("").isBlank(), title);
      assertTrue(field.path("overrides").isArray(), title);
      assertTrue(panel.path("options").isObject(), title);
      assertTrue(panel.path("targets").size() >= 1, title);
      Set<String> references = new HashSet<>();
      for (JsonNode target : panel.path("targets")) {
        assertTrue(references.add(target.path("refId").asString()), title);
        assertEquals(DATA_SOURCE, target.path("datasource").path("uid").asString(), title);
        assertFalse(target.path("legendFormat").asString("").isBlank(), title);
        String query = target.path("expr").asString("");
        assertTrue(query.contains("instance=~\"$instance\""), () -> title + ": " + query);
        assertFalse(query.contains("[5m]"), "rates follow the zoom: " + query);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("dashboards")
  void panelsLieOnTheGridAndDoNotOverlap(Path file) throws IOException {
    Set<List<Integer>> cells = new HashSet<>();
    for (JsonNode panel : JSON.readTree(Files.readString(file)).path("panels")) {
      JsonNode place = panel.path("gridPos");
      int x = place.path("x").asInt();
      int y = place.path("y").asInt();
      int right = x + place.path("w").asInt();
      int below = y + place.path("h").asInt();
      String title = panel.path("title").asString();
      assertTrue(x >= 0 && y >= 0 && right > x && below > y && right <= GRID_WIDTH, title);
      for (int column = x; column < right; column++) {
        for (int row = y; row < below; row++) {
          assertTrue(cells.add(List.of(column, row)), () -> title + " lies on another panel");
        }
      }
    }
  }

  /** Every query, of dashboards, rules and alerts. */
  private static List<String> queries() throws IOException {
    List<String> queries = new ArrayList<>();
    for (Path file : dashboards()) {
      JSON.readTree(Files.readString(file))
          .findValues("expr")
          .forEach(query -> queries.add(query.asString()));
    }
    for (String name : List.of("recording.yml", "alerts.yml")) {
      rules(name).forEach(rule -> queries.add(rule.path("expr").asString()));
    }
    return queries;
  }

  @Test
  void queriesUseMetricsThatANodeExports() throws IOException {
    Set<String> known = new TreeSet<>();
    for (MatchResult found :
        Pattern.compile("- `([a-z0-9_]+)` \\((counter|gauge|histogram)\\): (\\S+ \\S+)")
            .matcher(Files.readString(METRICS))
            .results()
            .toList()) {
      if (!found.group(3).equals("Former name")) {
        known.add(found.group(2).equals("histogram") ? found.group(1) + "_bucket" : found.group(1));
      }
    }
    rules("recording.yml").forEach(rule -> known.add(rule.path("record").asString()));
    // Of the Java runtime, by Micrometer.
    known.add("jvm_memory_used_bytes");

    Set<String> used = new TreeSet<>();
    for (String query : queries()) {
      for (MatchResult found : METRIC.matcher(query).results().toList()) {
        used.add(found.group(1));
        assertTrue(known.contains(found.group(1)), () -> found.group(1) + " in " + query);
      }
    }
    assertTrue(used.size() > 70, () -> used.size() + " metrics: " + used);
  }

  @Test
  void everyRecordedMetricIsUsed() throws IOException {
    String all = String.join("\n", queries());
    for (JsonNode rule : rules("recording.yml")) {
      assertTrue(all.contains(rule.path("record").asString()), rule::toString);
    }
  }

  @Test
  void anAlertSaysHowBadItIsAndWhatItMeans() throws IOException {
    Set<String> names = new HashSet<>();
    for (JsonNode alert : rules("alerts.yml")) {
      String name = alert.path("alert").asString();
      assertTrue(names.add(name), name);
      assertTrue(
          Set.of("critical", "warning").contains(alert.path("labels").path("severity").asString()),
          name);
      assertFalse(alert.path("annotations").path("summary").asString("").isBlank(), name);
      assertFalse(alert.path("annotations").path("description").asString("").isBlank(), name);
    }
    assertTrue(names.size() >= 12, names::toString);
  }

  /** What promtool runs in {@code MonitoringIT}. */
  @Test
  void everyAlertHasACaseThatRaisesItAndOneThatDoesNot() throws IOException {
    Set<String> raised = new TreeSet<>();
    Set<String> quiet = new TreeSet<>();
    for (JsonNode test : yaml("prometheus/tests/rules_test.yml").path("tests")) {
      for (JsonNode check : test.path("alert_rule_test")) {
        (check.path("exp_alerts").isEmpty() ? quiet : raised)
            .add(check.path("alertname").asString());
      }
    }
    Set<String> names = new TreeSet<>();
    rules("alerts.yml").forEach(alert -> names.add(alert.path("alert").asString()));
    assertEquals(names, raised);
    assertEquals(names, quiet);
  }

  @Test
  void whatIsProvisionedFitsTheLab() throws Exception {
    ComposeFiles compose = ComposeFiles.read("compose.yaml");
    JsonNode source = yaml("grafana/provisioning/datasources/prometheus.yaml").path("datasources");
    assertEquals(1, source.size());
    assertEquals(DATA_SOURCE, source.get(0).path("uid").asString());
    assertEquals("http://prometheus:9090", source.get(0).path("url").asString());
    assertTrue(compose.services().containsKey("prometheus"));

    String path =
        yaml("grafana/provisioning/dashboards/forebay.yaml")
            .path("providers")
            .get(0)
            .path("options")
            .path("path")
            .asString();
    List<String> mounts = compose.service("grafana").list("volumes");
    assertTrue(mounts.contains("../ops/grafana/dashboards:" + path + ":ro"), mounts::toString);
  }

  @Test
  void everyEdgeOfTheLabIsScraped() throws Exception {
    Set<String> edges = new TreeSet<>();
    ComposeFiles.read("compose.yaml")
        .services()
        .forEach((name, service) -> {
          if (service.isEdge()) {
            edges.add(name);
          }
        });
    JsonNode job = yaml("prometheus/prometheus.yml").path("scrape_configs").get(0);
    Set<String> scraped = new TreeSet<>();
    job.path("dns_sd_configs").get(0).path("names").forEach(name -> scraped.add(name.asString()));
    String first = job.path("static_configs").get(0).path("targets").get(0).asString();
    scraped.add(first.substring(0, first.indexOf(':')));

    assertEquals(edges, scraped);
  }
}
