package io.forebay.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.server.config.ServerConfig.Balance;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.config.TlsConfig.PairConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The servers of origins. */
final class OriginConfigTest {
  private static final String GROUP =
      """
      origins:
        main:
          max-connections: 9
          servers:
            - http://a.example
            - url: http://b.example:81
              weight: 3
              max-connections: 7
            - {url: https://c.example, backup: true}
      """;

  @TempDir Path directory;

  @Test
  void readsTheAdaptiveLimit() throws IOException {
    assertEquals(
        AdaptiveLimitConfig.OFF,
        loaded(GROUP, Map.of()).origins().getFirst().protection().adaptive());
    String limited =
        """
        origins:
          main:
            url: http://a.example
            adaptive-limit: {max: 500, min: 8, tolerance: 50%, measure-interval: 1m}
        """;
    assertEquals(
        new AdaptiveLimitConfig(500, 8, 50, Duration.ofMinutes(1)),
        loaded(limited, Map.of()).origins().getFirst().protection().adaptive());
    ConfigProblem problem =
        refused(write(limited.replace("max: 500", "max: 7")), Map.of()).getFirst();
    assertEquals("origins.main.adaptive-limit.min", problem.path());
    assertTrue(problem.text().contains("above adaptive-limit.max"), problem::text);
  }

  @Test
  void readsTheServersOfAnOrigin() throws IOException {
    OriginConfig origin = loaded(GROUP, Map.of()).origins().getFirst();
    assertEquals(
        List.of(
            new OriginServerConfig("http://a.example:80", 1, false, 0),
            new OriginServerConfig("http://b.example:81", 3, false, 7),
            new OriginServerConfig("https://c.example:443", 1, true, 0)),
        origin.servers());
    assertEquals(9, origin.maxConnections());
    assertEquals(Balance.PEAK_EWMA, origin.balance());
  }

  @Test
  void readsThePolicy() throws IOException {
    String yaml = GROUP.replace("max-connections: 9", "balance: least-requests");
    assertEquals(Balance.LEAST_REQUESTS, loaded(yaml, Map.of()).origins().getFirst().balance());
    assertEquals(
        "origins.main.balance",
        refused(write(GROUP.replace("max-connections: 9", "balance: fastest")), Map.of())
            .getFirst()
            .path());
  }

  @Test
  void aUrlIsShortForOneServer() throws IOException {
    OriginConfig url = loaded("origins: {main: {url: 'http://a'}}", Map.of()).origins().getFirst();
    OriginConfig list =
        loaded("origins: {main: {servers: [{url: 'http://a'}]}}", Map.of()).origins().getFirst();
    assertEquals(url, list);
    assertEquals("http://a:80", list.url());
  }

  @ParameterizedTest
  @CsvSource({
    "http://a.example/,            http://a.example:80",
    "http://A.example/base/,       http://a.example:80/base",
    "https://a.example/b/c,        https://a.example:443/b/c",
    "http://[::1]:81/%2Fb;c/,      http://[::1]:81/%2Fb;c",
    "unix:/run/app.sock,           unix:/run/app.sock",
    "unix:/run/app.sock:/,         unix:/run/app.sock",
    "unix:/run/app.sock:/base/,    unix:/run/app.sock:/base",
    "http://unix:/run/app.sock,    unix:/run/app.sock",
    "http://unix:/run/a.sock:/b/c, unix:/run/a.sock:/b/c",
    "http+srv://_http._tcp.A.test, http+srv://_http._tcp.a.test",
    "https+srv://_x._tcp.a.test/b/, https+srv://_x._tcp.a.test/b",
  })
  void readsAUrlWithABasePathOrAUnixSocket(String text, String url) throws IOException {
    String yaml = "origins: {main: {url: '" + text + "'}}";
    assertEquals(url, loaded(yaml, Map.of()).origins().getFirst().url());
    String again = ConfigView.yaml(outcome(write(yaml), Map.of()));
    assertEquals(url, loaded(again, Map.of()).origins().getFirst().url());
  }

