package io.forebay.cli.importer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.ImportReport.Item;
import io.forebay.cli.importer.model.Verdict;
import io.forebay.cli.importer.vcl.VclImport;
import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class VclImportTest {
  private static final String HEAD =
      """
      vcl 4.1;
      import std;
      import cookie;
      backend default { .host = "127.0.0.1"; .port = "9000"; }
      backend other { .host = "127.0.0.1"; .port = "9001"; }
      acl office { "10.0.0.0"/8; "192.168.1.77"/24; "localhost"; ! "10.1.0.0"/16; }
      acl purgers { "10.0.0.5"; "fd00::"/8; }
      """;

  @TempDir Path directory;

  private ImportReport report = new ImportReport();

  private String imported(String vcl) throws Exception {
    Path file = directory.resolve("default.vcl");
    Files.writeString(file, vcl);
    report = new ImportReport();
    ConfigDraft draft = new ConfigDraft();
    VclImport.read(file, directory, report, draft);
    String yaml = draft.yaml();
    if (!draft.isEmpty()) {
      Path written = directory.resolve("forebay.yaml");
      Files.writeString(written, yaml);
      ConfigOutcome outcome = new ConfigLoader(ConfigEnvironment.system()).load(written, Map.of());
      assertInstanceOf(
          ConfigOutcome.Loaded.class, outcome, () -> outcome + "\n" + yaml + "\n" + vcl);
    }
    return yaml;
  }

  private void assertHas(String yaml, String... parts) {
    for (String part : parts) {
      assertTrue(yaml.contains(part), () -> part + "\nis not in\n" + yaml + "\n" + report.items());
    }
  }

  // --- statements -------------------------------------------------------------------------------

  /**
   * A statement and what becomes of it.
   *
   * @param verdict of the line of the report that has the mark
   * @param yaml what the configuration then has, or begins with ! and does not have
   */
  record Case(String sub, String code, String mark, String verdict, List<String> yaml) {
    @Override
    public String toString() {
      return sub + ": " + code.replaceAll("\\s+", " ");
    }
  }

  private static Case of(String sub, String code, String mark, String verdict, String... yaml) {
    return new Case(sub, code, mark, verdict, List.of(yaml));
  }

  private static Case recv(String code, String mark, String verdict, String... yaml) {
    return of("vcl_recv", code, mark, verdict, yaml);
  }

  private static Case response(String code, String mark, String verdict, String... yaml) {
    return of("vcl_backend_response", code, mark, verdict, yaml);
  }

  private static Case deliver(String code, String mark, String verdict, String... yaml) {
    return of("vcl_deliver", code, mark, verdict, yaml);
  }

  static Stream<Case> statements() {
    return Stream.of(
        // Returns.
        recv(
            "if (req.url ~ \"^/admin\") { return (pass); }",
            "return (pass)",
            "taken",
            "when: {path: {regex: ^/admin}}",
            "pass: true"),
        recv(
            "if (req.http.Authorization) { return (pass); }",
            "return (pass)",
            "taken",
            "header: {Authorization: \"*\"}"),
        recv(
            "if (req.method != \"GET\" && req.method != \"HEAD\") { return (pass); }",
            "return (pass)",
            "taken",
            "!method:"),
        recv(
            "if (req.method !~ \"^(GET|HEAD|PUT|POST)$\") { return (pipe); }",
            "return (pipe)",
            "taken",
            "!method:"),
        recv(
            "if (req.http.Upgrade ~ \"(?i)websocket\") { return (pipe); }",
            "return (pipe)",
            "taken",
            "upgrade: [websocket]"),
        recv(
            "if (req.url ~ \"^/stream/\") { return (pipe); }",
            "return (pipe)",
            "adapted differs",
            "pass: true"),
        recv("return (hash);", "return (hash)", "adapted differs", "!pass: true"),
        recv(
            "if (req.method != \"GET\" && req.method != \"HEAD\") { return (pass); }"
                + " return (hash);",
            "return (hash)",
            "taken",
            "!pass: true"),
        recv("unset req.http.x-a;", "unset", "taken", "header: {Cookie: \"*\"}", "remove: [x-a]"),
        recv("return (restart);", "return (restart)", "left"),
        recv(
            "if (req.http.host == \"a.example\") { return (synth(403, \"no\")); }",
            "return (synth(403",
            "taken",
            "when: {host: {is: a.example}}",
            "deny: 403"),
        recv(
            "if (req.url == \"/health\") { return (synth(200, \"OK\")); }",
            "return (synth(200",
            "adapted",
            "path: {is: /health}",
            "respond: {status: 200",
            "text: OK"),
        recv("if (req.url ~ \"^/x\") { return (synth(999)); }", "return (synth(999", "left"),
        recv(
            "return (synth(750, \"https://\" + req.http.host + req.url));",
            "return (synth(750",
            "left"),
        // Conditions.
        recv(
            "if (client.ip ~ office) { return (pass); }",
            "if (client.ip",
            "taken",
            "client: [10.0.0.0/8, 192.168.1.0/24, 127.0.0.1, \"::1\"]",
            "client: [10.1.0.0/16]"),
        recv(
            "if (!(client.ip ~ office) && req.url ~ \"^/intern\") { return (synth(403)); }",
            "return (synth(403",
            "taken",
            "deny: 403",
            "not:"),
        recv(
            "if (req.url ~ \"\\.(png|css)(\\?.*)?$\") { return (pass); }",
            "if (req.url",
            "taken",
            "path: {regex: \"\\\\.(png|css)$\"}"),
        recv(
            "if (std.integer(req.http.X-A, 0) > 3) { return (pass); }",
            "return (pass)",
            "left",
            "cache: false"),
        recv("if (req.url ~ \"\\.png$\") { return (pass); }", "if (req.url", "adapted differs"),
        recv(
            "if (req.url ~ \"^[^?]*\\.(png|css)(\\?.*)?$\") { return (pass); }",
            "if (req.url",
            "taken",
            "regex: ^.*\\.(png|css)$"),
        recv(
            "if (req.url ~ \"preview=true\") { return (pass); }",
            "if (req.url",
            "taken",
            "expression:",
            "preview=true"),
        recv("if (req.url ~ \"(?<!a)b\") { return (pass); }", "if (req.url", "left"),
        recv(
            "if (req.http.host ~ \"^(www\\.)?a\\.example$\") { return (pass); }",
            "if (req.http",
            "taken",
            "host: {regex: (?i)^(www\\.)?a\\.example$}"),
        recv("if (req.http.host == \"a.example:8080\") { return (pass); }", "if (req.http", "left"),
        recv(
            "if (req.http.X-A == \"1\" || req.http.X-B) { return (pass); }",
            "if (req.http",
            "taken",
            "X-A: {is: 1}",
            "X-B: \"*\""),
        recv(
            "if (std.tolower(req.http.X-A) == \"a.b\") { return (pass); }",
            "if (std.tolower",
            "taken",
            "regex: (?i)^a\\.b$"),
        recv(
            "if (req.proto == \"HTTP/1.0\") { return (pass); }",
            "if (req.proto",
            "taken",
            "protocol: HTTP/1.0"),
        recv(
            "if (req.restarts == 0) { unset req.http.X-A; }",
            "if (req.restarts",
            "taken",
            "remove: [X-A]"),
        recv("if (req.restarts > 0) { unset req.http.X-A; }", "unset", "unneeded", "!X-A"),
        recv("if (std.healthy(default)) { set req.grace = 10s; }", "set req.grace", "left"),
        recv("if (server.ip == \"10.0.0.1\") { return (pass); }", "return (pass)", "left"),
        recv(
            "if (req.method == \"POST\") { return (pass); } else { unset req.http.X-A; }",
            "unset",
            "taken",
            "remove: [X-A]"),
        // Changes of the request.
        recv("set req.backend_hint = other;", "set req.backend_hint", "taken", "- origin: other"),
        recv(
            "if (req.url ~ \"^/api/\") { set req.backend_hint = other; }",
            "set req.backend_hint",
            "taken",
            "path: {regex: ^/api/}",
            "origin: other"),
        recv(
            "if (req.http.X-A) { set req.backend_hint = other; return (pass); }",
            "set req.backend_hint",
            "taken",
            "origin: other",
            "pass: true"),
        recv("if (req.http.X-A) { set req.backend_hint = other; }", "set req.backend_hint", "left"),
        recv("set req.http.X-A = \"1\";", "set", "taken", "request-headers: {set: {X-A: 1}}"),
        recv("set req.http.X-A = req.url;", "set", "taken", "X-A: $uri"),
        recv("set req.http.X-A = client.ip;", "set", "left"),
        recv("set req.http.X-Forwarded-For = client.ip;", "set", "unneeded"),
        recv("set req.http.Accept-Encoding = \"gzip\";", "set", "unneeded"),
        recv("unset req.http.proxy;", "unset", "unneeded"),
        recv(
            "unset req.http.Cookie;",
            "unset",
            "taken",
            "request-cookies: {keep: []}",
            "!Cookie: \"*\""),
        recv(
            "if (req.url ~ \"^/static/\") { unset req.http.Cookie; }",
            "unset",
            "taken",
            "remove: [Cookie]"),
        recv(
            "if (req.http.Cookie !~ \"logged_in\") { unset req.http.Cookie; }",
            "unset",
            "taken",
            "ignore-headers: [Cookie]",
            "logged_in"),
        recv(
            "set req.http.Cookie = regsuball(req.http.Cookie, \"(^|;\\s*)(_ga|has_js)=[^;]*\","
                + " \"\");",
            "set",
            "taken",
            "strip: [_ga, has_js]",
            "request.cookies.exists",
            "ignore-headers: [Cookie]"),
        recv(
            "set req.http.Cookie = regsuball(req.http.Cookie, \"__utm.=[^;]+(; )?\", \"\");",
            "set",
            "taken",
            "__utma",
            "__utmz"),
        recv("set req.http.Cookie = regsub(req.http.Cookie, \"^;\\s*\", \"\");", "set", "unneeded"),
        recv("set req.http.Cookie = regsub(req.http.Cookie, \"a\", \"b\");", "set", "left"),
        recv(
            "set req.http.Cookie = regsuball(req.http.Cookie, \"_ga=[^;]*\", \"\");"
                + " if (req.http.Cookie ~ \"^\\s*$\") { unset req.http.Cookie; } return (hash);",
            "unset",
            "unneeded",
            "strip: [_ga]"),
        recv(
            "cookie.parse(req.http.cookie); cookie.keep(\"sid,lang\");"
                + " set req.http.cookie = cookie.get_string();",
            "cookie.keep",
            "taken",
            "request-cookies: {keep: [sid, lang]}",
            "cookie: {sid: \"*\"}"),
        recv("set req.url = std.querysort(req.url);", "set", "taken", "query: sort"),
        recv(
            "set req.url = regsuball(req.url, \"([?&])(utm_[a-z]+|gclid)=[^&]*\", \"\\1\");",
            "set",
            "taken",
            "strip: [utm_*, gclid]"),
        recv(
            "if (req.url ~ \"(\\?|&)(gclid)=\") { set req.url = regsuball(req.url,"
                + " \"&(gclid)=([A-z0-9_\\-\\.%25]+)\", \"\"); }",
            "set", "taken", "strip: [gclid]"),
        recv("set req.url = regsub(req.url, \"\\?&\", \"?\");", "set", "unneeded"),
        recv("set req.url = regsub(req.url, \"\\?.*$\", \"\");", "set", "taken", "query: ignore"),
        recv(
            "if (req.url ~ \"^/img/\") { set req.url = regsub(req.url, \"\\?.*\", \"\"); }",
            "set",
            "adapted differs",
            "rewrite: {path: $path}"),
        recv("set req.url = regsub(req.url, \"#.*$\", \"\");", "set", "unneeded"),
        recv(
            "set req.url = regsub(req.url, \"^/old/(.*)\", \"/new/\\1\");",
            "set",
            "adapted differs",
            "path: /new/$1?$query"),
        recv(
            "set req.url = regsub(req.url, \"^/app\", \"\");",
            "set",
            "adapted differs",
            "regex: ^/app/(.*)$",
            "path: /$1?$query"),
        recv(
            "set req.url = regsub(req.url, \"foo\", \"bar\");",
            "set",
            "adapted differs",
            "regex: ^/(.*?)foo(.*)$",
            "path: /$1bar$2?$query"),
        recv("set req.url = regsub(req.url, \"/foo\", \"\");", "set", "left"),
        recv("set req.url = regsub(req.url, \"^/(.*)\", \"\\1\");", "set", "left"),
        recv("set req.url = regsub(req.url, \"^http[s]?://\", \"\");", "set", "unneeded"),
        recv(
            "set req.http.host = regsub(req.http.host, \":[0-9]+\", \"\");",
            "set",
            "taken",
            "port: false"),
        recv("set req.http.host = std.tolower(req.http.host);", "set", "unneeded"),
        recv(
            "set req.http.host = \"www.a.example\";",
            "set",
            "adapted differs",
            "host: www.a.example"),
        recv("set req.grace = 20s;", "set", "adapted differs"),
        recv("set req.hash_always_miss = true;", "set", "left"),
        recv("std.log(\"x\");", "std.log", "unneeded"),
        recv("std.rollback(req);", "std.rollback", "left"),
        recv("ban(\"req.url ~ /\");", "ban(", "left"),
        recv("call nowhere;", "call", "left"),
        recv("C{ int i; }C", "C{", "left"),
        // Purges.
        recv(
            "if (req.method == \"PURGE\") { if (!client.ip ~ purgers) { return (synth(405)); }"
                + " return (purge); }",
            "return (purge)",
            "taken",
            "purge:",
            "from: [10.0.0.5, \"fd00::/8\"]",
            "!deny"),
        recv(
            "if (req.method == \"PURGE\" && client.ip ~ purgers) { return (purge); }",
            "return (purge)",
            "taken",
            "10.0.0.5"),
        recv(
            "if (req.method == \"PURGE\") { return (purge); }",
            "return (purge)",
            "left",
            "!purge:"),
        recv(
            "if (req.method == \"BAN\") { if (!(client.ip ~ purgers)) { return (synth(403)); }"
                + " ban(\"req.http.host == \" + req.http.host); return (synth(200)); }",
            "ban(",
            "adapted differs",
            "10.0.0.5"),
        // Keys.
        of(
            "vcl_hash",
            "hash_data(req.url); hash_data(req.http.X-Lang); return (lookup);",
            "hash_data(req.http.X-Lang)",
            "taken",
            "headers: [X-Lang]"),
        of(
            "vcl_hash",
            "if (req.http.host) { hash_data(req.http.host); }" + " else { hash_data(server.ip); }",
            "hash_data(server.ip)",
            "taken"),
        of(
            "vcl_hash",
            "hash_data(regsub(req.http.Cookie, \"^.*lang=([^;]*).*$\", \"\\1\"));",
            "hash_data",
            "taken",
            "cookies: [lang]"),
        of(
            "vcl_hash",
            "if (req.http.Cookie) { hash_data(req.http.Cookie); }",
            "hash_data(req.http.Cookie)",
            "adapted differs",
            "headers: [Cookie]"),
        of("vcl_hash", "hash_data(client.ip);", "hash_data", "left", "cache: false"),
        // Requests to the origin.
        of(
            "vcl_backend_fetch",
            "set bereq.http.X-A = \"b\";",
            "set",
            "taken",
            "request-headers: {set: {X-A: b}}"),
        of("vcl_backend_fetch", "unset bereq.http.X-A;", "unset", "taken", "remove: [X-A]"),
        of("vcl_backend_fetch", "set bereq.http.host = \"a.example\";", "set", "left"),
        of("vcl_backend_fetch", "return (fetch);", "return", "taken"),
        // Responses of the origin.
        response("set beresp.ttl = 1h;", "set", "taken", "ttl: 1h"),
        response("set beresp.ttl = 0s;", "set", "taken", "cache: false"),
        response("set beresp.ttl = 60 * 1m;", "set", "taken", "ttl: 1h"),
        response("set beresp.ttl = beresp.ttl + 1h;", "set", "left"),
        response(
            "if (bereq.url ~ \"^/a\") { set beresp.ttl = 5m; }",
            "set",
            "taken",
            "when: {path: {regex: ^/a}}",
            "ttl: 5m"),
        response(
            "if (beresp.status == 404 || beresp.status >= 500) { set beresp.ttl = 10s; }",
            "set",
            "taken",
            "status: [404, 500-599]"),
        response(
            "if (beresp.http.Content-Type ~ \"^image/\") { set beresp.ttl = 1d; }",
            "set",
            "taken",
            "header: {Content-Type: {regex: ^image/}}"),
        response(
            "if (beresp.status != 200 && !beresp.http.X-A) { set beresp.ttl = 1s; }",
            "set",
            "taken",
            "expression:"),
        response("set beresp.grace = 1h;", "set", "taken", "grace: 1h", "stale-if-error: 1h"),
        response("set beresp.keep = 8h;", "set", "taken", "keep: 8h"),
        response("set beresp.uncacheable = true;", "set", "taken", "cache: false"),
        response("set beresp.do_stream = true;", "set", "unneeded"),
        response("set beresp.do_esi = true;", "set", "left"),
        response("set beresp.do_gzip = true;", "set", "adapted", "compress: on"),
        response("set beresp.do_gzip = false;", "set", "adapted"),
        response("unset beresp.http.Set-Cookie;", "unset", "taken", "set-cookie: strip"),
        response(
            "if (bereq.url ~ \"^/a\") { unset beresp.http.Set-Cookie; }",
            "unset",
            "adapted differs",
            "remove: [Set-Cookie]"),
        response(
            "if (beresp.ttl > 0s && bereq.method == \"GET\") { unset beresp.http.Set-Cookie; }",
            "unset",
            "taken",
            "set-cookie: strip",
            "!remove"),
        response("unset beresp.http.Server;", "unset", "taken", "remove: [Server]"),
        response("set beresp.http.Cache-Control = \"public\";", "set", "adapted differs"),
        response("set beresp.http.X-A = bereq.url;", "set", "taken", "X-A: $uri"),
        response("return (deliver);", "return", "adapted differs"),
        response("return (pass(120s));", "return", "taken", "cache: false"),
        response("return (retry);", "return", "left"),
        response(
            "if (beresp.ttl <= 0s || beresp.http.Set-Cookie || beresp.http.Vary == \"*\") {"
                + " set beresp.ttl = 120s; set beresp.uncacheable = true; return (deliver); }",
            "set beresp.uncacheable",
            "unneeded",
            "!cache: false"),
        // Delivery.
        deliver("set resp.http.X-A = \"b\";", "set", "taken", "response-headers: {set: {X-A: b}}"),
        deliver("unset resp.http.X-Powered-By;", "unset", "taken", "remove: [X-Powered-By]"),
        deliver("unset resp.http.X-Varnish;", "unset", "unneeded"),
        deliver("unset resp.http.Via;", "unset", "left"),
        deliver(
            "if (!resp.http.X-A) { set resp.http.X-A = \"b\"; }",
            "set",
            "taken",
            "default: {X-A: b}"),
        deliver(
            "if (obj.hits > 0) { set resp.http.X-Cache = \"HIT\"; } else {"
                + " set resp.http.X-Cache = \"MISS\"; }",
            "set resp.http.X-Cache = \"HIT\"",
            "adapted differs: Cache-Status",
            "!X-Cache"),
        deliver("set resp.http.X-Hits = obj.hits;", "set", "adapted differs"),
        deliver(
            "set resp.http.Strict-Transport-Security = \"max-age=600\";",
            "set",
            "adapted",
            "hsts: {max-age: 600s}"),
        deliver("return (deliver);", "return", "taken"),
        deliver("return (restart);", "return", "left"),
        // What is fixed.
        of("vcl_hit", "return (deliver);", "return", "unneeded"),
        of("vcl_miss", "return (fetch);", "return", "unneeded"),
        of("vcl_pass", "return (synth(404));", "return", "left"),
        of("vcl_pipe", "set bereq.http.Connection = \"close\";", "set", "unneeded"),
        of("vcl_purge", "return (synth(200, \"Purged\"));", "return", "unneeded"),
        of(
            "vcl_backend_error",
            "synthetic({\"<h1>\"} + beresp.status + {\"</h1>\"});",
            "synthetic",
            "adapted differs",
            "error-pages:",
            "<h1>$status</h1>"),
        of("vcl_unknown", "set req.url = \"/\";", "set", "unneeded"));
  }

  @ParameterizedTest
  @MethodSource("statements")
  void everyKindOfStatementHasItsPlaceAndItsVerdict(Case one) throws Exception {
    String yaml = imported(HEAD + "sub " + one.sub() + " {\n" + one.code() + "\n}\n");
    List<Item> items =
        report.items().stream()
            .filter(item -> item.line() > 8 && item.directive().startsWith(one.mark()))
            .toList();
    assertEquals(1, items.size(), () -> one.mark() + " in " + report.items() + "\n" + yaml);
    String verdict = items.getFirst().verdict() + " " + items.getFirst().text();
    assertTrue(
        verdict.startsWith(one.verdict()),
        () -> verdict + ", not " + one.verdict() + "\n" + report.items() + "\n" + yaml);
    for (String part : one.yaml()) {
      if (part.startsWith("!")) {
        assertFalse(yaml.contains(part.substring(1)), () -> part + "\n" + yaml);
      } else {
        assertHas(yaml, part);
      }
    }
  }

  // --- origins ----------------------------------------------------------------------------------

  @Test
  void aBackendIsAnOriginWithItsProbe() throws Exception {
    String yaml =
        imported(
            """
            vcl 4.1;
            probe health { .url = "/up"; .interval = 10s; .timeout = 1.5s; .window = 5;
              .threshold = 3; .expected_response = 204; }
            backend site {
              .host = "10.0.0.5"; .port = "8080"; .connect_timeout = 2s;
              .first_byte_timeout = 20s; .between_bytes_timeout = 500ms; .max_connections = 50;
              .probe = health;
            }
            """);
    assertHas(
        yaml,
        "url: http://10.0.0.5:8080",
        "timeouts: {connect: 2s, first-byte: 20s, idle: 500ms}",
        "max-connections: 50",
        "path: /up",
        "interval: 10s",
        "timeout: 1500ms",
        "statuses: [204]",
        "unhealthy: 3",
        "window: 5");
    assertEquals(0, report.count(Verdict.LEFT), () -> report.items().toString());
  }

  @Test
  void directorsAreOriginsWithServers() throws Exception {
    String yaml =
        imported(
            """
            vcl 4.1;
            import directors;
            backend a { .host = "10.0.0.1"; }
            backend b { .host = "10.0.0.2"; .port = "81"; }
            backend spare { .path = "/run/app.sock"; }
            sub vcl_init {
              new turn = directors.round_robin();
              turn.add_backend(a);
              turn.add_backend(b);
              new chance = directors.random();
              chance.add_backend(a, 1);
              chance.add_backend(b, 3.0);
              new steady = directors.hash();
              steady.add_backend(a, 1.0);
              new last = directors.fallback();
              last.add_backend(a);
              last.add_backend(spare);
            }
            sub vcl_recv {
              set req.backend_hint = turn.backend();
              if (req.url ~ "^/chance/") { set req.backend_hint = chance.backend(); }
              if (req.url ~ "^/steady/") { set req.backend_hint = steady.backend(req.url); }
              if (req.url ~ "^/last/") { set req.backend_hint = last.backend(); }
            }
            """);
    assertHas(
        yaml,
        "servers: [http://10.0.0.1, http://10.0.0.2:81]",
        "balance: round-robin",
        "balance: random",
        "{url: http://10.0.0.2:81, weight: 3}",
        "balance: consistent",
        "backup: true",
        "unix:/run/app.sock");
    assertEquals(0, report.count(Verdict.LEFT), () -> report.items().toString());
  }

  // --- answers ----------------------------------------------------------------------------------

  @Test
  void redirectsByWayOfAStatusOfOnesOwnAreRedirects() throws Exception {
    String yaml =
        imported(
            HEAD
                + """
                sub vcl_recv {
                  if (req.http.X-Forwarded-Proto !~ "https") {
                    return (synth(750, "https://" + req.http.host + req.url));
                  }
                  if (req.http.host == "www.a.example") {
                    return (synth(751, "https://" + regsub(req.http.host, "^www\\.", "") + req.url));
                  }
                  if (req.url ~ "^/old/(.*)") {
                    set req.http.X-To = regsub(req.url, "^/old/(.*)", "/new/\\1");
                    return (synth(752));
                  }
                }
                sub vcl_synth {
                  if (resp.status == 750) {
                    set resp.status = 301;
                    set resp.http.Location = resp.reason;
                    return (deliver);
                  } elseif (resp.status == 751) {
                    set resp.status = 302;
                    set resp.http.Location = resp.reason;
                    set resp.http.X-Why = "host";
                    return (deliver);
                  } elsif (resp.status == 752) {
                    set resp.status = 308;
                    set resp.http.Location = req.http.X-To;
                    return (deliver);
                  } else if (resp.status == 799) {
                    set resp.status = 200;
                  }
                }
                """);
    assertHas(
        yaml,
        "redirect: {to: https://$host$uri, status: 301}",
        "redirect: {to: https://a.example$uri, status: 302}",
        "response-headers: {set: {X-Why: host}}",
        "redirect: {to: /new/$1?$query, status: 308}");
    assertEquals(0, report.count(Verdict.LEFT), () -> report.items().toString());
    assertTrue(
        report.items().stream()
            .anyMatch(
                item -> item.directive().contains("799") && item.verdict() == Verdict.UNNEEDED));
  }

  @Test
  void statementsBehindAReturnDoNotHoldForWhatHasReturned() throws Exception {
    String yaml =
        imported(
            HEAD
                + """
                sub vcl_recv {
                  if (req.url ~ "^/static/") { return (hash); }
                  if (req.url ~ "^/private/") { return (pass); }
                  if (req.http.X-Bot) { return (synth(429)); }
                }
                """);
    int deny = yaml.indexOf("deny: 429");
    String rule = yaml.substring(yaml.lastIndexOf("- when", deny), deny);
    assertTrue(rule.contains("^/static/") && rule.contains("^/private/"), rule);
    // Cookies still pass, but not below /static/.
    int pass = yaml.lastIndexOf("pass: true");
    String last = yaml.substring(yaml.lastIndexOf("- when", pass), pass);
    assertTrue(last.contains("Cookie") && last.contains("^/static/"), last);
  }

  @Test
  void aFieldThatIsOnlySetToBeComparedIsReplacedByItsCondition() throws Exception {
    String yaml =
        imported(
            HEAD
                + """
                sub vcl_recv {
                  set req.http.X-Kind = "page";
                  if (req.url ~ "^/api/") { set req.http.X-Kind = "api"; }
                  if (req.http.X-Kind == "api") { return (pass); }
                }
                """);
    assertHas(yaml, "when: {path: {regex: ^/api/}}");
    int pass = yaml.indexOf("pass: true");
    assertTrue(yaml.substring(0, pass).contains("^/api/"), yaml);
  }

  @Test
  void cookiesThatAreKeptOfAllOthersArePassed() throws Exception {
    String yaml =
        imported(
            HEAD
                + """
                sub vcl_recv {
                  if (req.http.Cookie) {
                    set req.http.Cookie = ";" + req.http.Cookie;
                    set req.http.Cookie = regsuball(req.http.Cookie, "; +", ";");
                    set req.http.Cookie =
                        regsuball(req.http.Cookie, ";(SESS[a-z0-9]+|NO_CACHE)=", "; \\1=");
                    set req.http.Cookie = regsuball(req.http.Cookie, ";[^ ][^;]*", "");
                    set req.http.Cookie = regsuball(req.http.Cookie, "^[; ]+|[; ]+$", "");
                    if (req.http.Cookie == "") { unset req.http.Cookie; } else { return (pass); }
                  }
                }
                """);
    assertHas(yaml, "SESS[a-z0-9]+|NO_CACHE", "pass: true", "ignore-headers: [Cookie]");
    assertEquals(0, report.count(Verdict.LEFT), () -> report.items().toString());
  }

  // --- files ------------------------------------------------------------------------------------

  @Test
  void includesAndSubsOfOneNameAreReadInTheirOrder() throws Exception {
    Files.writeString(
        directory.resolve("more.vcl"), "sub vcl_recv { set req.http.X-B = \"2\"; }\n");
    Files.writeString(directory.resolve("part.vcl"), "set req.http.X-C = \"3\";\n");
    String yaml =
        imported(
            HEAD
                + """
                sub vcl_recv { set req.http.X-A = "1"; include "part.vcl"; call mine; }
                include "more.vcl";
                include "gone.vcl";
                sub mine { set req.http.X-D = {"4"}; }
                """);
    assertTrue(
        yaml.indexOf("X-A") < yaml.indexOf("X-C")
            && yaml.indexOf("X-C") < yaml.indexOf("X-D")
            && yaml.indexOf("X-D") < yaml.indexOf("X-B"),
        yaml);
    assertEquals(1, report.count(Verdict.LEFT), () -> report.items().toString());
  }

  @Test
  void commentsAndLongStringsAreRead() throws Exception {
    String yaml =
        imported(
            HEAD
                + """
                # one { " }
                // two
                /* three
                   { */
                sub vcl_recv {
                  set req.http.X-A = {"a "b" c"};
                  set req.http.X-B = \"\"\"d "e" f\"\"\";
                }
                """);
    assertHas(yaml, "X-A: \"a \\\"b\\\" c\"", "X-B: \"d \\\"e\\\" f\"");
  }

  static Stream<List<String>> wrong() {
    return Stream.of(
        List.of("sub vcl_recv {", "1:14: the brace that opens here is not closed"),
        List.of("sub vcl_recv { set req.url }", "1:28: = was expected, not \"}\""),
        List.of("sub vcl_recv { set req.url = ; }", "1:30: a value was expected, not \";\""),
        List.of("sub vcl_recv {\n  if req.url { }\n}", "2:6: ( was expected"),
        List.of("sub vcl_recv { return (pass) }", "1:30: ; was expected"),
        List.of("backend a { .host = \"a\n\"; }", "1:21: the quote that opens here is not closed"),
        List.of("backend a { host = \"a\"; }", "1:13: . was expected"),
        List.of("acl a { 10.0.0.1; }", "1:9: an address in quotes was expected"),
        List.of("sub a { synthetic({\"endless", "1:19: what opens here is not closed: \"}"),
        List.of("/* endless", "1:1: the comment that opens here is not closed"),
        List.of("server { listen 80; }", "1:1: a declaration such as backend, acl or sub"),
        List.of(
            "sub a { set req.url = \"\u0007\"; \u0001 }", "1:28: a character that VCL does not"),
        List.of("}", "1:1: a declaration such as"),
        List.of("include \"default.vcl\";", "1:1: "),
        List.of("sub a { if (a == (" + "(".repeat(200), "nested deeper than 64 levels"),
        List.of("sub a { " + "if (a) { ".repeat(200), "nested deeper than 64 levels"),
        List.of("sub a { if (" + "!".repeat(200) + "a) {} }", "nested deeper than 64 levels"),
        List.of("sub a {" + " set a = 1;".repeat(60_000), "more than 200000 words"));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void whatIsNoVclIsRefusedWithItsPlace(List<String> one) {
    ImportException refused = assertThrows(ImportException.class, () -> imported(one.getFirst()));
    assertTrue(
        refused.problem().contains("default.vcl:") && refused.problem().contains(one.getLast()),
        refused.problem());
  }

  @Test
  void filesThatIncludeEachOtherAreRefused() throws Exception {
    Files.writeString(directory.resolve("b.vcl"), "include \"default.vcl\";\n");
    ImportException refused =
        assertThrows(ImportException.class, () -> imported("include \"b.vcl\";\n"));
    assertTrue(refused.problem().contains("includes itself"), refused.problem());
  }

  @Test
  void subsThatCallEachOtherEnd() throws Exception {
    imported(
        HEAD
            + """
            sub a { call b; }
            sub b { call a; }
            sub vcl_recv { call a; }
            sub vcl_synth { call a; }
            sub vcl_hash { call a; }
            sub vcl_deliver { call a; }
            """);
    assertTrue(report.count(Verdict.LEFT) > 0);
  }

  @Test
  void whateverAFileHasTheConfigurationIsOneThatANodeAccepts() throws Exception {
    String whole =
        HEAD
            + statements()
                .filter(one -> !one.code().startsWith("return"))
                .map(one -> "sub " + one.sub() + " { " + one.code() + " }\n")
                .reduce("", String::concat);
    imported(whole);
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    SplittableRandom random = new SplittableRandom(seed);
    int read = 0;
    for (int i = 0; i < 300; i++) {
      StringBuilder text = new StringBuilder(whole);
      int changes = random.nextInt(1, 4);
      for (int j = 0; j < changes; j++) {
        int at = random.nextInt(HEAD.length(), text.length() - 20);
        switch (random.nextInt(4)) {
          case 0 -> text.deleteCharAt(at);
          case 1 -> text.setCharAt(at, "{}();!\"~=.a1 ".charAt(random.nextInt(13)));
          case 2 -> text.delete(at, at + random.nextInt(1, 15));
          default -> text.insert(at, text.substring(at, at + random.nextInt(1, 15)));
        }
      }
      try {
        imported(text.toString());
        read++;
      } catch (ImportException e) {
        assertTrue(e.problem().matches("(?s).*default\\.vcl:\\d+:\\d+: .*"), e.problem());
      }
    }
    assertTrue(read > 10, "read " + read);
  }
}
