package io.forebay.cli.importer.nginx;

import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.Directive;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.cli.importer.nginx.ConditionTranslator.Regex;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One location of nginx, or a server without one: what its requests get. */
final class LocationImport {
  private static final Set<String> CONTENT =
      Set.of(
          "fastcgi_pass", "uwsgi_pass", "scgi_pass", "grpc_pass", "memcached_pass", "stub_status");

  private final ImportReport report;
  private final ConfigDraft draft;
  private final UpstreamImport upstreams;
  private final CacheImport caches;
  private final RateLimitImport limits;
  private final String serverName;

  LocationImport(
      ImportReport report,
      ConfigDraft draft,
      UpstreamImport upstreams,
      CacheImport caches,
      RateLimitImport limits,
      String serverName) {
    this.report = report;
    this.draft = draft;
    this.upstreams = upstreams;
    this.caches = caches;
    this.limits = limits;
    this.serverName = serverName;
  }

  /**
   * What requests of a location get.
   *
   * @param origin the name of the origin, or null where the location has none
   * @param settings of a route, if it becomes one
   * @param rules its rules, without the condition on the location
   * @param isCached whether its responses are stored
   * @param isAnswered whether a rule answers every request
   */
  record Plan(
      @Nullable String origin,
      Map<String, Object> settings,
      List<Map<String, Object>> rules,
      boolean isCached,
      boolean isAnswered) {}

  /**
   * Plans a location.
   *
   * @param prefix what its paths begin with, or null where it is an expression or one path
   * @param regex its expression, or null
   */
  Plan plan(DirectiveScope scope, @Nullable String prefix, @Nullable Regex regex) {
    Map<String, Object> route = new LinkedHashMap<>();
    RewriteRules rules =
        new RewriteRules(report, serverName, regex == null ? Map.of() : regex.groups());
    List<Directive> access = scope.all(Set.of("allow", "deny"));
    rules.rewritePhase(scope.own());
    if (!access.isEmpty()) {
      rules.access(access);
    }
    Map<String, Object> protection = new LinkedHashMap<>();
    limits.of(scope, protection);
    password(scope, protection);
    if (!protection.isEmpty()) {
      route.put("protection", draft.protection(protectionName(protection), protection));
    }
    List<Map<String, Object>> all = new ArrayList<>(rules.rules());
    all.addAll(new HeaderRules(report, serverName).ofResponses(scope, route));
    DirectiveScope content = rules.isAnswered() ? scope : proxying(scope);
    new CompressionImport(report).of(content, route);
    if (rules.isAnswered()) {
      scope
          .own("proxy_pass")
          .forEach(each -> report.unneeded(each, "a return answers every request"));
      return new Plan(null, route, all, false, true);
    }
    Directive pass =
        content.own("proxy_pass").isEmpty() ? null : content.own("proxy_pass").getLast();
    boolean isServedOtherwise = false;
    for (Directive each : scope.own()) {
      if (CONTENT.contains(each.name())) {
        isServedOtherwise = true;
        report.left(
            each,
            each.name().equals("grpc_pass")
                ? "see examples/grpc.yaml"
                : "the node speaks HTTP to origins");
      }
    }
    if (pass == null) {
      String files =
          isServedOtherwise ? null : new DirectoryImport(report, draft).of(scope, prefix, all);
      return new Plan(files, route, all, false, false);
    }
    String origin = proxied(content, pass, prefix, route, all);
    boolean isCached = CacheImport.isOn(content);
    if (isCached) {
      caches.ofRoute(content, route);
      all.addAll(caches.passes(content));
    }
    return new Plan(origin, route, all, isCached, false);
  }

