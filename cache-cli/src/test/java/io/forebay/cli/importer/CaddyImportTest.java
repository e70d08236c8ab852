package io.forebay.cli.importer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.importer.caddy.CaddyImport;
import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.Verdict;
import io.forebay.server.config.ConfigEnvironment;
import io.forebay.server.config.ConfigLoader;
import io.forebay.server.config.ConfigOutcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CaddyImportTest {
  @TempDir Path directory;

  private ImportReport report = new ImportReport();

  /** The configuration that a Caddyfile becomes, which a node accepts. */
  private String imported(String caddyfile) throws Exception {
    String yaml = draft(caddyfile);
    Path written = directory.resolve("forebay.yaml");
    Files.writeString(written, yaml);
    ConfigOutcome outcome = new ConfigLoader(ConfigEnvironment.system()).load(written, Map.of());
    assertInstanceOf(ConfigOutcome.Loaded.class, outcome, () -> outcome + "\n" + yaml);
    return yaml;
  }

  /** The same, where files are not there that it names. */
  private String draft(String caddyfile) throws Exception {
    Path file = directory.resolve("Caddyfile");
    Files.writeString(file, caddyfile);
    report = new ImportReport();
    ConfigDraft draft = new ConfigDraft();
    CaddyImport.read(file, directory, report, draft);
    return draft.yaml();
  }

  private static String site(String body) {
    return ":8080 {\n" + body.replace("; ", "\n") + "\n}\n";
  }

  private void assertHas(String yaml, String... parts) {
    for (String part : parts) {
      assertTrue(
          yaml.replace("\"", "").contains(part.replace("\"", "")),
          () -> part + "\nis not in\n" + yaml + "\n" + report.items());
    }
  }

  private void assertVerdict(Verdict verdict, String directive) {
    assertTrue(
        report.items().stream()
            .anyMatch(item -> item.directive().startsWith(directive) && item.verdict() == verdict),
        () -> verdict + " " + directive + " is not in " + report.items());
  }

  @Test
  void aProxiedSiteIsARouteThatIsNotCached() throws Exception {
    assertEquals(
        """
        listen:
          - {address: ":8080"}
        compress: off
        origins:
          origin: {url: http://localhost:9000}
        routes:
          - {origin: origin, cache: false, upgrade: [websocket]}
        """,
        imported(":8080\nreverse_proxy localhost:9000\n"));
    assertEquals(0, report.count(Verdict.LEFT));
    assertVerdict(Verdict.TAKEN, "reverse_proxy");
  }

  @Test
  void aNameIsServedOverTlsWithAnOrderedCertificate() throws Exception {
    String yaml =
        imported(
            """
            {
              email admin@example.com
              acme_ca https://ca.example.com/directory
            }
            www.example.com, example.com {
              reverse_proxy 10.0.0.5:8080
            }
            """);
    assertHas(
        yaml,
        "- {address: :80}",
        "- {address: :443, tls: {acme: true}}",
        "hosts: [www.example.com, example.com]",
        "email: admin@example.com",
        "directory: https://ca.example.com/directory",
        "when: {scheme: http}",
        "redirect: {to: https://$host$uri, status: 308}",
        "match: {host: example.com}");
  }

  @Test
  void theRedirectToTlsListensWhereTheSiteDoes() throws Exception {
    String yaml = imported("{\ndefault_bind 127.0.0.1\n}\nwww.example.com {\nrespond ok\n}\n");
    assertHas(yaml, "address: 127.0.0.1:443", "address: 127.0.0.1:80}");
    assertFalse(yaml.contains("\":80"), yaml);
  }

  @Test
  void sitesOfOneHostOnSeveralPortsShareARoute() throws Exception {
    assertHas(
        imported(
            """
            :8080 {
              reverse_proxy 10.0.0.5
            }
            :8081 {
              respond /x 404
              reverse_proxy 10.0.0.6
            }
            """),
        "name: http-8081",
        "when: {listener: [http-8080]}",
        "origin: 10-0-0-6",
        "pass: true");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "redir https://b.example{uri} | redirect: {to: https://b.example$uri, status: 302}",
        "redir https://www.{host}{uri} permanent | redirect: {to: https://www.$host$uri, status: 301}",
        "redir /old /new 307 | redirect: {to: /new, status: 307}",
        "redir * /x?{query} | redirect: {to: /x?$query, status: 302}",
        "respond 404 | respond: 404",
        "respond \"Hello, world\" | respond: {status: 200, text: Hello, world}",
        "respond /health ok 200 | when: {path: {is: /health}}",
        "error 410 | deny: 410",
        "error /x \"not here\" 404 | deny: 404",
        "abort | deny: 403",
        "header X-A b | add: {X-A: b}",
        "header -Server | remove: [Server]",
        "header ?X-A b | default: {X-A: b}",
        "header >X-A b | set: {X-A: b}",
        "header +X-A b | add: {X-A: b}",
        "header Strict-Transport-Security \"max-age=31536000;includeSubDomains;preload\" | hsts: {max-age: 31536000s, subdomains: true, preload: true}",
        "rewrite * /v1{uri} | rewrite: {path: /v1$uri}",
        "rewrite ?a=b | rewrite: {path: $path?a=b}",
        "uri strip_prefix /api | rewrite: {strip-prefix: /api}",
        "uri strip_suffix .html | rewrite: {path: /$1}",
        "request_header X-A {host} | set: {X-A: $host}",
        "request_header -X-A | remove: [X-A]",
        "reverse_proxy https://o.example | url: https://o.example",
        "reverse_proxy unix//run/app.sock | url: unix:/run/app.sock",
        "reverse_proxy :9000-9002 | balance: random",
        "reverse_proxy a:1 b:2 { lb_policy round_robin } | balance: round-robin",
        "reverse_proxy a:1 b:2 { lb_policy first } | {url: http://b:2, backup: true}",
        "reverse_proxy a:1 b:2 { lb_policy least_conn } | balance: least-requests",
        "reverse_proxy a:1 b:2 { lb_policy weighted_round_robin 3 1 } | {url: http://a:1, weight: 3}",
        "reverse_proxy a:1 { header_up Host {upstream_hostport} } | host: a:1",
        "reverse_proxy a:1 { header_up Host b.example } | host: b.example",
        "reverse_proxy a:1 { header_up X-A b } | request-headers: {set: {X-A: b}}",
        "reverse_proxy a:1 { header_down -Server } | response-headers: {remove: [Server]}",
        "reverse_proxy a:1 { health_uri /up } | probe: {path: /up, type: http}",
        "reverse_proxy a:1 { fail_duration 30s } | ejection: {time: 30s, failures: 1}",
        "reverse_proxy a:1 { lb_retries 2 } | retry: {attempts: 2}",
        "reverse_proxy { to a:1 } | url: http://a:1",
        "reverse_proxy { dynamic srv _http._tcp.o.example } | url: http+srv://_http._tcp.o.example",
        "reverse_proxy h2c://a:1 | protocol: http2",
        "file_server { root DIR } | files:",
        "request_body { max_size 10MiB } | request-body: 10MiB",
        "log { output file /var/log/access.log } | access-log: /var/log/access.log",
        "handle_errors { respond \"{err.status_code} {err.status_text}\" } | text: $status $reason",
      })
  void aDirectiveBecomesASetting(String directive, String setting) throws Exception {
    String text =
        directive
            .replace("{ ", "{\n")
            .replaceFirst(" }$", "\n}")
            .replace("DIR", directory.toString());
    assertHas(imported(site(text)), setting);
    assertEquals(0, report.count(Verdict.LEFT), () -> report.items().toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "tls | https://a:1 | url: https://a:1",
        "tls_server_name o.example | a:1 | tls: {server-name: o.example}",
        "dial_timeout 2s | a:1 | timeouts: {connect: 2s}",
        "response_header_timeout 5s | a:1 | first-byte: 5s",
        "read_timeout 1m30s | a:1 | idle: 90s",
        "keepalive off | a:1 | keep-alive: 0s",
        "keepalive 20s | a:1 | keep-alive: 20s",
        "versions 2 | https://a:1 | protocol: http2",
        "versions 1.1 2 | https://a:1 | protocol: auto",
        "proxy_protocol v2 | a:1 | proxy-protocol: v2",
        "max_conns_per_host 9 | a:1 | max-connections: 9",
      })
  void aTransportIsSettingsOfTheOrigin(String line, String server, String setting)
      throws Exception {
    String yaml =
        imported(site("reverse_proxy " + server + " {\ntransport http {\n" + line + "\n}\n}"));
    assertHas(yaml.replace("1m30s", "90s"), setting);
    assertEquals(0, report.count(Verdict.LEFT), () -> report.items().toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "path /a/* | path: {prefix: /a/}",
        "path /a | path: {is: /a}",
        "path /a/* /b/* | path: {prefix: [/a/, /b/]}",
        "path *.css *.js | path: {suffix: [.css, .js]}",
        "path /a/*/c | path: {regex: ^/a/[^/]*/c$}",
        "path_regexp ^/x/([0-9]+)$ | path: {regex: ^/x/([0-9]+)$}",
        "path_regexp name ^/x$ | path: {regex: ^/x$}",
        "method get POST | method: [GET, POST]",
        "host a.example *.b.example | host: [a.example, *.b.example]",
        "protocol https | scheme: https",
        "remote_ip 10.0.0.0/8 | client: [10.0.0.0/8]",
        "client_ip private_ranges | client: [192.168.0.0/16",
        "header X-A b | header: {X-A: b}",
        "header X-A | header: {X-A: *}",
        "header !X-A | not: {header: {X-A: *}}",
        "header_regexp User-Agent (?i)bot | header: {User-Agent: {regex: (?i)bot}}",
        "query debug=1 | query: {debug: 1}",
        "query debug=* | query: {debug: *}",
        "not path /a | not: {path: {is: /a}}",
        "not { path /a } | not: {path: {is: /a}}",
        "{ path /a; method GET } | when: {path: {is: /a}, method: [GET]}",
      })
  void aMatcherIsACondition(String matcher, String condition) throws Exception {
    String text = "@m " + matcher.replace("{ ", "{\n").replace(" }", "\n}");
    assertHas(imported(site(text + "; respond @m 404")), condition);
    assertVerdict(Verdict.TAKEN, "@m");
  }

  /** There the order of the lines does not count, and of one kind the longest path comes first. */
  @Test
  void theOrderOfHandlersIsThatOfCaddy() throws Exception {
    String yaml =
        imported(
            """
            :8080 {
              reverse_proxy 10.0.0.5
              respond /b/* first
              respond /b/long/* second
              redir /old /new
              header X-A b
            }
            """);
    assertTrue(yaml.indexOf("X-A") < yaml.indexOf("/old"), yaml);
    assertTrue(yaml.indexOf("/old") < yaml.indexOf("/b/long/"), yaml);
    assertTrue(yaml.indexOf("/b/long/") < yaml.indexOf("first"), yaml);
  }

  @Test
  void ofHandleBlocksOneHolds() throws Exception {
    String yaml =
        imported(
            """
            :8080 {
              handle /api/* {
                reverse_proxy 10.0.0.6
              }
              handle_path /old/* {
                rewrite * /new{uri}
                reverse_proxy 10.0.0.7
              }
              handle {
                header X-Rest yes
                reverse_proxy 10.0.0.5
              }
            }
            """);
    assertHas(
        yaml,
        "rewrite: {strip-prefix: /old}",
        "path: {regex: ^/old/?(.*)$}",
        "rewrite: {path: /new/$1?$query}",
        "not: {any:");
    assertEquals(0, report.count(Verdict.LEFT), () -> report.items().toString());
  }

  @Test
  void whatNoHandlerAnswersIsEmpty() throws Exception {
    assertHas(
        imported(site("reverse_proxy /api/* 10.0.0.5")), "respond: 200", "path: {prefix: /api/}");
    assertHas(imported(site("header X-A b")), "respond: 200");
  }

  @Test
  void snippetsAndFilesAreReadInTheirPlace() throws Exception {
    Files.writeString(directory.resolve("more.caddy"), "header X-B {args[0]}\n");
    String yaml =
        imported(
            """
            (common) {
              header X-A {args[0]}
              header X-C {args.1}
            }
            (unused) {
              respond 404
            }
            :8080 {
              import common one two
              import more.caddy three
              import nothing.caddy
              respond ok
            }
            """);
    assertHas(yaml, "X-A: one", "X-C: two", "X-B: three");
    assertVerdict(Verdict.UNNEEDED, "(unused)");
    assertVerdict(Verdict.UNNEEDED, "respond 404");
    assertVerdict(Verdict.LEFT, "import nothing.caddy");
    assertVerdict(Verdict.TAKEN, "import common one two");
  }

  @Test
  void variablesOfTheEnvironmentHaveTheirDefaults() throws Exception {
    assertHas(imported(site("reverse_proxy {$FOREBAY_NO_SUCH:10.0.0.9}")), "10.0.0.9");
    ImportException thrown =
        assertThrows(
            ImportException.class, () -> imported(site("reverse_proxy {$FOREBAY_NO_SUCH}")));
    assertTrue(
        thrown
            .problem()
            .endsWith("Caddyfile:2:15: {$FOREBAY_NO_SUCH}: set FOREBAY_NO_SUCH in the environment"),
        thrown.problem());
  }

  @Test
  void textsCanHaveLines() throws Exception {
    assertHas(
        imported(":8080 {\n\trespond <<END\n\t\tone\n\t\t\ttwo\n\t\tEND 200\n}\n"),
        "text: one\\n\\ttwo");
  }

  @Test
  void usersAreAskedForTheirPassword() throws Exception {
    String yaml =
        draft(
            """
            :8080 {
              basic_auth /admin/* {
                bob $2a$14$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG
              }
              reverse_proxy 10.0.0.5
            }
            """);
    assertHas(
        yaml,
        "members: {basic-auth: {file: /etc/forebay/users-site}}",
        "match: {path: /admin/}",
        "protection: members",
        "path: {regex: (?i)^/admin/}",
        "not: {path: {prefix: /admin/}}");
    assertVerdict(Verdict.ADAPTED, "bob ");
  }

  /** What would be open without a protection stays closed. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "basic_auth @unknown {\nbob x\n}",
        "basic_auth *.pdf {\nbob x\n}",
        "basic_auth scrypt {\nbob x\n}",
        "forward_auth 10.0.0.9 {\nuri /{host}\n}",
      })
  void aProtectionThatIsNotTakenOverRefusesRequests(String directive) throws Exception {
    assertHas(imported(site(directive + "; reverse_proxy 10.0.0.5")), "deny: 403");
    assertVerdict(Verdict.LEFT, directive.split(" ", 2)[0]);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "@m expression `true`; respond @m 403",
        "@m expression `true`; abort @m",
        "error @unknown 401",
      })
  void aRefusalWhoseMatcherIsNotTakenOverRefusesEverything(String statements) throws Exception {
    assertHas(imported(site(statements + "; reverse_proxy 10.0.0.5")), "- {deny: 403}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "respond /admin/* 403 | regex: (?i)^/admin/",
        "abort /admin | regex: (?i)^/admin$",
        "@b path *bak; error @b 403 | regex: (?i)bak$",
        "@x path *x*; respond @x 401 | regex: (?i)x",
      })
  void refusalsCompareWithoutCase(String statement, String condition) throws Exception {
    assertHas(imported(site(statement + "; reverse_proxy 10.0.0.5")), condition);
  }

  @Test
  void anotherServerCanDecide() throws Exception {
    assertHas(
        imported(
            site(
                "forward_auth 10.0.0.9:9091 {; uri /verify; copy_headers Remote-User; }"
                    + "; reverse_proxy 10.0.0.5")),
        "path: /verify",
        "response-headers: [Remote-User]");
  }

  @Test
  void globalOptionsAreSettingsOfTheNode() throws Exception {
    assertHas(
        imported(
            """
            {
              http_port 8080
              admin off
              auto_https off
              grace_period 10s
              order respond before redir
              servers {
                timeouts {
                  read_header 5s
                  idle 2m
                }
                trusted_proxies static private_ranges 203.0.113.7
                max_header_size 16KiB
              }
            }
            http://www.example.com {
              redir /x
              respond ok
            }
            """),
        "address: :8080",
        "drain: 10s",
        "request-header: 5s",
        "keep-alive: 2m",
        "header-bytes: 16KiB",
        "203.0.113.7");
    assertVerdict(Verdict.UNNEEDED, "redir");
  }

  @Test
  void aStarBehindTheMiddleOfASegmentIsABeginningOfAPath() throws Exception {
    String yaml = imported(site("respond /a* one; respond /b/* two"));
    assertHas(yaml, "path: {regex: ^/a}", "path: {prefix: /b/}");
  }

  @Test
  void theReportTellsOfHostsAndPortsWithoutASite() throws Exception {
    imported("http://a.example:8080 {\nrespond a\n}\nhttp://b.example:8081 {\nrespond b\n}\n");
    assertReports("http://a.example:8080", "a host without a site gets 404");
    assertReports("http://b.example:8081", "on all ports");
  }

  private void assertReports(String directive, String text) {
    assertTrue(
        report.items().stream()
            .anyMatch(item -> item.directive().equals(directive) && item.text().contains(text)),
        () -> "" + report.items());
  }

  @Test
  void whatCaddyEncodesIsCompressedAndNothingElse() throws Exception {
    assertHas(
        imported(
            """
            http://a.example:8080 {
              encode zstd gzip {
                minimum_length 100
              }
              reverse_proxy a:1
            }
            http://b.example:8080 {
              reverse_proxy b:1
            }
            """),
        "compress: {codings: [zstd, gzip], min: 100}",
        "compress: off");
    assertVerdict(Verdict.ADAPTED, "encode");
    assertVerdict(Verdict.TAKEN, "minimum_length");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "php_fastcgi unix//run/php.sock",
        "templates",
        "map {host} {x}",
        "vars a b",
        "redir //b.example/",
        "redir https://{labels.1}/",
        "respond \"{host}\"",
        "reverse_proxy {upstream}",
        "reverse_proxy a:1 {\nlb_policy ip_hash\n}\n",
        "file_server browse",
        "try_files {path} /index.html",
        "rewrite {header.X}",
        "uri replace a b",
        "handle_errors {\nrewrite * /error.html\n}",
        "tls internal",
        "tls {\nclient_auth {\nmode require\n}\n}",
        "some_plugin on",
        "respond @missing 404",
        "header Connection close",
      })
  void whatIsNotUnderstoodIsInTheReport(String directive) throws Exception {
    draft(site(directive));
    String name = directive.contains("client_auth") ? "client_auth" : directive.split(" ", 2)[0];
    boolean isPolicy = directive.contains("ip_hash");
    assertTrue(
        isPolicy
            ? report.items().stream().anyMatch(item -> item.directive().startsWith("lb_policy"))
            : report.items().stream()
                .anyMatch(
                    item -> item.directive().startsWith(name) && item.verdict() == Verdict.LEFT),
        () -> report.items().toString());
  }

  @Test
  void aMatcherThatIsNotTakenOverTakesItsStatementsAlong() throws Exception {
    String yaml =
        imported(site("@m expression `{path} == '/x'`; respond @m 404; reverse_proxy 10.0.0.5"));
    assertFalse(yaml.contains("404"), yaml);
    assertVerdict(Verdict.LEFT, "@m");
    assertVerdict(Verdict.LEFT, "respond @m");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        ":8080 { | Caddyfile:1:7: a } is missing",
        ":8080 { respond } | Caddyfile:1:9: a line ends behind {",
        "} | Caddyfile:1:1: } was not expected here",
        ":8080 {# }# } | Caddyfile:3:2: } was not expected here",
        ":8080 {#respond \"x# } | Caddyfile:2:9: the quote that opens here is not closed",
        ":8080 {#respond <<X#x | Caddyfile:2:9: the text that begins here has no line X",
        "a.example {#}#b.example#respond | Caddyfile:4:1: { is missing: a site has a block",
        "{#debug#}#{#} | Caddyfile:4:1: a block of global options stands at the beginning only",
      })
  void aFileThatIsBrokenIsNamedWithItsPlace(String text, String problem) {
    ImportException thrown =
        assertThrows(ImportException.class, () -> draft(text.replace('#', '\n')));
    assertTrue(thrown.problem().contains(problem), thrown.problem());
  }

  @Test
  void circlesAndTreesOfImportsEnd() throws Exception {
    Files.writeString(directory.resolve("a.caddy"), "import a.caddy\n");
    assertThrows(ImportException.class, () -> draft(site("import a.caddy")));
    assertThrows(ImportException.class, () -> draft("(a) {\nimport a\n}\n" + site("import a")));
    StringBuilder bomb = new StringBuilder("(s0) {\nrespond ok\n}\n");
    for (int i = 1; i < 20; i++) {
      bomb.append("(s" + i + ") {\n")
          .append(("import s" + (i - 1) + "\n").repeat(10))
          .append("}\n");
    }
    assertThrows(ImportException.class, () -> draft(bomb + site("import s19")));
    assertThrows(
        ImportException.class, () -> draft(site("handle {\n".repeat(100) + "}\n".repeat(100))));
  }

  /** Whatever a file has, each statement of it has a verdict, and what comes out is accepted. */
  @Test
  void noStatementIsDroppedSilently() throws Exception {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    List<String> parts =
        List.of(
            "reverse_proxy 10.0.0.1:9000",
            "reverse_proxy /a/* 10.0.0.2:9000 {\nheader_up X-A {uri}\nheader_down -B\n}",
            "respond /health ok",
            "respond @get 405",
            "respond 404",
            "redir /x /y",
            "redir @re https://b.example/{re.re.1}",
            "rewrite /r/* /s{path}",
            "rewrite @get /s",
            "uri strip_prefix /t",
            "header /h/* X-A b",
            "header {\nX-B {path}\n-X-C\n}",
            "request_header @get X-D e",
            "handle /h/* {\nrespond inner\n}",
            "handle /i/* {\nheader X-I j\nreverse_proxy 10.0.0.3\n}",
            "handle_path /p/* {\nrequest_header X-P {uri}\nreverse_proxy 10.0.0.4\n}",
            "handle {\nerror 503\n}",
            "route /q/* {\nrewrite /q/x\nreverse_proxy 10.0.0.5\n}",
            "encode gzip",
            "unknown_thing a {\nb c\n}",
            "try_files {path} /index.html",
            "abort /forbidden");
    for (int round = 0; round < 300; round++) {
      StringBuilder text =
          new StringBuilder(":8080 {\n@get method GET\n@re path_regexp re ^/re/(.*)$\n");
      for (int i = random.nextInt(8); i > 0; i--) {
        text.append(parts.get(random.nextInt(parts.size()))).append('\n');
      }
      text.append("}\n");
      try {
        imported(text.toString());
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + "\n" + text, e);
      }
      String[] lines = text.toString().split("\n", -1);
      for (int i = 0; i < lines.length; i++) {
        int line = i + 1;
        boolean isStatement = !lines[i].isEmpty() && !lines[i].equals("}");
        assertEquals(
            isStatement,
            report.items().stream().anyMatch(item -> item.line() == line),
            () -> "seed " + seed + " line " + line + "\n" + text + report.items());
      }
    }
  }
}
