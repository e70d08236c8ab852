package io.forebay.lab.target;

import io.forebay.lab.target.RunningTarget.Counters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * nginx with proxy_cache, on tmpfs or on disks; what is in memory of disks is the kernel's affair.
 * It counts no hits: it logs each miss, and nothing for a hit.
 */
final class NginxTarget implements Target {
  private static final String PROGRAM = "nginx";
  private static final String PACKAGE = "nginx-light";
  private static final Pattern REQUESTS =
      Pattern.compile("server accepts handled requests\\s+[0-9]+ [0-9]+ ([0-9]+)");

  private static final String CONFIG =
      """
      @USER@daemon off;
      worker_processes @WORKERS@;
      worker_rlimit_nofile @FILES@;
      pid @DIRECTORY@/nginx.pid;
      error_log @DIRECTORY@/error.log;
      events { worker_connections @CONNECTIONS@; }
      http {
        map $upstream_cache_status $lab_missed { "" 0; HIT 0; STALE 0; UPDATING 0; default 1; }
        log_format missed $upstream_response_length;
        access_log @DIRECTORY@/missed.log missed if=$lab_missed;
        client_body_temp_path @DIRECTORY@/temp-body;
        proxy_temp_path @DIRECTORY@/temp-proxy;
        fastcgi_temp_path @DIRECTORY@/temp-fastcgi;
        uwsgi_temp_path @DIRECTORY@/temp-uwsgi;
        scgi_temp_path @DIRECTORY@/temp-scgi;
        default_type application/octet-stream;
        sendfile on;
        tcp_nopush on;
        keepalive_requests 10000000;
        keepalive_timeout 75s;
        open_file_cache max=@CACHED_FILES@ inactive=600s;
        open_file_cache_valid 600s;
      @CACHES@
        upstream origin { server @ORIGIN@; keepalive 256; }
        server {
          listen @HOST@:@PORT@@TLS_LISTEN@ backlog=4096@REUSEPORT@;
      @TLS@
          location / {
            proxy_pass http://origin;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_cache @CACHE@;
            proxy_cache_lock on;
            proxy_cache_key $uri$is_args$args;
          }
        }
        server {
          listen 127.0.0.1:@STATUS_PORT@;
          access_log off;
          location = /status { stub_status; }
        }
      }
      """;

  private static final String TLS =
      """
          ssl_certificate @CERTIFICATE@;
          ssl_certificate_key @KEY@;
          ssl_protocols TLSv1.2 TLSv1.3;
          ssl_session_cache shared:lab:50m;
          ssl_buffer_size 16k;
          http2_max_concurrent_streams 128;\
      """;

  @Override
  public String name() {
    return PROGRAM;
  }

  @Override
  public @Nullable String missing() {
    return Programs.missing(PROGRAM, PACKAGE);
  }

  @Override
  public String version() throws IOException, InterruptedException {
    return Programs.version(Programs.output(List.of(Programs.path(PROGRAM, PACKAGE), "-v")));
  }

  @Override
  public RunningTarget start(TargetSpec spec) throws IOException, InterruptedException {
    StartedTarget.refuseHttp3(spec, PROGRAM);
    String program = Programs.path(PROGRAM, PACKAGE);
    return StartedTarget.start(
        spec,
        group -> {
          int port = FreePorts.take(spec.address());
          int status = FreePorts.take();
          Path directory = spec.directory().toAbsolutePath();
          List<Path> caches =
              spec.hasDisk() ? group.diskDirectories(spec) : List.of(group.memoryDirectory());
          Path file = directory.resolve("nginx.conf");
          Files.writeString(file, config(spec, port, status, caches, OpenFiles.limit()));
          Path log = directory.resolve("missed.log");
          Files.deleteIfExists(log);
          List<String> command = new ArrayList<>(Placement.prefix(spec));
          command.addAll(List.of(program, "-c", file.toString(), "-p", directory.toString()));
          command.addAll(List.of("-e", directory.resolve("error.log").toString()));
          group.start(PROGRAM, command, Map.of());
          group.await(
              "nginx listens",
              () -> StatusPage.isListening(spec.address(), port) && StatusPage.isListening(status));
          StatusQuestions questions = new StatusQuestions(status, "/status");
          MissLog missed = new MissLog(log);
          return new StartedTarget(
              StartedTarget.address(spec, port),
              group,
              () -> {
                StatusQuestions.Answer answer = questions.ask();
                return counters(answer.text(), answer.earlier() + 1, missed.read());
              });
        });
  }

  /**
   * Of all requests, those that are no question of ours and no miss are hits.
   *
   * @param questions so far, the one that brought this status included
   */
  static Counters counters(String status, long questions, MissLog.Misses misses)
      throws IOException {
    Matcher matcher = REQUESTS.matcher(status);
    if (!matcher.find()) {
      throw new IOException("nginx' status has no requests: " + status.strip());
    }
    long requests = Long.parseLong(matcher.group(1)) - questions;
    return new Counters(
        requests, Math.max(0, requests - misses.count()), -1, misses.bytes(), Map.of());
  }

  static String config(
      TargetSpec spec, int port, int statusPort, List<Path> caches, int openFiles) {
    TargetSpec.Tls tls = spec.tls();
    long bytes = (spec.hasDisk() ? spec.diskBytes() : spec.memoryBytes()) / caches.size();
    return Template.fill(
        CONFIG,
        Map.ofEntries(
            Map.entry("USER", Root.is() ? "user root;\n" : ""),
            Map.entry("WORKERS", spec.threads()),
            Map.entry("FILES", openFiles),
            Map.entry("CONNECTIONS", openFiles / 2),
            Map.entry("CACHED_FILES", openFiles / 2),
            Map.entry("DIRECTORY", spec.directory().toAbsolutePath()),
            Map.entry("CACHES", caches(caches, bytes)),
            Map.entry("CACHE", caches.size() == 1 ? "disk1" : "$disk"),
            Map.entry("ORIGIN", spec.originAddress()),
            Map.entry("HOST", spec.host()),
            Map.entry("PORT", port),
            Map.entry("STATUS_PORT", statusPort),
            Map.entry("REUSEPORT", spec.threads() > 1 ? " reuseport" : ""),
            Map.entry("TLS_LISTEN", tls == null ? "" : " ssl http2"),
            Map.entry(
                "TLS",
                tls == null
                    ? ""
                    : Template.fill(
                        TLS,
                        Map.of(
                            "CERTIFICATE",
                            tls.certificate().toAbsolutePath(),
                            "KEY",
                            tls.key().toAbsolutePath())))));
  }

  /** Several disks are one cache each; a request's URL says which, as nginx' manual has it. */
  private static String caches(List<Path> caches, long bytes) {
    List<String> lines = new ArrayList<>();
    int zoneMegabytes = Math.max(16, 128 / caches.size());
    for (int i = 0; i < caches.size(); i++) {
      String zone = "disk" + (i + 1) + ":" + zoneMegabytes + "m";
      lines.add(
          "  proxy_cache_path "
              + caches.get(i)
              + " levels=1:2 keys_zone="
              + zone
              + " max_size="
              + bytes
              + " inactive=24h use_temp_path=off manager_files=2000;");
    }
    if (caches.size() > 1) {
      StringBuilder split = new StringBuilder("  split_clients $uri$is_args$args $disk {");
      String share = String.format(Locale.ROOT, "%.2f%%", 100.0 / caches.size());
      for (int i = 1; i < caches.size(); i++) {
        split.append(" " + share + " disk" + i + ";");
      }
      lines.add(split.append(" * disk" + caches.size() + "; }").toString());
    }
    return String.join("\n", lines);
  }
}