  /** The scope that proxies: this one, or a named location that {@code try_files} ends with. */
  private DirectiveScope proxying(DirectiveScope scope) {
    Directive files = scope.find("try_files");
    if (!scope.own("proxy_pass").isEmpty() || files == null || files.arguments().isEmpty()) {
      return scope;
    }
    String last = files.arguments().getLast();
    for (Directive each : scope.all("location")) {
      if (last.startsWith("@") && each.argument(0).equals(last)) {
        report.taken(each);
        boolean hasFiles =
            files.arguments().stream()
                .anyMatch(one -> !one.equals(last) && !one.equals("/nonexistent"));
        if (hasFiles) {
          report.left(files, "files that nginx serves itself; the origin is asked for all");
        } else {
          report.taken(files);
        }
        return scope.inner(each.block());
      }
    }
    return scope;
  }

  private static String protectionName(Map<String, Object> protection) {
    return protection.containsKey("basic-auth") ? "members" : "limited";
  }

  private void password(DirectiveScope scope, Map<String, Object> protection) {
    Directive realm = scope.find("auth_basic");
    Directive file = scope.find("auth_basic_user_file");
    if (realm == null || realm.argument(0).equals("off")) {
      if (realm != null) {
        report.taken(realm);
      }
      return;
    }
    if (file == null) {
      report.left(realm, "auth_basic_user_file is missing");
      return;
    }
    Map<String, Object> auth = new LinkedHashMap<>();
    auth.put("file", file.argument(0));
    auth.put("realm", realm.argument(0).replaceAll("[\"\\\\]", ""));
    protection.put("basic-auth", auth);
    report.taken(realm);
    report.adapted(file, "bcrypt hashes only: htpasswd -B");
  }

  private @Nullable String proxied(
      DirectiveScope scope,
      Directive pass,
      @Nullable String prefix,
      Map<String, Object> route,
      List<Map<String, Object>> rules) {
    ProxyTarget target;
    try {
      target = ProxyTarget.of(pass.argument(0));
    } catch (UntranslatableException e) {
      report.left(pass, e.reason());
      return null;
    }
    Map<String, Object> origin =
        upstreams.has(target.address())
            ? upstreams.settings(target.address(), target.scheme())
            : new LinkedHashMap<>(
                Map.of("url", UpstreamImport.url(target.scheme(), target.address())));
    Map<String, Object> edits =
        new HeaderRules(report, serverName).ofRequests(scope, origin, target.address(), route);
    timeouts(scope, origin);
    retries(scope, origin);
    tls(scope, target, origin);
    report.taken(pass);
    Map<String, Object> rewrite = rewrite(pass, target, prefix);
    if (rewrite != null) {
      rules.add(rewrite);
    }
    if (!edits.isEmpty()) {
      rules.add(new LinkedHashMap<>(Map.of("request-headers", edits)));
    }
    for (Directive each : scope.all("proxy_redirect")) {
      if (each.argument(0).equals("off")) {
        report.taken(each);
      } else {
        report.left(each, "the Location of an origin is not changed");
      }
    }
    return draft.origin(upstreams.has(target.address()) ? target.address() : name(target), origin);
  }

  private static String name(ProxyTarget target) {
    String host = target.address().replaceAll(":\\d+$", "");
    return host.matches("localhost|127\\..*|\\[::1]") ? "origin" : host.replaceAll("^unix:.*/", "");
  }

  /** {@code proxy_pass} with a path replaces the prefix of the location by it. */
  private @Nullable Map<String, Object> rewrite(
      Directive pass, ProxyTarget target, @Nullable String prefix) {
    String path = target.path();
    if (path == null || prefix == null || path.equals(prefix)) {
      return null;
    }
    Map<String, Object> rule = new LinkedHashMap<>();
    if (path.equals("/") && prefix.endsWith("/")) {
      rule.put("rewrite", Map.of("strip-prefix", prefix.substring(0, prefix.length() - 1)));
      return rule;
    }
    if (path.indexOf('?') >= 0 || path.indexOf('$') >= 0) {
      report.left(pass, "a path with a query or a variable");
      return null;
    }
    rule.put("when", Map.of("path", Map.of("regex", "^" + quoted(prefix) + "(.*)$")));
    rule.put("rewrite", Map.of("path", path + "$1"));
    return rule;
  }