  @Test
  void readsADirectoryOfFiles() throws IOException {
    String yaml = "origins: {site: {files: {directory: /srv/www}, max-connections: 7}}";
    OriginConfig site = loaded(yaml, Map.of()).origins().getFirst();
    assertEquals(
        new FilesConfig(Path.of("/srv/www"), "index.html", false, List.of(), "max-age=1"),
        site.files());
    assertEquals(List.of(), site.servers());
    String all =
        "origins: {site: {files: {directory: /srv/www, index: none, hidden: true, cache-control:"
            + " none, types: [glb=model/gltf-binary, x=text/x; charset=utf-8]}}}";
    OriginConfig full = loaded(all, Map.of()).origins().getFirst();
    assertEquals(
        new FilesConfig(
            Path.of("/srv/www"),
            null,
            true,
            List.of("glb=model/gltf-binary", "x=text/x; charset=utf-8"),
            null),
        full.files());
    String again = ConfigView.yaml(outcome(write(all), Map.of()));
    assertEquals(full, loaded(again, Map.of()).origins().getFirst());
  }

  @Test
  void readsTheOriginsThatStandIn() throws IOException {
    ServerConfig config =
        loaded(
            """
            origins:
              main: {url: http://a, fallback: [near, far]}
              near: {url: http://b, fallback: spare}
              far: {url: http://c, fallback: [spare]}
              spare: http://d
            routes: [{origin: main}]
            """,
            Map.of());
    assertEquals(List.of("near", "far"), config.origins().getFirst().fallback());
    FallbackOrder order = new FallbackOrder(config.origins());
    assertEquals(List.of("near", "spare", "far"), order.of("main"));
    assertEquals(List.of(), order.of("spare"));
    assertTrue(ConfigView.json(config).contains("\"fallback\" : [ \"near\", \"far\" ]"));
  }

  @Test
  void refusesOriginsThatStandInForEachOther() throws IOException {
    Path file =
        write(
            """
            origins:
              a: {url: http://a, fallback: [b]}
              b: {url: http://b, fallback: [c]}
              c: {url: http://c, fallback: [a, missing]}
              d: {url: http://d, fallback: [a]}
              e: {url: http://e, fallback: [e]}
            routes: [{origin: a}]
            """);
    assertEquals(
        List.of(
            "2:32: origins.a.fallback: a circle: a to b to c to a; remove one of them",
            "3:32: origins.b.fallback: a circle: b to c to a to b; remove one of them",
            "4:32: origins.c.fallback: there is no origin \"missing\"; name one of: a, b, c, d, e",
            "4:32: origins.c.fallback: a circle: c to a to b to c; remove one of them",
            "6:32: origins.e.fallback: a circle: e to e; remove one of them"),
        refused(file, Map.of()).stream()
            .map(problem -> problem.text().replace(file + ":", ""))
            .toList());
  }

  @Test
  void readsTls() throws IOException {
    Path certificate = Files.writeString(directory.resolve("client.pem"), "x");
    Path key = Files.writeString(directory.resolve("client.key"), "x");
    String pin = "sha256/" + "A".repeat(42) + "+=";
    String yaml =
        "origins: {main: {url: https://10.0.0.1, tls: {server-name: Www.example.com, certificate:"
            + certificate
            + ", key: "
            + key
            + ", pins: ["
            + pin
            + "]}}}";
    ServerConfig config = loaded(yaml.replace("certificate:", "certificate: "), Map.of());
    OriginTlsConfig tls = config.origins().getFirst().tls();
    assertEquals(
        new OriginTlsConfig("www.example.com", new PairConfig(certificate, key), List.of(pin)),
        tls);
    ConfigOutcome.Loaded again =
        outcome(
            write(ConfigView.yaml(outcome(directory.resolve("forebay.yaml"), Map.of()))), Map.of());
    assertEquals(tls, again.config().origins().getFirst().tls());
  }

