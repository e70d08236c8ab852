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
import io.forebay.cli.importer.trafficserver.TrafficServerImport;
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

final class TrafficServerImportTest {
  @TempDir Path directory;

  private ImportReport report = new ImportReport();

  private void beside(String name, String text) throws Exception {
    Files.writeString(directory.resolve(name), text);
  }

  /** The configuration that a remap.config becomes, which a node accepts. */
  private String imported(String remap) throws Exception {
    Path file = directory.resolve("remap.config");
    Files.writeString(file, remap);
    report = new ImportReport();
    ConfigDraft draft = new ConfigDraft();
    TrafficServerImport.read(file, directory, report, draft);
    if (draft.isEmpty()) {
      return "";
    }
    String yaml = draft.yaml();
    Path written = directory.resolve("forebay.yaml");
    Files.writeString(written, yaml);
    ConfigOutcome outcome = new ConfigLoader(ConfigEnvironment.system()).load(written, Map.of());
    assertInstanceOf(ConfigOutcome.Loaded.class, outcome, () -> outcome + "\n" + yaml);
    return yaml;
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
  void aMapIsARouteThatAsksTheTarget() throws Exception {
    assertEquals(
        """
        listen:
          - {address: ":8080"}
        compress: off
        origins:
          origin: {host: 127.0.0.1:9000, url: http://127.0.0.1:9000}
        routes:
          - match: {host: www.example.com}
            origin: origin
            heuristic: false
            stale-if-error: 7d
        """,
        imported("map http://www.example.com/ http://127.0.0.1:9000/\n"));
    assertEquals(0, report.count(Verdict.LEFT));
    assertVerdict(Verdict.TAKEN, "map ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "http://a.example/x/ | http://b.example/ | regex: ^/x/(.*)$ | path: /$1",
        "http://a.example/x/ | http://b.example/y/ | regex: ^/x/(.*)$ | path: /y/$1",
        "http://a.example/x/ | http://b.example/y | regex: ^/x/(.*)$ | path: /y$1",
        "http://a.example/x | http://b.example/y | regex: ^/x(.*)$ | path: /y$1",
        "http://a.example/x | http://b.example/y/ | regex: ^/x/?(.*)$ | path: /y/$1",
        "http://a.example/ | http://b.example/y/ | regex: ^/(.*)$ | path: /y/$1",
        "http://a.example/ | http://b.example/y | regex: ^/(.+)$ | path: /y/$1",
      })
  void thePathOfTheTargetReplacesThePrefix(String from, String to, String when, String rewrite)
      throws Exception {
    assertHas(imported("map " + from + " " + to), when, rewrite);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '%',
      quoteCharacter = '\0',
      value = {
        "redirect http://a.example/ http://b.example/ % to: http://b.example$uri, status: 301",
        "redirect_temporary http://a.example/ https://b.example/ % to: https://b.example$uri, status: 307",
        "redirect http://a.example/x/ http://b.example/y/ % to: http://b.example/y/$1?$query, status: 301",
        "regex_redirect http://(www|img)\\.a\\.example/ http://$1.b.example/ % to: http://img.b.example$uri, status: 301",
        "regex_redirect http://.*\\.a\\.example/ https://$0/ % to: https://$host$uri, status: 301",
      })
  void redirectsAreRules(String rule, String action) throws Exception {
    assertHas(imported(rule), action);
    assertEquals(0, report.count(Verdict.LEFT), () -> report.items().toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "@action=deny @method=delete @method=PURGE | when: {method: [DELETE, PURGE]}",
        "@action=allow @method=GET | not: {method: [GET]}",
        "@action=allow @src_ip=10.0.0.0/8 | not: {client: [10.0.0.0/8]}",
        "@src_ip=192.168.0.1-192.168.0.6 @action=deny | client: [192.168.0.1/32, 192.168.0.2/31, 192.168.0.4/31, 192.168.0.6/32]",
        "@action=deny | deny: 403",
      })
  void filtersRefuseRequests(String filter, String rule) throws Exception {
    assertHas(imported("map http://a.example/ http://b.example/ " + filter), rule, "deny: 403");
    assertVerdict(Verdict.TAKEN, filter.split(" ", 2)[0]);
  }

  @Test
  void namedFiltersHoldWhileTheyAreActive() throws Exception {
    String yaml =
        imported(
            """
            .definefilter no_delete @action=deny @method=DELETE
            map http://a.example/ http://o.example/
            .activatefilter no_delete
            map http://b.example/ http://o.example/
            .deactivatefilter no_delete
            map http://c.example/ http://o.example/
            """);
    assertEquals(2, yaml.split("DELETE", -1).length, yaml);
    assertTrue(yaml.indexOf("DELETE") > yaml.indexOf("host: b.example"), yaml);
    assertTrue(yaml.indexOf("DELETE") < yaml.indexOf("host: c.example"), yaml);
  }

  /** What would be open without a filter stays closed. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "@action=allow @src_ip=~10.0.0.0/8",
        "@action=allow @in_ip=10.0.0.1",
        "@action=allow @src_ip=nonsense",
        "@action=maybe",
        "@internal=true"
      })
  void aFilterThatIsNotTakenOverRefusesEverything(String filter) throws Exception {
    assertHas(imported("map http://a.example/ http://b.example/ " + filter), "deny: 403");
    assertVerdict(Verdict.LEFT, filter.split(" ", 2)[0]);
  }

  /** There a path is a beginning, here it ends at a slash. */
  @Test
  void whatBeginsWithAGuardedPathIsRefused() throws Exception {
    assertHas(
        imported(
            """
            map http://a.example/admin http://o.example/admin @action=allow @src_ip=10.0.0.0/8
            map http://a.example/ http://o.example/
            """),
        "- when: {path: {regex: ^/admin[^/]}}",
        "not: {client: [10.0.0.0/8]}");
  }

  @Test
  void httpAndHttpsWithOneTargetShareARoute() throws Exception {
    beside("records.config", "CONFIG proxy.config.http.server_ports STRING 80 443:ssl\n");
    beside("ssl_multicert.config", "dest_ip=* ssl_cert_name=www.pem ssl_key_name=www.key\n");
    beside("www.pem", "");
    beside("www.key", "");
    String yaml =
        imported(
            """
            map http://a.example/ http://o.example/
            map https://a.example/ http://o.example/
            map http://plain.example/ http://o.example/
            redirect http://c.example/ https://c.example/
            map https://c.example/ http://o.example/
            """);
    assertHas(
        yaml,
        "name: https-443",
        "tls: {default: www}",
        "key: {scheme: false}",
        "when: {scheme: https}, deny: 404",
        "redirect: {to: https://c.example$uri, status: 301}");
  }

  /** There the first rule counts, here the longest path. */
  @Test
  void aRuleThatIsNeverReachedHasNoRoute() throws Exception {
    String yaml =
        imported(
            """
            map http://a.example/x/ http://first.example/
            map http://a.example/ http://second.example/
            map http://a.example/y/ http://third.example/
            """);
    assertHas(yaml, "first.example", "second.example");
    assertFalse(yaml.contains("third.example"), yaml);
    assertVerdict(Verdict.UNNEEDED, "map http://a.example/y/");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '%',
      quoteCharacter = '\0',
      value = {
        "regex_map http://(www|m)\\.a\\.example/ http://$1.o.example/ % host: m.a.example % url: http://m.o.example",
        "regex_map http://(.*)\\.a\\.example/ http://o.example/ % host: *.a.example % url: http://o.example",
        "regex_map http://[0-9]+\\.a\\.example/ http://o.example/ % host: *.a.example % host: {regex: [0-9]+\\\\.a\\\\.example}",
        "regex_map http://www[12]?\\.a\\.example/ http://o.example/ % left % left",
        "regex_map http://.*/ http://o.example/ % url: http://o.example % origin: o-example",
      })
  void expressionsOnHostsAreNamesOrWildcards(String rule, String host, String other)
      throws Exception {
    String yaml = imported(rule);
    if (host.equals("left")) {
      assertVerdict(Verdict.LEFT, "regex_map");
    } else {
      assertHas(yaml, host, other);
    }
  }

  @Test
  void aTargetThatDependsOnTheHostIsLeft() throws Exception {
    assertEquals("", imported("regex_map http://(.*)\\.a\\.example/ http://$1.o.example/"));
    assertVerdict(Verdict.LEFT, "regex_map");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "url_remap.pristine_host_hdr INT 1 | o-example: {url: http://o.example}",
        "http.negative_caching_enabled INT 1 | 403: 30m",
        "http.cache.required_headers INT 0 | default-ttl: 1h",
        "http.cache.http INT 0 | cache: false",
        "http.cache.max_stale_age INT 3600 | stale-if-error: 1h",
        "http.cache.ignore_client_no_cache INT 0 | client-directives: honour",
        "http.connect_attempts_timeout INT 7 | timeouts: {connect: 7s, first-byte: 7s}",
        "http.transaction_no_activity_timeout_out INT 9 | idle: 9s",
        "http.keep_alive_no_activity_timeout_out INT 20 | keep-alive: 20s",
        "http.per_server.connection.max INT 9 | max-connections: 9",
        "http.keep_alive_no_activity_timeout_in INT 11 | keep-alive: 11s",
        "http.transaction_no_activity_timeout_in INT 12 | no-progress: 12s",
        "http.transaction_active_timeout_in INT 900 | request-total: 15m",
        "net.connections_throttle INT 30000 | connections: 30000",
        "http.max_post_size INT 1048576 | request-body: 1MiB",
        "http.request_header_max_size INT 65536 | header-bytes: 64KiB",
        "cache.ram_cache.size INT 2G | memory: 2GiB",
        "cache.limits.http.max_alts INT 5 | variants: 5",
        "log.logging_enabled INT 3 | access-log: stdout",
        "http.insert_squid_x_forwarded_for INT 0 | x-forwarded: false",
        "http.server_ports STRING 80 8081:ipv6 | address: :8081",
        "http.server_ports STRING 8082:ip-in=127.0.0.1 | address: 127.0.0.1:8082",
      })
  void recordsBecomeSettings(String record, String setting) throws Exception {
    beside("records.config", "CONFIG proxy.config." + record + "\n");
    assertHas(imported("map http://a.example/ http://o.example/"), setting);
    assertEquals(0, report.count(Verdict.LEFT), () -> report.items().toString());
    assertTrue(report.items().stream().anyMatch(item -> item.file().endsWith("records.config")));
  }

