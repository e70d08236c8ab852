package io.forebay.server.metric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.accesslog.AccessLog;
import io.forebay.server.admin.FakeNode;
import io.forebay.server.cluster.ClusterFigures;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.counters.LoopCounters.CacheResult;
import io.forebay.server.counters.Protocol;
import io.forebay.server.counters.ServedCounters;
import io.forebay.server.drive.DriveHealth;
import io.forebay.server.plugin.PluginJars;
import io.forebay.server.tls.CertificateStatus;
import io.forebay.storage.disk.DiskStats;
import io.forebay.storage.disk.EvacuationStats;
import io.forebay.storage.disk.ScrubStats;
import io.forebay.storage.endurance.EnduranceLimits;
import io.forebay.storage.endurance.EnduranceStats;
import io.forebay.storage.endurance.WriteBudget;
import io.forebay.storage.placement.StorageClassStats;
import io.forebay.testing.Directories;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code docs/METRICS.md} is generated from a scrape, so it lists what a node exports. */
final class MetricsReferenceTest {
  /** Surefire runs tests in the module's directory. */
  static final Path DOCUMENT = Path.of("..", "docs", "METRICS.md");

  private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"([^\"]*)\"");

  /** Labels whose values depend on the node. */
  private static final Map<String, String> OPEN_LABELS =
      Map.ofEntries(
          Map.entry("loop", "number of the event loop, from 0"),
          Map.entry("store", "name of the disk under `stores`"),
          Map.entry("version", "version of Forebay"),
          Map.entry("java", "version of Java"),
          Map.entry("certificate", "name of the certificate"),
          Map.entry("kind", "algorithm of the certificate's key"),
          Map.entry("route", "name of the route; `none` for requests that no route serves"),
          Map.entry("origin", "name of the origin"),
          Map.entry("plugin", "name of the plugin"),
          Map.entry("listener", "name of the listener"),
          Map.entry("status_class", "class of the status, `1xx` to `5xx`; `none` if none was sent"),
          Map.entry("size", "multiple of the present size"));

  @Test
  void theDocumentIsUpToDate() throws IOException {
    String expected = markdown();
    if (Boolean.getBoolean("forebay.docs.write")) {
      Files.writeString(DOCUMENT, expected);
    }
    assertEquals(
        expected,
        Files.readString(DOCUMENT),
        "docs/METRICS.md is stale; `./dev docs` writes it again");
  }

  @Test
  void everyMetricNamedInTheSourcesIsDocumented() throws IOException {
    Pattern name = Pattern.compile("\"(forebay_[a-z0-9_]*[a-z0-9])\"");
    String document = markdown();
    Path sources = Path.of("src", "main", "java", "io", "forebay", "server", "metric");
    int found = 0;
    try (var files = Files.list(sources)) {
      for (Path file : files.sorted().toList()) {
        Matcher matcher = name.matcher(Files.readString(file));
        while (matcher.find()) {
          found++;
          String metric = matcher.group(1);
          assertTrue(
              Pattern.compile("`" + metric + "(_total|_info)?` ").matcher(document).find(), metric);
        }
      }
    }
    assertTrue(found > 80, "names found: " + found);
  }

  private static String markdown() throws IOException {
    AccessLog log = AccessLog.start(null, 0, 0);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NodeMetrics metrics = new NodeMetrics(node(), log, () -> 0, "1")) {
      metrics.scrape(out, NodeMetrics.TEXT);
    } finally {
      log.close();
    }
    Map<String, Family> families = new TreeMap<>();
    Family family = new Family("", "");
    for (String line : (Iterable<String>) out.toString(StandardCharsets.UTF_8).lines()::iterator) {
      String[] words = line.split(" ", 4);
      if (line.startsWith("# HELP ")) {
        family = new Family(words[2], words[3]);
        if (words[2].startsWith("forebay_")) {
          families.put(words[2], family);
        }
      } else if (line.startsWith("# TYPE ")) {
        family.type = words[3];
      } else {
        Matcher label = LABEL.matcher(line);
        while (label.find()) {
          if (!label.group(1).equals("le")) {
            family
                .labels
                .computeIfAbsent(label.group(1), name -> new TreeSet<>())
                .add(label.group(2));
          }
        }
      }
    }
    StringBuilder text = new StringBuilder(INTRODUCTION);
    families.values().forEach(one -> text.append(one.section()));
    return text.toString();
  }

  /**
   * A node in a cluster with a disk and its drive, a storage class, a certificate, a route, an
   * origin, a listener, a plugin and a request.
   */
  static FakeNode node() {
    FakeNode node = nodeWithPlugin();
    LoopCounters counters = node.counters().getFirst();
    counters.names().origins().number("main");
    counters.names().originServers().number("main http://127.0.0.1:9000");
    int route = counters.names().routes().number("default");
    int listener = counters.names().listeners().number("plain");
    counters.served.count(
        route, ServedCounters.listenerCell(listener, Protocol.HTTP_1_1), CacheResult.HIT, 1);
    return node.cluster(
            new ClusterFigures(1, 1, 0, 0, 0, false, 0, 0, 0, 0, 0, 0, 0, false, 0, 0, 0))
        .disks(
            new DiskStats(
                "d0",
                "online",
                1,
                1,
                1,
                1,
                1,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                0,
                new ScrubStats(1, 0, 0, 0, 0, 0),
                new EnduranceStats(
                    0, 0, 0, 0, 0, EnduranceLimits.NONE, WriteBudget.Admission.OPEN, 0),
                new EvacuationStats(1, 0, 0, 0),
                0))
        .drives(new DriveHealth("d0", "nvme0n1", 1, 40, 0.1, 1, 0, 0))
        .storageClasses(new StorageClassStats("memory", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        .certificates(new CertificateStatus("a", "ecdsa", List.of(), Instant.EPOCH, Instant.EPOCH));
  }

  private static FakeNode nodeWithPlugin() {
    try {
      Path directory = Files.createTempDirectory("forebay-plugins");
      PluginJars.write(
          directory.resolve("example.jar"),
          """
          import io.forebay.plugin.*;
          @PluginInfo(name = "example", api = Plugin.API_VERSION)
          public class Example implements Plugin {
            public Handler handler(PluginConfig config) { return null; }
          }
          """);
      FakeNode node =
          new FakeNode(
              Map.of("plugins.directory", directory.toString(), "routes.0.cmcd.enabled", "on"));
      Directories.delete(directory);
      return node;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final String INTRODUCTION =
      """
      # Metrics

      <!-- Made from a scrape; the test MetricsReferenceTest fails when it is stale. `./dev docs` writes it again. -->

      `GET /metrics` on the admin listener answers in the Prometheus text format 0.0.4, or in OpenMetrics 1.0 when the
      request's `Accept` names it. Counters start at 0 with the process and end in `_total`. Times are in seconds, sizes
      in bytes. Metrics that start with `jvm_`, `process_` and `system_` come from Micrometer and describe the Java
      runtime and the process. Names and labels change only with a line in the changelog and keep their former name for one
      release.

      The labels `route`, `origin` and `listener` have the names of the configuration: the first 64 of each since the start.
      Later names share the value `other`. A reload adds names; a name that is gone keeps its series until a restart.

      All metrics that start with `forebay_` are Micrometer meters. A program that embeds a node binds them to a registry
      of its own with `Server.metrics().bindTo(registry)`. There they have dots in place of underscores and no `_total`. A
      histogram of times is a timer without `_seconds`, any other is two counters with the suffixes `.count` and `.sum`; and
      either is a gauge with the suffix `.histogram` and the label `le` for each bucket.

      """;

  /** One metric with the labels that its series carry. */
  private static final class Family {
    final String name;
    final String help;
    String type = "";
    final Map<String, TreeSet<String>> labels = new TreeMap<>();

    Family(String name, String help) {
      this.name = name;
      this.help = help;
    }

    String section() {
      StringBuilder text =
          new StringBuilder("- `" + name + "` (" + type + "): " + help.replace("|", "\\|"));
      labels.forEach((label, values) -> {
        String open = OPEN_LABELS.get(label);
        text.append(" Label `").append(label).append("`: ");
        text.append(open != null ? open : "`" + String.join("`, `", values) + "`").append('.');
      });
      return wrapped(text.toString()) + "\n";
    }

    /** Lines of at most 120 columns. */
    private static String wrapped(String text) {
      StringBuilder all = new StringBuilder();
      StringBuilder line = new StringBuilder();
      for (String word : text.split(" ", -1)) {
        if (line.length() + 1 + word.length() > 120) {
          all.append(line).append('\n');
          line.setLength(0);
          line.append(" ");
        }
        line.append(line.isEmpty() ? "" : " ").append(word);
      }
      return all.append(line).toString();
    }
  }
}
