package io.forebay.cli.importer.nginx;

import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.ImportReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Turns a configuration of nginx into one of this node. A file that begins with {@code server}, as
 * those of {@code sites-available} do, is read as if it were within {@code http}.
 */
public final class NginxImport {
  private final ImportReport report;
  private final ConfigDraft draft;
  private final UpstreamImport upstreams;
  private final CacheImport caches;
  private final RateLimitImport limits;
  private final ListenDirectives listens;

  private NginxImport(ImportReport report, ConfigDraft draft) {
    this.report = report;
    this.draft = draft;
    upstreams = new UpstreamImport(report);
    caches = new CacheImport(report, draft);
    limits = new RateLimitImport(report);
    listens = new ListenDirectives(report, draft);
  }

  /**
   * Reads a file and what it includes.
   *
   * @param directory what relative names of includes begin at
   * @throws ImportException where it is no configuration of nginx
   */
  public static void read(Path file, Path directory, ImportReport report, ConfigDraft draft)
      throws ImportException {
    List<Directive> notFound = new ArrayList<>();
    List<Directive> all = NginxParser.parse(file, directory, notFound);
    notFound.forEach(each -> report.left(each, "there is no such file"));
    new NginxImport(report, draft).top(all);
    report.closeWith(all, "there is nothing like it");
  }

  private void top(List<Directive> all) {
    DirectiveScope outermost = new DirectiveScope(null, all);
    List<Directive> http = new ArrayList<>();
    boolean isBare = outermost.own("http").isEmpty();
    for (Directive each : all) {
      if (each.name().equals("http")) {
        report.taken(each);
        http.addAll(each.block());
      } else if (Set.of("worker_processes", "worker_cpu_affinity").contains(each.name())) {
        report.unneeded(each, "one event loop for each CPU, pinned");
      } else if (Set.of("stream", "mail").contains(each.name())) {
        report.allLeft(each, "the node speaks HTTP only");
      } else if (isBare) {
        http.add(each);
      }
    }
    http(outermost.inner(http));
    unneeded(all);
  }

  private void http(DirectiveScope http) {
    http.own("upstream").forEach(upstreams::add);
    http.own("proxy_cache_path").forEach(caches::zone);
    http.own("limit_req_zone").forEach(limits::zone);
    List<ServerBlock> servers = new ArrayList<>();
    List<Directive> blocks = new ArrayList<>(http.own("server"));
    List<Directive> bare = http.own().stream().filter(NginxImport::belongsToServer).toList();
    if (!bare.isEmpty()) {
      // A snippet for a server that is described elsewhere.
      blocks.add(
          new Directive(bare.getFirst().file(), bare.getFirst().line(), "server", List.of(), bare));
    }
    for (Directive each : blocks) {
      report.taken(each);
      DirectiveScope scope = http.inner(each.block());
      servers.add(ServerBlock.of(each, scope, report, listens));
    }
    if (!servers.isEmpty() && servers.stream().noneMatch(ServerBlock::isDefault)) {
      servers.set(0, servers.getFirst().asDefault());
    }
    new RouteImport(report, draft, upstreams, caches, limits).add(servers);
    draft.share("compress");
    settings(http, servers);
  }

  private static boolean belongsToServer(Directive of) {
    return Set.of("location", "listen", "server_name").contains(of.name());
  }

  /** What holds for the node as a whole. */
  private void settings(DirectiveScope http, List<ServerBlock> servers) {
    List<DirectiveScope> scopes = new ArrayList<>(List.of(http));
    servers.forEach(server -> scopes.addAll(server.scopes()));
    long bodyBytes = -1;
    Map<String, Object> timeouts = new LinkedHashMap<>();
    List<String> trusted = new ArrayList<>();
    for (DirectiveScope scope : scopes) {
      for (Directive each : scope.own()) {
        switch (each.name()) {
          case "client_max_body_size" -> {
            long bytes = Units.bytes(each.argument(0));
            bodyBytes = bytes == 0 ? 16L << 40 : Math.max(bodyBytes, bytes);
            report.adapted(each, "limits.request-body: the largest of the file holds for all");
          }
          case "keepalive_timeout" -> timeout(each, "keep-alive", timeouts);
          case "client_header_timeout" -> timeout(each, "request-header", timeouts);
          case "client_body_timeout" -> timeout(each, "request-body-idle", timeouts);
          case "send_timeout" -> timeout(each, "no-progress", timeouts);
          case "set_real_ip_from" -> {
            if (each.argument(0).matches("[0-9a-fA-F:.]+(/\\d{1,3})?")) {
              trusted.add(each.argument(0));
              report.taken(each);
            }
          }
          case "real_ip_header" -> {
            boolean isForwarded = each.argument(0).equalsIgnoreCase("X-Forwarded-For");
            if (isForwarded || each.argument(0).equals("proxy_protocol")) {
              report.taken(each);
            } else {
              report.left(each, "clients are named by X-Forwarded-For, Forwarded or PROXY");
            }
          }
          case "real_ip_recursive" -> report.adapted(each, "always");
          case "access_log" -> accessLog(each);
          default -> {}
        }
      }
    }
    if (bodyBytes >= 0) {
      draft.setting("limits", Map.of("request-body", Units.size(bodyBytes)));
    }
    if (!timeouts.isEmpty()) {
      draft.setting("timeouts", timeouts);
    }
    if (!trusted.isEmpty()) {
      draft.setting("forwarding", Map.of("trusted", trusted.stream().distinct().toList()));
    }
  }

  private void timeout(Directive of, String key, Map<String, Object> timeouts) {
    String time = Units.duration(of.argument(0));
    if (time == null || !timeouts.getOrDefault(key, time).equals(time)) {
      report.left(of, "one time for all: timeouts." + key);
    } else if (time.equals("0s") && !key.equals("keep-alive")) {
      report.left(of, "a time of 0");
    } else {
      timeouts.put(key, time);
      report.taken(of);
    }
  }

  private boolean hasLog;

  private void accessLog(Directive of) {
    String output = of.argument(0);
    if (output.equals("off")) {
      report.adapted(of, "one access log for all");
    } else if (hasLog || output.startsWith("syslog:") || output.indexOf('$') >= 0) {
      report.left(of, "one access log, in a file or on standard output");
    } else {
      hasLog = true;
      draft.setting("access-log", output);
      report.adapted(of, "one JSON object for each request");
    }
  }

  /** Marks what needs no setting, wherever it stands. */
  private void unneeded(List<Directive> all) {
    for (Directive each : all) {
      String reason = UnneededDirectives.reason(each);
      if (reason != null && !report.knows(each)) {
        report.allUnneeded(each, reason);
      } else {
        unneeded(each.block());
      }
    }
  }
}