  @Test
  void refusesTlsThatIsIncompleteOrOfNoUse() throws IOException {
    Files.writeString(directory.resolve("client.pem"), "x");
    Path file =
        write(
            """
            origins:
              a: {url: https://a, tls: {certificate: DIR/client.pem}}
              b: {url: http://b, tls: {server-name: b.example}}
              c: {url: https://c, tls: {pins: [sha256/short, md5/x]}}
              d: {url: https://d, tls: {verify: false}}
            routes: [{origin: a}]
            """
                .replace("DIR", directory.toString()));
    List<String> lines =
        refused(file, Map.of()).stream()
            .map(problem -> problem.text().replace(file + ":", ""))
            .toList();
    assertTrue(
        lines.contains("2:42: origins.a.tls.key: is missing; certificate and key belong together"),
        lines::toString);
    assertTrue(
        lines.contains("3:41: origins.b.tls: no server of the origin uses https; remove it"),
        lines::toString);
    assertTrue(
        lines.stream()
            .anyMatch(line -> line.contains("origins.c.tls.pins: \"sha256/short\" is not in a")),
        lines::toString);
    assertTrue(
        lines.stream().anyMatch(line -> line.contains("origins.d.tls.verify: unknown key")),
        lines::toString);
  }

  @Test
  void readsHowConnectionsBegin() throws IOException {
    String yaml =
        """
        origins:
          main: {url: http://a, proxy-protocol: v2, source-address: [192.0.2.7, "2001:db8::7"]}
        """;
    EgressConfig egress = loaded(yaml, Map.of()).origins().getFirst().egress();
    assertTrue(egress.proxyProtocol());
    assertEquals(
        List.of(InetAddress.ofLiteral("192.0.2.7"), InetAddress.ofLiteral("2001:db8::7")),
        egress.sourceAddresses());
    String again = ConfigView.yaml(outcome(write(yaml), Map.of()));
    assertEquals(egress, loaded(again, Map.of()).origins().getFirst().egress());
  }

  @Test
  void readsAProxyWithItsPasswordFromTheEnvironmentOrAFile() throws IOException {
    String yaml =
        """
        origins:
          main: {url: https://a, proxy: http://proxy:3128, proxy-user: me, proxy-password: '${PW}'}
        """;
    ConfigOutcome.Loaded loaded = outcome(write(yaml), Map.of("PW", "se:cret"));
    ProxyConfig proxy = loaded.config().origins().getFirst().egress().proxy();
    assertEquals(new ProxyConfig("http://proxy:3128", "me", "se:cret", null), proxy);
    assertFalse(ConfigView.yaml(loaded).contains("se:cret"));
    assertFalse(ConfigView.json(loaded).contains("se:cret"));
    assertFalse(loaded.config().toString().contains("se:cret"));

    Path file = Files.writeString(directory.resolve("password"), "hidden\nmore\n");
    String fromFile = yaml.replace("proxy-password: '${PW}'", "proxy-password-file: " + file);
    ServerConfig config = loaded(fromFile, Map.of());
    assertEquals(
        new ProxyConfig("http://proxy:3128", "me", "hidden", file),
        config.origins().getFirst().egress().proxy());
    Files.writeString(file, "changed\n");
    assertNotEquals(config.origins(), loaded(fromFile, Map.of()).origins());
  }

