package io.forebay.cli.bundle;

import io.forebay.cli.console.AdminClient;
import io.forebay.cli.console.CommandException;
import io.forebay.cli.console.Output;
import io.forebay.cli.console.VersionInfo;
import io.forebay.cli.doctor.DoctorCommand;
import io.forebay.server.config.ConfigOutcome.Loaded;
import io.forebay.server.config.ConfigView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Fills a bundle, part by part. A part that fails is noted, and the next one follows; after the
 * time for all of them the rest is noted as well.
 */
final class Collector {
  private static final Duration JCMD = Duration.ofSeconds(15);
  private static final int LOG_BYTES = 512 << 10;
  private static final int URLS = 20;
  private static final String RECORDING = "forebay-bundle";

  /** Samples of Java code and nothing else: no settings, variables or objects of the process. */
  private static final String SAMPLES =
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <configuration version="2.0" label="Forebay bundle">
        <event name="jdk.ExecutionSample">
          <setting name="enabled">true</setting>
          <setting name="period">10 ms</setting>
        </event>
      </configuration>
      """;

  /** What a part does; what it throws is why there is none. */
  private interface Part {
    void collect() throws IOException, InterruptedException;
  }

  /** Told of each part as it begins. */
  interface Progress {
    void at(int done, int total, String part);
  }

  /** Waits, as by {@link Thread#sleep(Duration)}. */
  interface Pause {
    void rest(Duration time) throws InterruptedException;
  }

  private record Named(String name, Part part) {}

  private final Bundle bundle;
  private final AdminClient admin;
  private final @Nullable Loaded config;
  private final @Nullable NodeProcess process;
  private final List<Path> logs;
  private final Duration between;
  private final LongSupplier nanos;
  private final Pause pause;
  private @Nullable String unreachable;

  /**
   * A collector of one bundle.
   *
   * @param config of this machine, or null where there is none that can be read
   * @param process null where the node is away, or another user's or machine's
   * @param logs files of the node's log that are named
   * @param between the two scrapes of metrics, in which samples are recorded
   */
  Collector(
      Bundle bundle,
      AdminClient admin,
      @Nullable Loaded config,
      @Nullable NodeProcess process,
      List<Path> logs,
      Duration between,
      LongSupplier nanos,
      Pause pause) {
    this.bundle = bundle;
    this.admin = admin;
    this.config = config;
    this.process = process;
    this.logs = logs;
    this.between = between;
    this.nanos = nanos;
    this.pause = pause;
  }

  /** Collects everything within the time, beside one answer that may come after it. */
  void collect(Duration most, Progress progress) throws InterruptedException {
    List<Named> parts = parts();
    long start = nanos.getAsLong();
    int done = 0;
    for (Named named : parts) {
      progress.at(done++, parts.size(), named.name);
      if (nanos.getAsLong() - start > most.toNanos()) {
        bundle.missing(named.name, "there was no more time");
        continue;
      }
      try {
        named.part.collect();
      } catch (IOException | RuntimeException e) {
        bundle.missing(named.name, CommandException.reason(e));
      }
    }
    progress.at(done, parts.size(), "");
  }

  private List<Named> parts() {
    List<Named> parts = new ArrayList<>();
    parts.add(new Named("versions", () -> bundle.json("versions.json", versions())));
    parts.add(new Named("config/local", this::localConfig));
    parts.add(new Named("doctor", this::doctor));
    parts.add(new Named("node", this::reach));
    state(parts, "stats", "/v1/stats");
    state(parts, "ready", "/readyz");
    state(parts, "config/node", "/v1/config");
    state(parts, "config/history", "/v1/config/history");
    state(parts, "origins", "/v1/origins");
    state(parts, "stores", "/v1/stores");
    state(parts, "store", "/v1/store/stat");
    state(parts, "purges", "/v1/purges");
    parts.add(new Named("cluster", this::cluster));
    parts.add(new Named("process", this::process));
    parts.add(new Named("metrics and samples", this::observe));
    parts.add(new Named("misses", this::misses));
    parts.add(new Named("log", this::log));
    return parts;
  }

  private static JsonNode tree(Object value) {
    return Output.mapper().valueToTree(value);
  }

  private static JsonNode versions() {
    return tree(VersionInfo.read());
  }

  private void localConfig() throws IOException {
    if (config == null) {
      bundle.absent("config/local", "no configuration on this machine that can be read");
      return;
    }
    bundle.json("config/local.json", Output.mapper().readTree(ConfigView.json(config)));
  }

  private void doctor() throws IOException {
    if (config == null) {
      bundle.absent("doctor", "no configuration on this machine to compare it with");
      return;
    }
    bundle.json("doctor.json", tree(DoctorCommand.report(config)));
  }

  private void reach() {
    try {
      AdminClient.Reply reply = admin.fetch("/healthz");
      if (reply.status() != 200) {
        unreachable = admin.base() + " answers " + reply.status();
      }
    } catch (CommandException e) {
      unreachable = CommandException.reason(e);
    }
    if (unreachable != null) {
      bundle.missing("node", unreachable);
    }
  }

  /** One answer of the admin API as it is. */
  private void state(List<Named> parts, String name, String path) {
    parts.add(
        new Named(
            name,
            () -> {
              AdminClient.Reply reply = fetch(path);
              if (reply.status() != 200 && !path.equals("/readyz")) {
                throw new IOException("the node answers " + reply.status());
              }
              bundle.json(name + ".json", Output.mapper().readTree(reply.text()));
            }));
  }

  private AdminClient.Reply fetch(String path) throws IOException {
    if (unreachable != null) {
      throw new IOException("the node does not answer");
    }
    return admin.fetch(path);
  }

  private void cluster() throws IOException {
    AdminClient.Reply reply = fetch("/v1/cluster");
    if (reply.status() / 100 == 4) {
      bundle.absent("cluster", "the node is in none");
      return;
    }
    bundle.json("cluster.json", Output.mapper().readTree(reply.text()));
    bundle.json(
        "cluster-config.json", Output.mapper().readTree(fetch("/v1/cluster/config").text()));
  }

  private NodeProcess own() throws IOException {
    if (process == null) {
      throw new IOException(
          "no process of this user on this machine listens on "
              + admin.base()
              + "; run as the user of the node, or give --pid");
    }
    return process;
  }

  private void process() throws IOException, InterruptedException {
    NodeProcess node = own();
    bundle.text("jvm/flags.txt", node.command(JCMD, "VM.flags"));
    bundle.text("jvm/version.txt", node.command(JCMD, "VM.version"));
    bundle.text("jvm/heap.txt", node.command(JCMD, "GC.heap_info"));
  }

  /** Metrics and stacks twice, so that rates and what stands still can be seen, and samples. */
  private void observe() throws IOException, InterruptedException {
    each("metrics/first.txt", () -> metrics("metrics/first.txt"));
    each("threads/first.txt", () -> threads("threads/first.txt"));
    Path scratch = Files.createTempDirectory("forebay-bundle-");
    try {
      boolean isRecording = each("flames.html", () -> startSamples(scratch));
      if (unreachable == null || isRecording) {
        pause.rest(between);
      }
      if (isRecording) {
        each("flames.html", () -> flames(scratch));
      }
    } finally {
      Files.deleteIfExists(scratch.resolve("samples.jfc"));
      Files.deleteIfExists(scratch.resolve("samples.jfr"));
      Files.deleteIfExists(scratch);
    }
    each("metrics/second.txt", () -> metrics("metrics/second.txt"));
    each("threads/second.txt", () -> threads("threads/second.txt"));
  }

  /** Whether a part of a part succeeded; why not is noted. */
  private boolean each(String name, Part part) throws InterruptedException {
    try {
      part.collect();
      return true;
    } catch (IOException | RuntimeException e) {
      bundle.missing(name, CommandException.reason(e));
      return false;
    }
  }

  private void metrics(String name) throws IOException {
    AdminClient.Reply reply = fetch("/metrics");
    if (reply.status() != 200) {
      throw new IOException("the node answers " + reply.status());
    }
    bundle.text(name, reply.text());
  }

  private void threads(String name) throws IOException, InterruptedException {
    bundle.text(name, own().command(JCMD, "Thread.print", "-l"));
  }

  /** The recording ends by itself if this command does before it. */
  private void startSamples(Path scratch) throws IOException, InterruptedException {
    Path settings = Files.writeString(scratch.resolve("samples.jfc"), SAMPLES);
    String answer =
        own()
            .command(
                JCMD,
                "JFR.start",
                "name=" + RECORDING,
                "settings=" + settings,
                // Otherwise it makes one in the node's directory.
                "filename=" + scratch.resolve("samples.jfr"),
                "duration=" + (between.toSeconds() + 60) + "s");
    if (!answer.contains("Started recording")) {
      throw new IOException("no recording: " + answer.strip().replaceAll("\\s+", " "));
    }
  }

  private void flames(Path scratch) throws IOException, InterruptedException {
    Path samples = scratch.resolve("samples.jfr");
    own().command(JCMD, "JFR.stop", "name=" + RECORDING, "filename=" + samples);
    if (!Files.exists(samples)) {
      throw new IOException("the node has another /tmp than this command, as with PrivateTmp");
    }
    FlameGraph graph = FlameGraph.of(samples);
    bundle.text("flames.html", graph.html("Forebay, " + between.toSeconds() + " s"));
  }

  /** What the log says was fetched at most cost, else what is stored and asked for most. */
  private void misses() throws IOException {
    Path log = accessLog();
    List<Map<String, Object>> summary = new ArrayList<>();
    if (log != null) {
      for (WorstMisses.Missed missed : WorstMisses.of(log, URLS)) {
        Map<String, Object> one = explained(missed.url(), summary.size());
        one.put("requests", missed.requests());
        one.put("originMillis", missed.micros() / 1000);
        summary.add(one);
      }
    } else {
      bundle.absent(
          "misses", "no access log in lines of JSON in a file here; hot.json has stored URLs");
      JsonNode hot = Output.mapper().readTree(fetch("/v1/store/hot?limit=" + URLS).text());
      for (JsonNode object : hot.path("objects")) {
        summary.add(explained(object.path("url").asString(""), summary.size()));
      }
    }
    bundle.json(log == null ? "hot.json" : "misses.json", tree(summary));
  }

  private Map<String, Object> explained(String url, int number) throws IOException {
    Map<String, Object> one = new LinkedHashMap<>();
    one.put("url", url);
    if (unreachable == null) {
      try {
        JsonNode answer = admin.post("/v1/explain", Map.of("method", "GET", "url", url));
        String name = String.format("explain/%02d.json", number + 1);
        bundle.json(name, answer);
        one.put("explained", name);
        one.put("action", answer.path("answer").path("action").asString(""));
        one.put("reason", answer.path("answer").path("reason").asString(""));
        one.put("explanation", answer.path("answer").path("explanation").asString(""));
      } catch (CommandException e) {
        one.put("notExplained", CommandException.reason(e));
      }
    }
    return one;
  }

  private @Nullable Path accessLog() {
    String output = config == null ? "off" : config.config().accessLog().output();
    Path file =
        output.equals("off") || output.equals("stdout") || output.startsWith("syslog")
            ? null
            : Path.of(output);
    return file != null && Files.isRegularFile(file) && Files.isReadable(file) ? file : null;
  }

  private void log() throws IOException, InterruptedException {
    List<Path> files = new ArrayList<>(logs);
    if (files.isEmpty() && process != null) {
      files.addAll(process.logs(Path.of("/proc")));
    }
    int number = 1;
    for (Path file : files) {
      bundle.text("log/" + number++ + ".txt", WorstMisses.tail(file, LOG_BYTES));
    }
    if (files.isEmpty() && process != null) {
      String journal =
          NodeProcess.run(
              JCMD,
              List.of(
                  "journalctl",
                  "--no-pager",
                  "--quiet",
                  "--output=short-iso",
                  "--lines=2000",
                  "_PID=" + process.pid()));
      if (!journal.isBlank()) {
        bundle.text("log/journal.txt", journal);
        return;
      }
    }
    if (files.isEmpty()) {
      bundle.absent("log", "the node's log is in no file that is known here; give --log FILE");
    }
  }
}
