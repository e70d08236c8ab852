package io.forebay.lab.target;

import io.forebay.lab.target.RunningTarget.Counters;
import java.io.IOException;
import java.net.Inet6Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Apache Traffic Server in a run root of its own. Its storage lies on tmpfs or on disks, its RAM
 * cache in front of that. Without its manager it has no traffic_ctl, so that its plugin {@code
 * stats_over_http} gives the same counters.
 */
final class TrafficServerTarget implements Target {
  private static final String PROGRAM = "traffic_server";
  private static final String PACKAGE = "trafficserver";
  private static final String TESTED = "9.";
  private static final Path DISTRIBUTED = Path.of("/etc/trafficserver");

  /** Its threads add up what they count so often. */
  private static final int SYNC_MILLIS = 200;

  private static final String RECORDS =
      """
      CONFIG proxy.config.http.server_ports STRING @PORTS@
      CONFIG proxy.config.exec_thread.autoconfig INT 0
      CONFIG proxy.config.exec_thread.limit INT @THREADS@
      CONFIG proxy.config.accept_threads INT 0
      CONFIG proxy.config.cache.ram_cache.size INT @RAM@
      CONFIG proxy.config.cache.ram_cache_cutoff INT 67108864
      CONFIG proxy.config.http.wait_for_cache INT 3
      CONFIG proxy.config.http.cache.required_headers INT 0
      CONFIG proxy.config.http.cache.max_open_read_retries INT 5
      CONFIG proxy.config.http.cache.open_read_retry_time INT 10
      CONFIG proxy.config.http.background_fill_active_timeout INT 0
      CONFIG proxy.config.http.background_fill_completed_threshold FLOAT 0.0
      CONFIG proxy.config.http.keep_alive_no_activity_timeout_in INT 120
      CONFIG proxy.config.http2.max_concurrent_streams_in INT 128
      CONFIG proxy.config.net.max_connections_in INT 30000
      CONFIG proxy.config.reverse_proxy.enabled INT 1
      CONFIG proxy.config.url_remap.remap_required INT 1
      CONFIG proxy.config.url_remap.pristine_host_hdr INT 1
      CONFIG proxy.config.diags.output.status STRING L
      CONFIG proxy.config.log.logging_enabled INT 0
      CONFIG proxy.config.raw_stat_sync_interval_ms INT @SYNC@
      CONFIG proxy.config.admin.user_id STRING #-1
      """;

  private static final String RUN_ROOT =
      """
      prefix: @ROOT@
      exec_prefix: /usr
      bindir: /usr/bin
      sbindir: /usr/sbin
      sysconfdir: @ROOT@/etc
      datadir: @ROOT@/cache
      includedir: /usr/include
      libdir: /usr/lib
      libexecdir: /usr/lib/trafficserver/modules
      localstatedir: @ROOT@/var
      runtimedir: @ROOT@/run
      logdir: @ROOT@/log
      cachedir: @ROOT@/cache
      """;

  @Override
  public String name() {
    return "ats";
  }

  @Override
  public @Nullable String missing() {
    return Programs.missing(PROGRAM, PACKAGE);
  }

  @Override
  public String version() throws IOException, InterruptedException {
    return Programs.version(Programs.output(List.of(Programs.path(PROGRAM, PACKAGE), "-V")));
  }

  @Override
  public RunningTarget start(TargetSpec spec) throws IOException, InterruptedException {
    StartedTarget.refuseHttp3(spec, "Traffic Server");
    String program = Programs.path(PROGRAM, PACKAGE);
    String version = version();
    if (!version.startsWith(TESTED)) {
      throw new UnsupportedOperationException(
          "Traffic Server "
              + version
              + " reads another configuration than 9, which the lab writes.");
    }
    return StartedTarget.start(
        spec,
        group -> {
          int port = FreePorts.take(spec.address());
          int status = hasStatusPort(spec) ? FreePorts.take() : port;
          Path root = spec.directory().toAbsolutePath();
          List<Path> storage =
              spec.hasDisk() ? group.diskDirectories(spec) : List.of(group.memoryDirectory());
          write(spec, root, port, status, storage);
          List<String> command = new ArrayList<>(Placement.prefix(spec));
          command.addAll(List.of(program, "--run-root=" + root.resolve("runroot.yaml")));
          group.start("ats", command, Map.of());
          group.await(
              "Traffic Server listens",
              () -> StatusPage.isListening(spec.address(), port) && StatusPage.isListening(status));
          StatusQuestions questions = new StatusQuestions(status, "/_stats");
          return new StartedTarget(
              StartedTarget.address(spec, port),
              group,
              () -> {
                Thread.sleep(2L * SYNC_MILLIS);
                return counters(questions.ask());
              });
        });
  }

