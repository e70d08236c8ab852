package io.forebay.e2e.imported;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.e2e.Tools;
import io.forebay.e2e.imported.Answer.Request;
import io.forebay.e2e.imported.Loopback.Entrance;
import io.forebay.testing.Await;
import io.forebay.testing.Commands;
import io.forebay.testing.EdgeProcess;
import io.forebay.testing.Jar;
import io.forebay.testing.PathOrigin;
import io.forebay.testing.Ports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Sites of Varnish and what an import makes of them, side by side, each before origins of its own.
 */
@Tag("full")
final class VclImportIT {
  /** What plugins and guides for WordPress have. */
  private static final String WORDPRESS =
      """
      vcl 4.0;
      import std;

      backend default { .host = "127.0.0.1"; .port = "PORT-0"; }

      acl purge { "localhost"; "127.0.0.1"; }

      sub vcl_recv {
        set req.http.Host = regsub(req.http.Host, ":[0-9]+", "");
        unset req.http.proxy;
        set req.url = std.querysort(req.url);

        if (req.method == "PURGE") {
          if (!client.ip ~ purge) {
            return (synth(405, "Not allowed."));
          }
          return (purge);
        }
        if (req.method != "GET" && req.method != "HEAD" && req.method != "PUT" &&
            req.method != "POST" && req.method != "OPTIONS" && req.method != "DELETE") {
          return (pipe);
        }
        if (req.method != "GET" && req.method != "HEAD") {
          return (pass);
        }
        if (req.url ~ "(\\?|&)(utm_source|utm_medium|gclid)=") {
          set req.url = regsuball(req.url, "&(utm_source|utm_medium|gclid)=([A-z0-9_\\-\\.%25]+)", "");
          set req.url = regsuball(req.url, "\\?(utm_source|utm_medium|gclid)=([A-z0-9_\\-\\.%25]+)", "?");
          set req.url = regsub(req.url, "\\?&", "?");
          set req.url = regsub(req.url, "\\?$", "");
        }
        if (req.url ~ "^/wp-admin" || req.url ~ "^/wp-login\\.php" || req.url ~ "preview=true") {
          return (pass);
        }
        if (req.http.Cookie ~ "wordpress_logged_in_|comment_author") {
          return (pass);
        }
        if (req.http.Authorization) {
          return (pass);
        }
        if (req.url ~ "\\.(png|css|js)(\\?.*)?$") {
          unset req.http.Cookie;
          return (hash);
        }
        set req.http.Cookie = regsuball(req.http.Cookie, "(^|;\\s*)(_ga|_gid|has_js|wp-settings-\\d+)=[^;]*", "");
        set req.http.Cookie = regsub(req.http.Cookie, "^;\\s*", "");
        if (req.http.Cookie ~ "^\\s*$") {
          unset req.http.Cookie;
        }
      }

      sub vcl_backend_response {
        if (bereq.url ~ "\\.(png|css|js)(\\?.*)?$") {
          unset beresp.http.Set-Cookie;
          set beresp.ttl = 7d;
        }
        if (beresp.status >= 500) {
          set beresp.uncacheable = true;
          set beresp.ttl = 30s;
          return (deliver);
        }
        set beresp.grace = 6h;
      }

      sub vcl_deliver {
        if (obj.hits > 0) {
          set resp.http.X-Cache = "HIT";
        } else {
          set resp.http.X-Cache = "MISS";
        }
        unset resp.http.X-Powered-By;
        unset resp.http.X-Secret;
        set resp.http.X-Frame-Options = "SAMEORIGIN";
      }
      """;