  @Test
  void recordsCanBeYaml() throws Exception {
    beside(
        "records.yaml",
        """
        records:
          url_remap:
            pristine_host_hdr: 1
          http:
            negative_caching_enabled: 1
            negative_caching_lifetime: 60
            negative_caching_list: "404"
            unheard_of: 7
        """);
    assertHas(
        imported("map http://a.example/ http://o.example/"),
        "negative-ttl: {404: 1m}",
        "http://o.example");
    assertVerdict(Verdict.TAKEN, "http.negative_caching_lifetime");
    assertVerdict(Verdict.LEFT, "http.unheard_of");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '%',
      quoteCharacter = '\0',
      value = {
        "dest_domain=o.example ttl-in-cache=2h % ttl: 2h",
        "dest_host=o.example suffix=gif revalidate=1d12h % ttl: 36h",
        "dest_host=o.example suffix=gif ttl-in-cache=60 % path: {suffix: gif}",
        "dest_domain=example prefix=img/ action=never-cache % path: {prefix: /img/}",
        "url_regex=.*\\.(js|css)$ ttl-in-cache=1d % regex: .*\\.(js|css)$",
        "dest_domain=. action=never-cache % cache: false",
      })
  void linesOfCacheConfigAreRules(String line, String rule) throws Exception {
    beside("cache.config", line + "\n");
    assertHas(imported("map http://a.example/ http://o.example/"), rule);
    assertEquals(0, report.count(Verdict.LEFT), () -> report.items().toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dest_domain=o.example pin-in-cache=1h",
        "dest_domain=o.example action=ignore-no-cache",
        "dest_ip=10.0.0.1 ttl-in-cache=1h",
        "dest_domain=o.example time=08:00-14:00 ttl-in-cache=1h",
        "dest_domain=o.example",
      })
  void otherLinesOfCacheConfigAreLeft(String line) throws Exception {
    beside("cache.config", line + "\n");
    imported("map http://a.example/ http://o.example/");
    assertVerdict(Verdict.LEFT, "dest_");
  }

