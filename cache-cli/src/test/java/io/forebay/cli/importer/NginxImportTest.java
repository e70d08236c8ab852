package io.forebay.cli.importer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.cli.importer.model.ConfigDraft;
import io.forebay.cli.importer.model.ImportException;
import io.forebay.cli.importer.model.ImportReport;
import io.forebay.cli.importer.model.ImportReport.Item;
import io.forebay.cli.importer.model.Verdict;
import io.forebay.cli.importer.nginx.NginxImport;
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

final class NginxImportTest {
  @TempDir Path directory;

  private final ImportReport report = new ImportReport();

  /** The routes of the configuration that it becomes, which a node accepts. */
  private String imported(String nginx) throws Exception {
    Path file = directory.resolve("nginx.conf");
    Files.writeString(file, nginx);
    ConfigDraft draft = new ConfigDraft();
    NginxImport.read(file, directory, report, draft);
    String yaml = draft.yaml();
    if (!draft.isEmpty()) {
      Path written = directory.resolve("forebay.yaml");
      Files.writeString(written, yaml);
      ConfigOutcome outcome = new ConfigLoader(ConfigEnvironment.system()).load(written, Map.of());
      assertInstanceOf(ConfigOutcome.Loaded.class, outcome, () -> outcome + "\n" + yaml);
    }
    return yaml;
  }

  private String verdict(String directive) {
    List<Item> items =
        report.items().stream().filter(item -> item.directive().startsWith(directive)).toList();
    assertEquals(1, items.size(), () -> directive + " in " + report.items());
    return items.getFirst().verdict() + " " + items.getFirst().text();
  }

  private String verdicts(String directive) {
    return report.items().stream()
        .filter(item -> item.directive().startsWith(directive))
        .map(item -> item.verdict() + " " + item.text())
        .toList()
        .toString();
  }

  private void assertHas(String yaml, String... parts) {
    for (String part : parts) {
      assertTrue(yaml.contains(part), () -> part + "\nis not in\n" + yaml + "\n" + report.items());
    }
  }

  @Test
  void aProxiedSiteIsARouteThatIsNotCached() throws Exception {
    assertEquals(
        """
        listen:
          - {address: ":8080"}
        compress: off
        origins:
          origin: {url: http://127.0.0.1:9000}
        routes:
          - {origin: origin, cache: false}
        """,
        imported(
            """
            server {
              listen 8080;
              server_name www.example.com;
              location / {
                proxy_pass http://127.0.0.1:9000;
                proxy_set_header Host $host;
              }
            }
            """));
    assertEquals("taken ", verdict("proxy_pass"));
  }

  @Test
  void whatNginxCompressesIsCompressedAndNothingElse() throws Exception {
    String yaml =
        imported(
            """
            http {
              gzip on;
              gzip_types text/css application/json;
              server {
                location / {
                  proxy_pass http://127.0.0.1:9000;
                }
                location /plain/ {
                  gzip off;
                  proxy_pass http://127.0.0.1:9000;
                }
                location /long/ {
                  gzip_min_length 2k;
                  proxy_pass http://127.0.0.1:9000;
                }
              }
            }
            """);
    assertHas(
        yaml,
        "compress: {types: [text/html, text/css, application/json], min: 20}",
        "path: /plain/",
        "compress: off",
        "path: /long/",
        "min: 2048");
    assertEquals("taken ", verdict("gzip off"));
    assertEquals("taken ", verdict("gzip_types"));
  }

  @Test
  void anExpressionCannotCompressOtherwiseThanItsPrefix() throws Exception {
    imported(
        """
        server {
          location / {
            proxy_pass http://127.0.0.1:9000;
          }
          location ~ \\.css$ {
            gzip on;
            proxy_pass http://127.0.0.1:9000;
          }
        }
        """);
    assertTrue(verdicts("location ~ \\.css$").contains("left compress"), () -> "" + report.items());
  }

  @Test
  void aTextOfAnyLengthIsWritten() throws Exception {
    String directory = "/srv" + "/long".repeat(40);
    assertHas(imported("server { root " + directory + "; index main.html; }"), directory);
  }

  @Test
  void theReportTellsOfASecondHost() throws Exception {
    imported(
        """
        server {
          location / {
            proxy_set_header Host $host;
            proxy_set_header Host $http_host;
            proxy_pass http://127.0.0.1:9000;
          }
        }
        """);
    assertTrue(
        verdicts("proxy_set_header Host").contains("adapted a request has one Host"),
        () -> "" + report.items());
  }