  /** Several backends by host and path, an ACL and redirects. */
  private static final String BACKENDS =
      """
      vcl 4.1;

      backend www { .host = "127.0.0.1"; .port = "PORT-0"; }
      backend api { .host = "127.0.0.1"; .port = "PORT-1"; }
      backend media { .host = "127.0.0.1"; .port = "PORT-2"; }

      acl purgers { "127.0.0.0"/8; }
      acl staff { "10.0.0.0"/8; "fd00::"/8; }

      sub vcl_recv {
        if (req.method == "PURGE") {
          if (client.ip ~ purgers) { return (purge); } else { return (synth(405)); }
        }
        if (req.http.X-Forwarded-Proto == "insecure") {
          return (synth(750, "https://" + req.http.host + req.url));
        }
        if (req.http.host == "old.example.com") {
          return (synth(751, "http://www.example.com" + req.url));
        }
        if (req.url ~ "^/blog/[0-9]+") {
          return (synth(752, regsub(req.url, "^/blog/([0-9]+)/?(.*)", "/articles/\\1/\\2")));
        }
        if (req.url ~ "^/intern/" && !(client.ip ~ staff)) {
          return (synth(403, "Forbidden"));
        }
        if (req.url ~ "^/teapot") {
          return (synth(418));
        }
        if (req.http.host == "api.example.com" || req.url ~ "^/api/") {
          set req.backend_hint = api;
          set req.http.X-Api = "yes";
          return (pass);
        } elseif (req.http.host ~ "^(media|img)\\.") {
          set req.backend_hint = media;
          unset req.http.Cookie;
        } else {
          set req.backend_hint = www;
        }
        if (req.url ~ "^/shop/") {
          set req.url = regsub(req.url, "^/shop/", "/store/");
        }
        if (req.http.User-Agent ~ "(?i)badbot") {
          return (synth(429, "Slow down"));
        }
        if (req.url ~ "^/lang/" && req.http.X-Lang !~ "^(de|en)$") {
          return (synth(404));
        }
      }

      sub vcl_hash {
        hash_data(req.http.X-Lang);
      }

      sub vcl_backend_response {
        if (beresp.status == 404) {
          set beresp.ttl = 5m;
        }
        if (beresp.http.Content-Type ~ "^image/") {
          set beresp.ttl = 1d;
          set beresp.http.X-Kind = "image";
        }
        if (bereq.url ~ "^/never/") {
          set beresp.uncacheable = true;
          return (deliver);
        }
      }

      sub vcl_synth {
        if (resp.status == 750) {
          set resp.http.Location = resp.reason;
          set resp.status = 301;
          return (deliver);
        }
        if (resp.status == 751) {
          set resp.http.Location = resp.reason;
          set resp.http.X-Moved = "yes";
          set resp.status = 308;
          return (deliver);
        }
        if (resp.status == 752) {
          set resp.http.Location = resp.reason;
          set resp.status = 302;
          return (deliver);
        }
        if (resp.status == 418) {
          set resp.http.Content-Type = "text/plain";
          synthetic("short and stout");
          return (deliver);
        }
      }

      sub vcl_deliver {
        if (req.url ~ "^/secure/") {
          set resp.http.Content-Security-Policy = "default-src 'self'";
        }
        if (!resp.http.X-Server) {
          set resp.http.X-Server = "edge";
        }
        unset resp.http.X-Secret;
      }
      """;

  /** Directors with probes, and explicit ends of each sub. */
  private static final String DIRECTORS =
      """
      vcl 4.1;
      import directors;

      probe up { .url = "/up"; .interval = 100ms; .timeout = 1s; .window = 3; .threshold = 2; }
      backend one { .host = "127.0.0.1"; .port = "PORT-0"; .probe = up; }
      backend two { .host = "127.0.0.1"; .port = "PORT-1"; .probe = up; }
      backend spare { .host = "127.0.0.1"; .port = "PORT-2"; }

      sub vcl_init {
        new all = directors.round_robin();
        all.add_backend(one);
        all.add_backend(two);
        new safe = directors.fallback();
        safe.add_backend(one);
        safe.add_backend(spare);
        return (ok);
      }

      sub vcl_recv {
        set req.backend_hint = all.backend();
        if (req.url ~ "^/safe/") {
          set req.backend_hint = safe.backend();
        }
        if (req.url ~ "^/pass/") {
          return (pass);
        }
        unset req.http.Cookie;
        return (hash);
      }

      sub vcl_hash {
        hash_data(req.url);
        if (req.http.host) {
          hash_data(req.http.host);
        } else {
          hash_data(server.ip);
        }
        return (lookup);
      }

      sub vcl_backend_fetch {
        set bereq.http.X-Edge = "yes";
        unset bereq.http.X-Debug;
        return (fetch);
      }

      sub vcl_backend_response {
        set beresp.ttl = 1h;
        set beresp.grace = 1h;
        return (deliver);
      }

      sub vcl_deliver {
        set resp.http.X-Path = req.url;
        return (deliver);
      }
      """;

  @TempDir private Path directory;

  private record Step(String method, String host, String target, List<String> fields) {
    @Override
    public String toString() {
      return method + " " + host + target + " " + fields;
    }
  }

  private static Step get(String target, String... fields) {
    return new Step("GET", "www.example.com", target, List.of(fields));
  }