  @Test
  void parentsAreServersOfTheOrigin() throws Exception {
    beside(
        "parent.config",
        """
        dest_domain=o.example parent="p1.example:8080|2;p2.example:8080" round_robin=strict go_direct=false parent_is_proxy=false
        dest_domain=. parent="p3.example:3128;p4.example:3128" round_robin=false
        """);
    assertHas(
        imported(
            """
            map http://a.example/ http://o.example/
            map http://b.example/ http://other.example:81/
            """),
        "- {url: http://p1.example:8080, weight: 2}",
        "balance: round-robin",
        "- {url: http://p4.example:3128, backup: true}",
        "fallback: [other-example-direct]",
        "host: other.example:81");
  }

  @Test
  void pluginsOfARuleChangeItsSettings() throws Exception {
    beside(
        "hdr.config",
        """
        cond %{SEND_RESPONSE_HDR_HOOK}
        cond %{STATUS} =404
          set-header X-Missing "yes"
        cond %{SEND_RESPONSE_HDR_HOOK}
        rm-header X-Secret
        cond %{REMAP_PSEUDO_HOOK}
        cond %{CLIENT-HEADER:User-Agent} /bot/ [NOCASE]
        set-status 403
        cond %{SEND_REQUEST_HDR_HOOK}
        set-header X-Edge "%{CLIENT-URL:HOST}"
        cond %{REMAP_PSEUDO_HOOK}
        cond %{CLIENT-URL:PATH} /^old/
        set-redirect 302 "https://new.example/%{CLIENT-URL:PATH}" [QSA]
        cond %{SEND_RESPONSE_HDR_HOOK}
        cond %{GEO:COUNTRY} =DE
        set-header X-Geo DE
        """);
    assertHas(
        imported(
            "map http://a.example/ http://o.example/"
                + " @plugin=conf_remap.so @pparam=proxy.config.url_remap.pristine_host_hdr=1"
                + " @pparam=proxy.config.http.negative_caching_enabled=1"
                + " @plugin=cachekey.so @pparam=--sort-params=true @pparam=--exclude-params=utm"
                + " @plugin=header_rewrite.so @pparam=hdr.config"
                + " @plugin=/usr/lib/cache_range_requests.so @plugin=compress.so"),
        "negative-ttl:",
        "query: sort",
        "strip: [utm]",
        "range-fetch: slices",
        "response: {status: 404}",
        "set: {X-Missing: yes}",
        "remove: [X-Secret]",
        "header: {User-Agent: {regex: (?i)bot}}",
        "set: {X-Edge: $(host)}",
        "to: https://new.example$(path)?$query");
    assertVerdict(Verdict.LEFT, "@plugin=compress.so");
    assertVerdict(Verdict.LEFT, "cond %{GEO:COUNTRY}");
    assertVerdict(Verdict.LEFT, "set-header X-Geo");
  }