  @Test
  void refusesAProxyThatIsIncompleteAndWeightsOfSrvNames() throws IOException {
    Path empty = Files.writeString(directory.resolve("empty"), "\n");
    Path file =
        write(
            """
            origins:
              a: {url: http://a, proxy: https://proxy}
              b: {url: http://b, proxy: http://proxy:1/path}
              c: {url: http://c, proxy-user: me}
              d: {url: http://d, proxy: http://p, proxy-user: 'me:x', proxy-password: y}
              e: {url: http://e, proxy: http://p, proxy-password: x, proxy-password-file: EMPTY}
              f: {url: unix:/run/f.sock, proxy: http://p}
              g: {url: http://g, proxy: 'http://me:pw@p'}
              h: {url: http+srv://_http._tcp.h, proxy: http://p}
              i: {servers: [{url: http+srv://_http._tcp.i, weight: 2}]}
            routes: [{origin: a}]
            """
                .replace("EMPTY", empty.toString()));
    String lines =
        refused(file, Map.of()).stream()
            .map(problem -> problem.text().replace(file + ":", ""))
            .collect(Collectors.joining("\n"));
    for (String expected :
        List.of(
            "origins.a.proxy: \"https://proxy\" is not an http URL",
            "origins.b.proxy: \"http://proxy:1/path\" is more than a host and a port",
            "origins.c.proxy: is missing",
            "origins.d.proxy-user: contains a colon",
            "origins.e.proxy-password-file: proxy-password is given as well",
            "origins.e.proxy-password-file: the file has no password",
            "origins.f.proxy: a server is a Unix-domain socket",
            "origins.g.proxy: the URL contains a user",
            "origins.h.proxy: a server is an SRV name",
            "origins.i.servers.0.weight: the weights of an SRV name stand in its records")) {
      assertTrue(lines.contains(expected), lines);
    }
    assertFalse(lines.contains("pw@"), lines);
  }

  @Test
  void namesThePlaceOfEveryProblem() throws IOException {
    Path file =
        write(
            """
            origins:
              main:
                url: http://a
                servers:
                  - {url: http://a, weigth: 2}
                  - url: http://a
                  - weight: 0
              other:
                servers:
                  - {url: 'ftp://x', backup: true}
              third:
                servers: {url: http://a}
            """);
    List<String> lines =
        refused(file, Map.of()).stream()
            .map(problem -> problem.text().replace(file + ":", ""))
            .toList();
    assertEquals(
        List.of(
            "3:10: origins.main.url: servers are given as well; keep one of them",
            "5:25: origins.main.servers.0.weigth: unknown key; did you mean weight?",
            "6:14: origins.main.servers.1.url: another server has this URL; give one a higher"
                + " weight",
            "7:9: origins.main.servers.2.url: is missing; set it to http://HOST[:PORT][/BASE/],"
                + " https://HOST[:PORT][/BASE/], http+srv://NAME[/BASE/],"
                + " https+srv://NAME[/BASE/] or unix:FILE[:/BASE/]",
            "7:17: origins.main.servers.2.weight: \"0\" is out of range; write 1 to 1000"),
        lines.stream().filter(line -> line.contains("origins.main")).toList());
    assertTrue(
        lines.stream().anyMatch(line -> line.contains("origins.other.servers.0.url")),
        lines::toString);
    assertTrue(
        lines.stream().anyMatch(line -> line.contains("every server is a backup")),
        lines::toString);
    assertTrue(
        lines.stream().anyMatch(line -> line.contains("origins.third.servers: not a list")),
        lines::toString);
  }

  @Test
  void refusesMoreServersThanThereMayBe() throws IOException {
    StringBuilder yaml = new StringBuilder("origins:\n  main:\n    servers:\n");
    for (int i = 0; i < 65; i++) {
      yaml.append("      - http://s").append(i).append('\n');
    }
    List<ConfigProblem> problems = refused(write(yaml.toString()), Map.of());
    assertEquals("65 servers", problems.getFirst().message());
  }

  @Test
  void theEnvironmentNamesServersByNumberOrAllAtOnce() throws IOException {
    OriginConfig changed =
        loaded(GROUP, Map.of("FOREBAY_ORIGINS_MAIN_SERVERS_1_WEIGHT", "7")).origins().getFirst();
    assertEquals(7, changed.servers().get(1).weight());
    OriginConfig replaced =
        loaded(GROUP, Map.of("FOREBAY_ORIGINS_MAIN_SERVERS", "http://x,http://y:1"))
            .origins()
            .getFirst();
    assertEquals(
        List.of(OriginServerConfig.of("http://x:80"), OriginServerConfig.of("http://y:1")),
        replaced.servers());
    OriginConfig made =
        loaded("", Map.of("FOREBAY_ORIGINS_EDGE_SERVERS", "http://x,http://y"))
            .origins()
            .getFirst();
    assertEquals("edge", made.name());
    assertEquals(2, made.servers().size());
  }