  @Test
  void filesThatLieCompressedBesideOthersAreServed() throws Exception {
    assertHas(
        imported(
            """
            server {
              root /var/www;
              gzip_static on;
              brotli_static on;
            }
            """),
        "precompressed: [br, gzip]");
    assertEquals("taken ", verdict("gzip_static"));
  }

  @Test
  void aCacheBecomesSettingsOfTheRoute() throws Exception {
    String yaml =
        imported(
            """
            http {
              proxy_cache_path /var/cache/nginx keys_zone=site:100m max_size=20g;
              server {
                location / {
                  proxy_pass http://10.0.0.5:8080;
                  proxy_cache site;
                  proxy_cache_key $scheme$host$request_uri;
                  proxy_cache_valid 200 301 10m;
                  proxy_cache_valid 404 1m;
                  proxy_cache_use_stale error timeout updating;
                  proxy_cache_bypass $cookie_session;
                  proxy_no_cache $cookie_session;
                }
              }
            }
            """);
    assertHas(
        yaml,
        "site: {path: /var/cache/forebay/site, size: 20GiB}",
        "host: 10.0.0.5:8080",
        "default-ttl: 10m",
        "negative-ttl: {404: 1m}",
        "stale-if-error: 1d",
        "stale-while-revalidate: 1d",
        "heuristic: false",
        "when: {cookie: {session: \"*\"}}",
        "pass: true");
    assertEquals(0, report.count(Verdict.LEFT));
  }