  @Test
  void storesAndOtherFilesOfTheDirectoryHaveAVerdict() throws Exception {
    beside("storage.config", "/var/cache/trafficserver 256M\n/dev/sdb\n");
    beside("volume.config", "volume=1 scheme=http size=50%\n");
    beside("ip_allow.yaml", "# nothing\nip_allow:\n  - apply: in\n");
    assertHas(imported("map http://a.example/ http://o.example/"), "size: 256MiB");
    assertVerdict(Verdict.ADAPTED, "/var/cache/trafficserver");
    assertVerdict(Verdict.LEFT, "/dev/sdb");
    assertVerdict(Verdict.LEFT, "volume=1");
    assertVerdict(Verdict.LEFT, "ip_allow.yaml");
  }

  @Test
  void aTunnelIsAnUpgradeOfItsRoute() throws Exception {
    assertHas(
        imported(
            """
            map ws://a.example/chat/ ws://o.example/chat/
            map http://a.example/chat/ http://o.example/chat/
            """),
        "upgrade: [websocket]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "reverse_map http://o.example/ http://a.example/",
        "map http://a.example/ tunnel://o.example/",
        "map http://a.example/../x/ http://o.example/",
        "map http://a.example/?q http://o.example/",
        "map http://a.example/ /x",
        ".include nothing.config",
        "regex_map http://(a|b*)/ http://o.example/",
      })
  void whatIsNotTakenOverIsLeft(String line) throws Exception {
    imported("map http://z.example/ http://o.example/\n" + line);
    assertVerdict(Verdict.LEFT, line.split(" ", 2)[0]);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "mapp http://a/ http://b/ | remap.config:1: mapp is no rule",
        "map http://a/ | remap.config:1: map: a rule has two URLs",
        "map http://a/ http://b/ @pparam=\"x | remap.config:1:33: the quote that opens here",
        ".nothing x | remap.config:1: .nothing is no statement",
        ".activatefilter x | remap.config:1: no filter is named x",
      })
  void aFileThatIsBrokenIsNamedWithItsLine(String text, String problem) {
    ImportException thrown = assertThrows(ImportException.class, () -> imported(text));
    assertTrue(thrown.problem().contains(problem), thrown.problem());
  }

  @Test
  void includesAreReadInTheirPlaceAndCirclesEnd() throws Exception {
    Files.createDirectories(directory.resolve("more"));
    beside("more/b.config", "map http://b.example/ http://o.example/\n");
    beside("more/a.config", "map http://a.example/ \\\n  http://o.example/\n");
    assertHas(imported(".include more"), "host: a.example", "host: b.example");
    beside("circle.config", ".include circle.config\n");
    assertThrows(ImportException.class, () -> imported(".include circle.config"));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 13, 127})
  void controlCharactersAreRefused(int character) {
    String text = "map http://a.example/" + (char) character + "x http://o.example/\n";
    assertThrows(ImportException.class, () -> imported(text));
  }

  /** Whatever a file has, each line of it has a verdict, and what comes out is accepted. */
  @Test
  void noLineIsDroppedSilently() throws Exception {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    List<String> hosts =
        List.of(
            "http://a.example", "https://a.example", "http://b.example:8080", "", "ws://a.example");
    List<String> paths = List.of("/", "/x", "/x/", "/x/y/", "/x/y");
    List<String> kinds =
        List.of("map", "map", "redirect", "redirect_temporary", "map_with_recv_port");
    List<String> extras =
        List.of(
            "",
            " @action=deny @method=PUT",
            " @plugin=conf_remap.so @pparam=proxy.config.http.cache.http=0",
            " @plugin=cachekey.so @pparam=--remove-all-params=true",
            " @plugin=unknown.so",
            " tag");
    beside("records.config", "CONFIG proxy.config.http.server_ports STRING 80 443:ssl\n");
    beside("ssl_multicert.config", "ssl_cert_name=www.pem ssl_key_name=www.key\n");
    beside("www.pem", "");
    beside("www.key", "");
    beside("cache.config", "url_regex=.*\\.js$ ttl-in-cache=1d\n");
    for (int round = 0; round < 200; round++) {
      StringBuilder text = new StringBuilder();
      int lines = 1 + random.nextInt(8);
      for (int i = 0; i < lines; i++) {
        text.append(kinds.get(random.nextInt(kinds.size())))
            .append(' ')
            .append(hosts.get(random.nextInt(hosts.size())))
            .append(paths.get(random.nextInt(paths.size())))
            .append(" http://o.example")
            .append(paths.get(random.nextInt(paths.size())))
            .append(extras.get(random.nextInt(extras.size())))
            .append('\n');
      }
      try {
        imported(text.toString());
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + "\n" + text, e);
      }
      List<Item> items = report.items();
      for (int i = 1; i <= lines; i++) {
        int line = i;
        assertTrue(
            items.stream()
                .anyMatch(item -> item.file().endsWith("remap.config") && item.line() == line),
            () -> "seed " + seed + " line " + line + "\n" + text);
      }
    }
  }
}