  private static void write(TargetSpec spec, Path root, int port, int status, List<Path> storage)
      throws IOException {
    for (String name : List.of("etc", "cache", "var", "run", "log")) {
      Files.createDirectories(root.resolve(name));
    }
    Path etc = root.resolve("etc");
    copy(DISTRIBUTED, etc);
    Files.writeString(root.resolve("runroot.yaml"), Template.fill(RUN_ROOT, Map.of("ROOT", root)));
    Files.writeString(etc.resolve("records.config"), records(spec, port, status));
    Files.writeString(etc.resolve("remap.config"), "map / http://" + spec.originAddress() + "/\n");
    Files.writeString(etc.resolve("storage.config"), storage(spec, storage));
    Files.writeString(etc.resolve("plugin.config"), "stats_over_http.so\n");
    TargetSpec.Tls tls = spec.tls();
    Files.writeString(
        etc.resolve("ssl_multicert.config"),
        tls == null
            ? ""
            : "dest_ip=* ssl_cert_name="
                + tls.certificate().toAbsolutePath()
                + " ssl_key_name="
                + tls.key().toAbsolutePath()
                + "\n");
  }

  /** Debian's files, of which those below are replaced. */
  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Path copied = to.resolve(from.relativize(file).toString());
        if (Files.isDirectory(file)) {
          Files.createDirectories(copied);
        } else {
          Files.copy(file, copied, StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
  }

  /** The counters are asked for on loopback without TLS: where clients do so, on their port. */
  private static boolean hasStatusPort(TargetSpec spec) {
    return spec.tls() != null || !spec.isOnLoopback();
  }

  static String records(TargetSpec spec, int port, int status) {
    String ports = status + ":ip-in=127.0.0.1";
    if (hasStatusPort(spec)) {
      String family = spec.address() instanceof Inet6Address ? ":ipv6" : "";
      ports += " " + port + (spec.tls() == null ? "" : ":ssl") + family + ":ip-in=" + spec.host();
    }
    return Template.fill(
        RECORDS,
        Map.of(
            "PORTS",
            ports,
            "THREADS",
            spec.threads(),
            "RAM",
            spec.memoryBytes(),
            "SYNC",
            SYNC_MILLIS));
  }

  static String storage(TargetSpec spec, List<Path> storage) {
    long bytes = (spec.hasDisk() ? spec.diskBytes() : spec.memoryBytes()) / storage.size();
    StringBuilder text = new StringBuilder();
    for (Path place : storage) {
      text.append(place).append(' ').append(bytes).append('\n');
    }
    return text.toString();
  }

  /**
   * Earlier questions are requests, and misses, whose answers are bytes sent and fetched; this one
   * is not added up yet. Its fresh hits do not include what followed a fetch ({@code rww}).
   */
  static Counters counters(StatusQuestions.Answer answer) throws IOException {
    JsonNode counts;
    try {
      counts = JsonMapper.shared().readTree(answer.text()).path("global");
    } catch (JacksonException e) {
      throw new IOException("the counters of Traffic Server are no JSON", e);
    }
    long requests = count(counts, "incoming_requests") - answer.earlier();
    long hits =
        count(counts, "cache_hit_fresh")
            + count(counts, "cache_hit_rww")
            + count(counts, "cache_hit_ims")
            + count(counts, "cache_hit_stale_served");
    return new Counters(
        requests,
        hits,
        count(counts, "user_agent_response_document_total_size") - answer.earlierBytes(),
        count(counts, "origin_server_response_document_total_size") - answer.earlierBytes(),
        Map.of());
  }

  private static long count(JsonNode counts, String name) throws IOException {
    JsonNode value = counts.path("proxy.process.http." + name);
    if (value.isMissingNode()) {
      throw new IOException("Traffic Server does not count " + name);
    }
    return Long.parseLong(value.asString());
  }
}