  private static String quoted(String text) {
    return Pattern.compile("[.\\[\\](){}*+?|^$\\\\]").matcher(text).replaceAll("\\\\$0");
  }

  private void timeouts(DirectiveScope scope, Map<String, Object> origin) {
    Map<String, Object> timeouts = new LinkedHashMap<>();
    Directive connect = scope.find("proxy_connect_timeout");
    Directive read = scope.find("proxy_read_timeout");
    Directive send = scope.find("proxy_send_timeout");
    if (connect != null) {
      put(timeouts, "connect", connect, report);
    }
    if (read != null) {
      put(timeouts, "first-byte", read, report);
      put(timeouts, "idle", read, report);
    }
    if (send != null) {
      report.adapted(send, "timeouts.idle of the origin holds in both directions");
    }
    if (!timeouts.isEmpty()) {
      origin.put("timeouts", timeouts);
    }
  }

  private static void put(Map<String, Object> into, String key, Directive of, ImportReport report) {
    String time = Units.duration(of.argument(0));
    if (time == null || time.equals("0s")) {
      report.left(of, "a time that is not understood");
    } else {
      into.put(key, time);
      report.taken(of);
    }
  }

  private void retries(DirectiveScope scope, Map<String, Object> origin) {
    Map<String, Object> retry = new LinkedHashMap<>();
    Directive next = scope.find("proxy_next_upstream");
    if (next != null) {
      List<String> statuses =
          next.arguments().stream()
              .filter(one -> one.matches("http_(5\\d\\d|429)"))
              .map(one -> one.substring(5))
              .toList();
      if (next.argument(0).equals("off")) {
        retry.put("attempts", "0");
      } else if (!statuses.isEmpty()) {
        retry.put("statuses", statuses);
      }
      if (next.arguments().contains("non_idempotent")
          || next.arguments().contains("http_404")
          || next.arguments().contains("http_403")) {
        report.adapted(next, "only requests that are safe to send again, and statuses 429 and 5xx");
      } else {
        report.taken(next);
      }
    }
    Directive tries = scope.find("proxy_next_upstream_tries");
    if (tries != null && tries.argument(0).matches("\\d{1,2}")) {
      int attempts = Integer.parseInt(tries.argument(0)) - 1;
      if (attempts >= 0) {
        retry.putIfAbsent("attempts", String.valueOf(Math.min(10, attempts)));
      }
      report.taken(tries);
    }
    if (!retry.isEmpty()) {
      origin.put("retry", retry);
    }
  }

  private void tls(DirectiveScope scope, ProxyTarget target, Map<String, Object> origin) {
    if (!target.scheme().equals("https")) {
      return;
    }
    Directive trusted = scope.find("proxy_ssl_trusted_certificate");
    Directive verify = scope.find("proxy_ssl_verify");
    Directive name = scope.find("proxy_ssl_name");
    Directive certificate = scope.find("proxy_ssl_certificate");
    Directive key = scope.find("proxy_ssl_certificate_key");
    Directive sni = scope.find("proxy_ssl_server_name");
    if (trusted != null) {
      origin.put("trust", trusted.argument(0));
      report.taken(trusted);
    }
    if (verify != null) {
      if (verify.argument(0).equals("on")) {
        report.taken(verify);
      } else {
        report.adapted(verify, "certificates of origins are always verified: set trust");
      }
    }
    Map<String, Object> tls = new LinkedHashMap<>();
    if (name != null && name.argument(0).indexOf('$') < 0) {
      tls.put("server-name", name.argument(0));
      report.taken(name);
    }
    if (certificate != null && key != null) {
      tls.put("certificate", certificate.argument(0));
      tls.put("key", key.argument(0));
      report.taken(certificate);
      report.taken(key);
    }
    if (sni != null) {
      report.adapted(sni, "the name is always sent");
    }
    if (!tls.isEmpty()) {
      origin.put("tls", tls);
    }
  }
}