  private static Step at(String host, String target, String... fields) {
    return new Step("GET", host, target, List.of(fields));
  }

  private static Step method(String method, String target) {
    return new Step(method, "www.example.com", target, List.of());
  }

  @Test
  void aSiteOfWordPressAnswersAsItDid() throws Exception {
    compare(
        WORDPRESS,
        List.of(
            get("/"),
            get("/"),
            get("/page?b=2&a=1"),
            get("/page?a=1&b=2"),
            get("/post?utm_source=mail&id=7"),
            get("/post?id=7&gclid=Cj0K"),
            get("/post?id=7"),
            get("/wp-admin/"),
            get("/wp-admin/"),
            get("/wp-login.php"),
            get("/wp-login.php"),
            get("/x?preview=true"),
            get("/x?preview=true"),
            get("/", "Cookie: wordpress_logged_in_abc=1"),
            get("/", "Cookie: a=b; comment_author_x=me"),
            get("/", "Cookie: _ga=GA1.2; has_js=1"),
            get("/", "Cookie: _ga=GA1.2; wp-settings-12=x"),
            get("/", "Cookie: _ga=GA1.2; session=7"),
            get("/", "Cookie: session=7"),
            get("/new", "Cookie: _ga=1"),
            get("/new", "Cookie: _gid=2"),
            get("/new"),
            get("/style.css", "Cookie: session=7"),
            get("/style.css?v=2", "Cookie: session=7"),
            get("/style.css"),
            get("/style.css?v=2"),
            get("/", "Authorization: Basic YTpi"),
            get("/", "Authorization: Basic YTpi"),
            get("/failing"),
            get("/failing"),
            get("/missing"),
            get("/missing"),
            get("/cookies"),
            get("/cookies"),
            get("/no-store"),
            get("/no-store"),
            at("www.example.com:8080", "/port"),
            at("www.example.com", "/port"),
            method("POST", "/"),
            method("HEAD", "/"),
            get("/"),
            method("PURGE", "/"),
            get("/"),
            get("/")));
  }

  @Test
  void aSiteWithSeveralBackendsAnAclAndRedirectsAnswersAsItDid() throws Exception {
    compare(
        BACKENDS,
        List.of(
            get("/"),
            get("/"),
            get("/", "X-Lang: de"),
            get("/", "X-Lang: de"),
            get("/", "X-Lang: en"),
            get("/a?b=c", "X-Forwarded-Proto: insecure"),
            at("old.example.com", "/deep/page?a=b"),
            at("old.example.com", "/"),
            get("/blog/42"),
            get("/blog/42/title?x=y"),
            get("/blog/x"),
            get("/intern/page"),
            get("/teapot"),
            at("api.example.com", "/v1"),
            at("api.example.com", "/v1"),
            get("/api/users?id=1"),
            get("/api/users?id=1"),
            at("media.example.com", "/a.png", "Cookie: a=b"),
            at("media.example.com", "/a.png"),
            at("img.example.com", "/a.png"),
            get("/a.png"),
            get("/a.png", "Cookie: a=b"),
            get("/shop/cart?id=1"),
            get("/shop/cart?id=1"),
            get("/", "User-Agent: a BadBot/1.0"),
            get("/api/x", "User-Agent: a BadBot/1.0"),
            get("/lang/x"),
            get("/lang/x", "X-Lang: de"),
            get("/lang/x", "X-Lang: fr"),
            get("/missing"),
            get("/missing"),
            get("/never/a"),
            get("/never/a"),
            get("/secure/a"),
            get("/named"),
            method("PURGE", "/"),
            get("/")));
  }

  @Test
  void aSiteWithDirectorsAndProbesAnswersAsItDid() throws Exception {
    compare(
        DIRECTORS,
        List.of(
            get("/a?x=1"),
            get("/a?x=1", "Cookie: a=b"),
            get("/b", "X-Debug: 1"),
            get("/b"),
            get("/safe/a"),
            get("/safe/a"),
            get("/pass/a", "Cookie: a=b"),
            get("/pass/a"),
            get("/c", "Cookie: session=7"),
            get("/c")));
  }

  // --- side by side -----------------------------------------------------------------------------

  /** Origins behind one of the two, which say what they were asked, and how often. */
  private static final class Origins implements AutoCloseable {
    private final List<PathOrigin> all = new ArrayList<>();

    /** Requests by what they asked for: servers of a group answer alike. */
    private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();