  @Test
  void aServerThatRedirectsToTlsJoinsTheOneThatHasTheSite() throws Exception {
    for (String name : List.of("www.pem", "www.key")) {
      Files.createFile(directory.resolve(name));
    }
    String yaml =
        imported(
            """
            server {
              listen 80;
              server_name www.example.com;
              return 301 https://$host$request_uri;
            }
            server {
              listen 8443 ssl http2;
              server_name www.example.com;
              ssl_certificate DIR/www.pem;
              ssl_certificate_key DIR/www.key;
              add_header Strict-Transport-Security "max-age=31536000; includeSubDomains" always;
              location / { proxy_pass http://127.0.0.1:9000; }
            }
            """
                .replace("DIR", directory.toString()));
    assertHas(
        yaml,
        "when: {scheme: http}",
        "redirect: {to: https://$host$uri, status: 301}",
        "hsts: {max-age: 31536000s, subdomains: true}",
        "/www.pem");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "return 301 https://b.example$request_uri; | redirect: {to: https://b.example$uri, status: 301}",
        "return 302 /new; | redirect: {to: /new, status: 302}",
        "return https://b.example/; | redirect: {to: https://b.example/, status: 302}",
        "return 200 ok; | respond: {status: 200, text: ok}",
        "return 204; | respond: {status: 204}",
        "return 403; | deny: 403",
        "return 410; | deny: 410",
      })
  void aReturnAnswers(String directive, String action) throws Exception {
    assertHas(imported("server { location / { " + directive + " } }"), action);
    assertEquals("taken ", verdict("return"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rewrite ^/a/(.*)$ /b/$1 permanent; | redirect: {to: \"/b/$1?$query\", status: 301}",
        "rewrite ^/a$ https://b.example/x? redirect; | redirect: {to: https://b.example/x, status: 302}",
        "rewrite ^/(?<id>[0-9]+)$ /item?id=$id break; | rewrite: {path: /item?id=$1&$query}",
      })
  void aRewriteIsARule(String directive, String action) throws Exception {
    String yaml =
        imported("server { location / { " + directive + " proxy_pass http://127.0.0.1:9000; } }");
    assertTrue(
        yaml.replace("\"", "").contains(action.replace("\"", "")), () -> action + " in\n" + yaml);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '%',
      quoteCharacter = '\0',
      value = {
        "($host = a.example) % host: {is: a.example}",
        "($request_method = POST) % method: [POST]",
        "($request_method !~ ^(GET|HEAD)$) % not: {method: [GET, HEAD]}",
        "($http_user_agent ~* \"bot|spider\") % header: {User-Agent: {regex: (?i)bot|spider}}",
        "($http_x_key = \"\") % not: {header: {X-Key: \"*\"}}",
        "($cookie_login) % cookie: {login: \"*\"}",
        "($arg_debug = 1) % query: {debug: 1}",
        "($scheme = http) % scheme: http",
      })
  void anIfIsACondition(String condition, String when) throws Exception {
    String yaml =
        imported(
            "server { location / { if "
                + condition
                + " { return 403; } proxy_pass http://127.0.0.1:9000; } }");
    assertTrue(
        yaml.replace("\"", "").contains(when.replace("\"", "")), () -> when + " in\n" + yaml);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/api/ | http://127.0.0.1:9000/ | rewrite: {strip-prefix: /api}",
        "/api/ | http://127.0.0.1:9000/v1/ | rewrite: {path: /v1/$1}",
      })
  void aPathInProxyPassReplacesThePrefix(String prefix, String target, String rule)
      throws Exception {
    assertHas(imported("server { location " + prefix + " { proxy_pass " + target + "; } }"), rule);
  }

  /** nginx takes an exact location, then expressions in their order, then the longest prefix. */
  @Test
  void theOrderOfLocationsIsThatOfNginx() throws Exception {
    String yaml =
        imported(
            """
            server {
              location / { proxy_pass http://127.0.0.1:9000; }
              location = /health { return 200 fine; }
              location ~ \\.php$ { return 404; }
              location ^~ /static/ { proxy_pass http://127.0.0.1:9001; }
            }
            """);
    assertHas(
        yaml,
        "when: {path: {is: /health}}",
        "path: {regex: \"\\\\.php$\"}",
        "match: {path: /static/}");
    String ofStatic = yaml.substring(yaml.indexOf("/static/"));
    assertTrue(!ofStatic.contains("php"), yaml);
  }

  @Test
  void groupsOfServersAreOrigins() throws Exception {
    assertHas(
        imported(
            """
            upstream app {
              least_conn;
              server 10.0.0.1:8080 weight=2 max_fails=3 fail_timeout=20s;
              server 10.0.0.2:8080 backup;
              server 10.0.0.3:8080 down;
              keepalive 16;
            }
            server { location / { proxy_pass http://app; proxy_set_header Host $http_host; } }
            """),
        "balance: least-requests",
        "- {url: http://10.0.0.1:8080, weight: 2}",
        "- {url: http://10.0.0.2:8080, backup: true}",
        "ejection: {failures: 3, time: 20s}");
    assertTrue(verdict("server 10.0.0.3").startsWith("adapted"));
  }

  @Test
  void aServerThatIsNeverAvoidedIsNeverEjected() throws Exception {
    assertHas(
        imported(
            "upstream a { server 10.0.0.1 fail_timeout=0; server 10.0.0.2 fail_timeout=0; }"
                + " server { location / { proxy_pass http://a; } }"),
        "ejection: {failures: 0}");
  }

  @Test
  void networksAndRatesAreTakenOver() throws Exception {
    assertHas(
        imported(
            """
            http {
              limit_req_zone $binary_remote_addr zone=api:10m rate=5r/s;
              server {
                location / { proxy_pass http://127.0.0.1:9000; limit_req zone=api burst=9 nodelay; }
                location /admin/ { proxy_pass http://127.0.0.1:9000; allow 10.0.0.0/8; deny all; }
                location /old/ { proxy_pass http://127.0.0.1:9000; deny 192.0.2.7; }
              }
            }
            """),
        "- name: api\n        key: client\n        requests: 5\n        per: 1s\n        burst: 10\n",
        "not: {client: [10.0.0.0/8]}",
        "client: [192.0.2.7]");
  }

  @Test
  void whatIsTriedAsAFileFirstIsAskedOfTheOrigin() throws Exception {
    assertHas(
        imported(
            """
            server {
              location / { try_files $uri @app; }
              location @app { proxy_pass http://unix:/run/app.sock; proxy_set_header Host $host; }
            }
            """),
        "url: unix:/run/app.sock");
    assertTrue(verdict("try_files").startsWith("left"));
  }

  @Test
  void filesAreOriginsOfADirectory() throws Exception {
    Path site = Files.createDirectories(directory.resolve("site"));
    assertHas(
        imported(
            """
            server {
              root DIR/site;
              index index.php index.html;
              location /img/ { alias DIR/site/; }
              location ~ \\.php$ { fastcgi_pass unix:/run/php.sock; }
            }
            """
                .replace("DIR", directory.toString())),
        "directory: " + site,
        "index: index.php",
        "strip-prefix: /img",
        "deny: 404");
    assertTrue(verdict("index").startsWith("adapted"));
    assertTrue(verdict("fastcgi_pass").startsWith("left"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sub_filter a b",
        "fastcgi_pass unix:/run/php.sock",
        "set $a b",
        "if (-f $request_filename) { return 404; }",
        "location ~ ^/(?!x) { return 404; }",
        "error_page 404 /404.html",
        "some_module on",
        "proxy_pass http://$backend",
      })
  void whatIsNotUnderstoodIsInTheReport(String directive) throws Exception {
    String statement = directive.endsWith("}") ? directive : directive + ";";
    imported(
        "server { location /x/ { proxy_pass http://127.0.0.1:9000; } location / { "
            + statement
            + " } }");
    String name = directive.split(" ", 2)[0];
    assertTrue(
        report.items().stream()
            .anyMatch(item -> item.directive().startsWith(name) && item.verdict() == Verdict.LEFT),
        () -> report.items().toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "server {  | nginx.conf:1: a } is missing",
        "server } | nginx.conf:1: } was not expected here",
        "; | nginx.conf:1: ; was not expected here",
        "listen 80 | nginx.conf:1: a ; is missing",
        "a \"b | nginx.conf:1: the quote that opens here is not closed",
      })
  void aFileThatIsBrokenIsNamedWithItsLine(String text, String problem) {
    ImportException thrown = assertThrows(ImportException.class, () -> imported(text));
    assertTrue(thrown.problem().endsWith(problem), thrown.problem());
  }

  @Test
  void includesAreReadInTheirPlace() throws Exception {
    Files.createDirectories(directory.resolve("conf.d"));
    Files.writeString(
        directory.resolve("conf.d/b.conf"), "server { server_name b.example; return 404; }");
    Files.writeString(
        directory.resolve("conf.d/a.conf"), "server { server_name a.example; return 410; }");
    String yaml = imported("http { include conf.d/*.conf; include nothing.conf; }");
    assertTrue(yaml.indexOf("410") < yaml.indexOf("404"), yaml);
    assertEquals("left there is no such file", verdict("include nothing.conf"));
  }

  @Test
  void aCircleOfIncludesEnds() throws Exception {
    Files.writeString(directory.resolve("a.conf"), "include a.conf;");
    assertThrows(ImportException.class, () -> imported("include a.conf;"));
  }

  /** Whatever a file has, each statement of it has a verdict, and what comes out is accepted. */
  @Test
  void noStatementIsDroppedSilently() throws Exception {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    List<String> parts =
        List.of(
            "proxy_pass http://127.0.0.1:9000;",
            "proxy_pass http://127.0.0.1:9000/x/;",
            "return 403;",
            "return 301 /x;",
            "expires 1d;",
            "add_header X-A b;",
            "proxy_hide_header X-B;",
            "proxy_set_header X-C d;",
            "proxy_cache site;",
            "proxy_cache_valid any 1m;",
            "allow 10.0.0.0/8; deny all;",
            "if ($cookie_a) { return 404; }",
            "rewrite ^/a(.*)$ /b$1 last;",
            "unknown_thing a b { c d; }",
            "location ~ \\.x$ { return 404; }",
            "location /a/b/ { proxy_pass http://127.0.0.1:9001; }",
            "location = /a { proxy_pass http://127.0.0.1:9001; expires max; }");
    for (int round = 0; round < 300; round++) {
      StringBuilder server = new StringBuilder("http { server { ");
      for (String location : List.of("/", "/a/", "/c")) {
        server.append("location ").append(location).append(" { ");
        for (int i = random.nextInt(6); i > 0; i--) {
          server.append(parts.get(random.nextInt(parts.size()))).append('\n');
        }
        server.append("} ");
      }
      String text = server.append("} }").toString();
      ImportReport each = new ImportReport();
      ConfigDraft draft = new ConfigDraft();
      Path file = directory.resolve("random.conf");
      Files.writeString(file, text);
      NginxImport.read(file, directory, each, draft);
      long statements = text.chars().filter(c -> c == ';' || c == '{').count();
      long known =
          each.items().stream().map(item -> item.line() + item.directive()).distinct().count();
      assertTrue(known <= statements, () -> "seed " + seed + "\n" + text);
      for (String name : List.of("unknown_thing", "c d")) {
        assertEquals(
            text.contains(name),
            each.items().stream().anyMatch(item -> item.directive().startsWith(name)),
            () -> "seed " + seed + "\n" + text);
      }
      if (!draft.isEmpty()) {
        Path written = directory.resolve("random.yaml");
        Files.writeString(written, draft.yaml());
        ConfigOutcome outcome =
            new ConfigLoader(ConfigEnvironment.system()).load(written, Map.of());
        assertInstanceOf(
            ConfigOutcome.Loaded.class,
            outcome,
            () -> "seed " + seed + "\n" + text + "\n" + draft.yaml() + "\n" + outcome);
      }
    }
  }
}