  @Test
  void theDumpOfServersCanBeLoadedAgain() throws IOException {
    ConfigOutcome.Loaded loaded = outcome(write(GROUP), Map.of());
    String yaml = ConfigView.yaml(loaded);
    assertTrue(yaml.contains("      - url: http://a.example:80  # from "), yaml);
    ConfigOutcome.Loaded again = outcome(write(yaml), Map.of());
    assertEquals(loaded.config().origins(), again.config().origins());
    assertTrue(ConfigView.json(loaded.config()).contains("\"weight\" : 3"));
  }

  @Test
  void aChangedServerIsADifference() throws IOException {
    ServerConfig before = loaded(GROUP, Map.of());
    ServerConfig after = loaded(GROUP.replace("weight: 3", "weight: 4"), Map.of());
    assertEquals(
        List.of("origins.main.servers.1.weight"), ConfigView.diff(before, after).changed());
    ServerConfig added =
        loaded(
            GROUP + "  more: {servers: ['http://x', 'http://y']}\nroutes: [{origin: main}]",
            Map.of());
    assertTrue(ConfigView.diff(before, added).changed().contains("origins.more"));
    assertTrue(
        ConfigView.diff(before, added).changed().stream()
            .noneMatch(key -> key.startsWith("origins.more.")));
  }

  // Probes.

  @Test
  void readsTheProbesOfAnOrigin() throws IOException {
    ConfigOutcome.Loaded loaded =
        outcome(
            write(
                """
                origins:
                  main:
                    url: https://a.example
                    probe:
                      type: http
                      path: /health?full=1
                      method: GET
                      statuses: [200-204, 301]
                      text: '"state": "ok"'
                      text-within: 4KiB
                      host: health.example
                      port: 8443
                      tls-name: tls.example
                      interval: 10s
                      timeout: 3s
                      jitter: 20%
                      healthy: 4
                      unhealthy: 5
                      window: 9
                      initial: unusable
                """),
            Map.of());
    ProbeConfig probe = loaded.config().origins().getFirst().probe();
    assertEquals(
        new ProbeConfig(
            ProbeConfig.Type.HTTP,
            "/health?full=1",
            "GET",
            List.of("200-204", "301"),
            "\"state\": \"ok\"",
            4096,
            "health.example",
            8443,
            "tls.example",
            Duration.ofSeconds(10),
            Duration.ofSeconds(3),
            20,
            4,
            5,
            9,
            ProbeConfig.Initial.UNUSABLE),
        probe);
    assertTrue(probe.accepts(204) && probe.accepts(301));
    assertTrue(!probe.accepts(205) && !probe.accepts(300) && !probe.accepts(199));
    ConfigOutcome.Loaded again = outcome(write(ConfigView.yaml(loaded)), Map.of());
    assertEquals(loaded.config().origins(), again.config().origins());
  }

  @Test
  void anOriginIsNotProbedUnlessItIsConfigured() throws IOException {
    ConfigOutcome.Loaded loaded = outcome(write(GROUP), Map.of());
    assertEquals(ProbeConfig.NONE, loaded.config().origins().getFirst().probe());
  }

  private Path write(String yaml) throws IOException {
    return Files.writeString(directory.resolve("forebay.yaml"), yaml);
  }

  private ServerConfig loaded(String yaml, Map<String, String> variables) throws IOException {
    return outcome(write(yaml), variables).config();
  }

  private ConfigOutcome.Loaded outcome(Path file, Map<String, String> variables) {
    ConfigOutcome outcome = load(file, variables);
    return assertInstanceOf(ConfigOutcome.Loaded.class, outcome, outcome::toString);
  }

  private List<ConfigProblem> refused(Path file, Map<String, String> variables) {
    ConfigOutcome outcome = load(file, variables);
    return assertInstanceOf(ConfigOutcome.Refused.class, outcome, outcome::toString).problems();
  }

  private ConfigOutcome load(Path file, Map<String, String> variables) {
    return new ConfigLoader(
            new ConfigEnvironment(
                variables, directory, directory, directory, directory, "forebay-test"))
        .load(file, Map.of());
  }
}