    static Origins start(boolean isGroup) throws Exception {
      Origins origins = new Origins();
      for (int i = 0; i < 3; i++) {
        String name = isGroup ? "group" : "origin-" + i;
        PathOrigin origin = PathOrigin.start();
        origins.all.add(origin);
        origin.on("/up", Origins::up);
        origin.otherwise(exchange -> origins.answer(name, exchange));
      }
      return origins;
    }

    /** A probe of Varnish ends with the connection. */
    private static void up(PathOrigin.Exchange exchange) throws Exception {
      exchange.respond(200, "Connection: close\r\nCache-Control: no-store\r\n", "up");
      exchange.close();
    }

    private void answer(String name, PathOrigin.Exchange exchange) throws Exception {
      PathOrigin.Request request = exchange.request();
      int count =
          counts
              .computeIfAbsent(
                  request.method() + request.field("host") + request.target(),
                  key -> new AtomicInteger())
              .incrementAndGet();
      String path = request.path();
      String fields = "X-Secret: 7\r\nX-Powered-By: tests\r\n";
      int status = 200;
      switch (path) {
        case "/failing" -> status = 500;
        case "/missing" -> status = 404;
        case "/cookies" -> fields += "Set-Cookie: id=1\r\n";
        case "/no-store" -> fields += "Cache-Control: no-store\r\n";
        case "/named" -> fields += "X-Server: origin\r\n";
        default -> {}
      }
      if (path.endsWith(".png")) {
        fields += "Content-Type: image/png\r\n";
      }
      exchange.respond(
          status,
          fields,
          "%s %s %s%s cookie=%s api=%s edge=%s debug=%s count=%d"
              .formatted(
                  name,
                  request.method(),
                  request.field("host"),
                  request.target(),
                  request.field("cookie"),
                  request.field("x-api"),
                  request.field("x-edge"),
                  request.field("x-debug"),
                  count));
    }

    String in(String vcl) {
      String text = vcl;
      for (int i = 0; i < all.size(); i++) {
        text = text.replace("PORT-" + i, String.valueOf(all.get(i).port()));
      }
      return text;
    }

    void awaitProbes() {
      for (PathOrigin origin : all.subList(0, 2)) {
        Await.until("probes of Varnish", () -> origin.count("/up") >= 4);
      }
    }

    @Override
    public void close() throws Exception {
      for (PathOrigin origin : all) {
        origin.close();
      }
    }
  }

  private void compare(String vcl, List<Step> steps) throws Exception {
    Path varnishd = Tools.require("varnishd");
    int port = Ports.free();
    boolean isGroup = vcl.contains("directors");
    try (Origins before = Origins.start(isGroup);
        Origins after = Origins.start(isGroup)) {
      Path program = directory.resolve("varnish.vcl");
      Files.writeString(program, before.in(vcl));
      Path file = directory.resolve("default.vcl");
      Files.writeString(file, after.in(vcl));
      Commands.Finished imported = Jar.quick().run("import", file.toString());
      assertTrue(imported.exit() == 0 || imported.exit() == 3, imported::err);
      EdgeProcess.Settings settings =
          EdgeProcess.in(directory.resolve("edge")).memory("64MiB").config(imported.out());
      Path home = Files.createDirectories(directory.resolve("varnish"));
      try (ServerUnderImport varnish =
              ServerUnderImport.start(
                  "varnishd", port, home, VclSite.command(varnishd, home, program, port));
          EdgeProcess edge = settings.start()) {
        if (isGroup) {
          before.awaitProbes();
        }
        List<String> differences = new ArrayList<>();
        for (Step step : steps) {
          Map<String, String> one = answer(varnish.port(), step);
          Map<String, String> other = answer(edge.port(), step);
          if (!one.equals(other)) {
            differences.add(step + "\n  varnish " + one + "\n  forebay " + other);
          }
        }
        assertTrue(
            differences.isEmpty(),
            () -> String.join("\n", differences) + "\n" + imported.out() + imported.err());
      }
    }
  }

  /** What both have to agree on; pages of errors are each server's own. */
  private static Map<String, String> answer(int port, Step step) {
    return Answer.of(
        new Request(
            new Entrance("80", port, false),
            step.method(),
            step.host(),
            step.target(),
            step.fields()),
        Set.of(
            "x-secret",
            "x-powered-by",
            "x-frame-options",
            "x-moved",
            "x-kind",
            "x-server",
            "content-security-policy",
            "x-path"),
        response ->
            response.text().contains(" count=") || response.text().equals("short and stout"));
  }
}
