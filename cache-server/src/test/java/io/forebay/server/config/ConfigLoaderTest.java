package io.forebay.server.config;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.forebay.core.route.CookieFilter;
import io.forebay.core.route.CookieSettings.SetCookie;
import io.forebay.core.route.NegativeTtl;
import io.forebay.core.route.RangeSettings;
import io.forebay.core.route.RouteSettings;
import io.forebay.core.route.RouteSettings.ClientDirectives;
import io.forebay.core.route.SharingSettings;
import io.forebay.server.cmcd.CmcdSettings;
import io.forebay.server.compress.CodingLevels;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.ContentCoding;
import io.forebay.server.compress.DictionarySettings;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.Balance;
import io.forebay.server.config.ServerConfig.EjectionConfig;
import io.forebay.server.config.ServerConfig.KeyConfig;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OriginProtocol;
import io.forebay.server.config.ServerConfig.OriginServerConfig;
import io.forebay.server.config.ServerConfig.RetryConfig;
import io.forebay.server.config.ServerConfig.RouteConfig;
import io.forebay.server.config.ServerConfig.SlowConfig;
import io.forebay.server.config.ServerConfig.TierConfig;
import io.forebay.server.pacing.Pacing;
import io.forebay.server.prefetch.PrefetchSettings;
import io.forebay.server.prefetch.PrefetchSettings.Source;
import io.forebay.server.rule.RouteRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ConfigLoaderTest {
  private static final String ORIGIN = "origin: http://127.0.0.1:9000\n";

  @TempDir Path directory;
  private final Map<String, String> variables = new HashMap<>();
  private final Map<String, String> options = new HashMap<>();

  @Test
  void oneOriginIsEnough() {
    options.put("origin", "http://127.0.0.1:9000");
    ServerConfig config = loaded();

    assertEquals(
        List.of(new ListenerConfig("http", new Address("*", 8080), null, null)),
        config.listeners());
    assertEquals(new Address("127.0.0.1", 8081), config.admin().address());
    assertNull(config.admin().token());
    assertEquals(512L << 20, config.store().memory().bytes());
    assertEquals("auto", config.store().protectedShare());
    assertEquals("auto", config.store().touchThreshold());
    assertEquals("auto", config.store().smallObjects());
    OriginConfig origin = config.origins().getFirst();
    assertEquals("default", origin.name());
    assertEquals("http://127.0.0.1:9000", origin.url());
    RouteConfig route = config.routes().getFirst();
    assertEquals(1, config.routes().size());
    assertEquals("*", route.host());
    assertEquals("/", route.pathPrefix());
    assertEquals("default", route.origin());
    assertEquals(RouteSettings.DEFAULT, route.settings());
    assertEquals("forebay-test", config.forwarding().nodeId());
    assertEquals("off", config.accessLog().output());
  }

  @Test
  void compressionIsOnUnlessTheNodeOrARouteSaysOff() throws IOException {
    write("origin: http://127.0.0.1:9000\n");
    ServerConfig config = loaded();
    assertEquals(CompressionConfig.DEFAULT, config.compression());
    assertEquals(
        CompressionSettings.DEFAULT,
        config.routes().getFirst().compression().over(config.compression().settings()));

    write(
        """
        origin: http://127.0.0.1:9000
        compress: off
        routes:
          - {match: {path: /on/}, compress: on}
          - {match: {path: /types/}, compress: {types: text/css}}
        """);
    config = loaded();
    CompressionSettings node = config.compression().settings();
    assertFalse(node.isOn());
    assertTrue(config.routes().get(0).compression().over(node).isOn());
    assertFalse(config.routes().get(1).compression().over(node).isOn());
    assertEquals(List.of("text/css"), config.routes().get(1).compression().over(node).types());

    write(
        """
        origin: http://127.0.0.1:9000
        compress: {min: 1KiB, codings: gzip, stream-levels: {br: 5, gzip: 1}, copy-levels: {zstd: 19}, streams: 7}
        routes:
          - {match: {path: /off/}, compress: off}
        """);
    config = loaded();
    node = config.compression().settings();
    assertEquals(1024, node.minBytes());
    assertEquals(List.of(ContentCoding.GZIP), node.codings());
    assertEquals(new CodingLevels(5, 3, 1), node.streams());
    assertEquals(new CodingLevels(9, 19, 9), node.copies());
    assertEquals(7, config.compression().streams());
    assertFalse(config.routes().getFirst().compression().over(node).isOn());
  }

  @Test
  void cmcdAndPrefetchAreOnWhereARouteSaysSo() throws IOException {
    write(
        """
        origin: http://127.0.0.1:9000
        routes:
          - {match: {path: /}}
          - {match: {path: /a/}, cmcd: on}
          - {match: {path: /b/}, cmcd: {cmsd: on}}
          - {match: {path: /c/}, prefetch: on}
          - match: {path: /d/}
            prefetch: {enabled: on, after: 3, sources: [playlist, cmcd], share: 7%, concurrent: 9}
        """);
    ServerConfig config = loaded();
    assertEquals(VideoConfig.OFF, config.routes().get(0).video());
    assertEquals(new CmcdSettings(true, false), config.routes().get(1).video().cmcd());
    assertEquals(new CmcdSettings(false, true), config.routes().get(2).video().cmcd());
    assertEquals(
        new PrefetchSettings(true, 10, Set.of(Source.values()), 5, 4),
        config.routes().get(3).video().prefetch());
    assertEquals(
        new PrefetchSettings(true, 3, Set.of(Source.PLAYLIST, Source.CMCD), 7, 9),
        config.routes().get(4).video().prefetch());
  }

  @Test
  void refusesTypesAndCodingsThatAreNone() throws IOException {
    write(
        """
        origin: http://127.0.0.1:9000
        compress: {types: [text], codings: [deflate]}
        routes:
          - {match: {path: /a/}, compress: perhaps}
        """);
    assertEquals(
        Set.of("compress.types", "compress.codings", "routes.0.compress.enabled"),
        refused().stream().map(ConfigProblem::path).collect(Collectors.toSet()));
  }

  @Test
  void refusesAConfigurationWithoutAnOrigin() {
    List<ConfigProblem> problems = refused();
    assertEquals(1, problems.size());
    assertEquals("no origin is configured", problems.getFirst().message());
  }

  @Test
  void readsEveryKeyOfTheFile() throws IOException {
    Path pem = Files.writeString(directory.resolve("cert.pem"), "x");
    write(
        """
        listen:
          - {address: ":80", h2c: yes}
          - name: public
            address: "[::1]:8443"
            tls: {certificate: PEM, key: PEM}
        tls: {listen: "127.0.0.1:9443", certificate: PEM, key: PEM}
        admin: {address: "[::1]:9001", token: 0123456789abcdef0}
        threads: {loops: 4, pin: [0, 2], transport: nio}
        store: {data: /d, memory: 1.5GiB, memory-directory: /m, protected-share: 0.35, touch-threshold: 2, small-objects: 32KiB, disk-stop-limit: 1m}
        origins:
          a: https://a.example
          b:
            url: http://b.example:81/
            host: c.example
            protocol: auto
            max-connections: 7
            trust: PEM
            allow-loopback-names: yes
            allow-private-names: no
            keep-alive: 9s
            timeouts: {connect: 1s, first-byte: 2s, idle: 3s, total: 4m}
        routes:
          - name: live
            match: {host: "*.Example.COM", path: /live/}
            origin: b
            targeted-fields: [Acme-Cache-Control, surrogate-control]
            default-ttl: 500ms
            ttl-override: 2s
            negative-ttl: {404: 10s, 410: 1m, 5xx: 1s}
            heuristic: false
            heuristic-with-cookies: yes
            client-invalidation: no
            store-post: no
            ttl-jitter: 5%
            stale-while-revalidate: 1h
            stale-if-error: 1d
            keep: 2d
            early-refresh: 10%
            set-cookie: strip
            request-cookies: {strip: [_ga, b]}
            response-cookies: {keep: []}
            client-directives: honour
            cache: false
            range-fetch: slices
            range-far: 1MiB
            range-limit: 3
            range-wait: 5s
            share-wait: 6s
            hit-for-miss: 7s
            key:
              host: Shared.Example
              port: no
              scheme: no
              fold-path-case: yes
              query: sort
              strip: [utm_*, fbclid]
              keep: [id, p*]
              headers: [X-Country]
              ignore-headers: X-Junk
              cookies: [Kind]
              device: yes
              languages: en, de-CH
              accept-classes: [webp, avif]
              variants: 16
              no-vary-search: yes
            query-method: cache
            unkeyed-fields:
              drop: [X-Debug, x-internal-*]
              key: X-Forwarded-Port
              pass: [X-Real-IP, x_trace]
            upgrade: [WebSocket, echo/2]
            response-trailers: Server-Timing
            via: off
            compress: {enabled: on, types: [text/html, "*+XML"], min: 1KiB, codings: [gzip, br], private: on}
            pacing: {rate: 2MiB, initial-burst: 512KiB}
          - origin: a
        limits:
          header-bytes: 64KiB
          header-count: 10
          target-bytes: 4096
          request-body: 0
          connections: 11
          requests-per-connection: 12
          streams-per-connection: 13
          followers-per-fill: 14
          fills: 15
          private-copies: 1MiB
          connections-per-address: 16
          waiting-per-client: 18
          fetches-per-client: 19
          request-body-rate: 17
        http2:
          window: 1s
          resets: 2
          resets-caused: 3
          pings: 4
          settings: 5
          priorities: 6
          continuations: 7
          empty-frames: 8
          queued-control-frames: 16
        overload: {delay: 9s, retry-after: 10s}
        timeouts:
          tls-handshake: 1s
          request-header: 2s
          request-body-idle: 3s
          keep-alive: 4s
          no-progress: 5s
          drain: 0
          request-total: 6s
        tunnels: {limit: 7, per-client: 6, idle-timeout: 8s}
        forwarding:
          trusted: [10.0.0.0/8, "fd00::/8", 192.0.2.1]
          x-forwarded: no
          forwarded: on
          node-id: edge.1
          max-hops: 3
        purge: {from: [192.0.2.7, "2001:db8::/32"]}
        access-log: {output: stdout, queue: 64}
        """
            .replace("PEM", pem.toString()));
    ServerConfig config = loaded();

    assertEquals(
        List.of(
            new ListenerConfig("http", new Address("*", 80), null, null, null, true, false),
            new ListenerConfig("public", new Address("::1", 8443), pem, pem),
            new ListenerConfig("https", new Address("127.0.0.1", 9443), pem, pem)),
        config.listeners());
    assertEquals(
        new ServerConfig.AdminConfig(new Address("::1", 9001), "0123456789abcdef0"),
        config.admin());
    assertEquals(new ServerConfig.ThreadsConfig(4, "0,2", "nio"), config.threads());
    assertEquals(
        new ServerConfig.StoreConfig(
            Path.of("/d"),
            MemorySize.of(3L << 29),
            MemorySize.share(100),
            Path.of("/m"),
            List.of(),
            "auto",
            "0.35",
            "2",
            "32KiB",
            "always",
            0,
            Duration.ofHours(24),
            "buffered",
            4 << 20,
            64 << 20,
            null,
            0,
            25,
            Duration.ofMinutes(1)),
        config.store());
    assertEquals("https://a.example:443", config.origins().get(0).url());
    assertEquals(
        new OriginConfig(
            "b",
            List.of(OriginServerConfig.of("http://b.example:81")),
            Balance.PEAK_EWMA,
            new RetryConfig(1, List.of(), 10, false, true),
            new EjectionConfig(5, 5, Duration.ofSeconds(10), 50, 50, SlowConfig.OFF),
            ProbeConfig.NONE,
            Duration.ZERO,
            "c.example",
            OriginProtocol.AUTO,
            7,
            pem,
            true,
            false,
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(3),
            Duration.ofMinutes(4),
            Duration.ofSeconds(9),
            SigningConfig.NONE,
            List.of(),
            OriginTlsConfig.DEFAULT,
            EgressConfig.DEFAULT,
            ProtectionConfig.DEFAULT),
        config.origins().get(1));
    assertEquals(
        new RouteConfig(
            "live",
            "*.example.com",
            "/live/",
            "b",
            RouteSettings.builder()
                .targetedFields(List.of("acme-cache-control", "surrogate-control"))
                .defaultTtl(Duration.ofMillis(500))
                .ttlOverride(Duration.ofSeconds(2))
                .negativeTtl(
                    new NegativeTtl(
                        Map.of(
                            404, Duration.ofSeconds(10),
                            410, Duration.ofMinutes(1),
                            5, Duration.ofSeconds(1))))
                .heuristic(false)
                .heuristicWithCookies(true)
                .clientInvalidation(false)
                .storesPost(false)
                .jitterPercent(5)
                .staleWhileRevalidate(Duration.ofHours(1))
                .staleIfError(Duration.ofDays(1))
                .keep(Duration.ofDays(2))
                .earlyRefreshPercent(10)
                .setCookie(SetCookie.STRIP)
                .requestCookies(CookieFilter.strip(Set.of("_ga", "b")))
                .responseCookies(CookieFilter.keep(Set.of()))
                .clientDirectives(ClientDirectives.HONOUR)
                .passthrough(true)
                .build(),
            new RangeSettings(RangeSettings.Fetch.SLICES, 1 << 20, 3, Duration.ofSeconds(5)),
            new SharingSettings(Duration.ofSeconds(6), Duration.ofSeconds(7)),
            new KeyConfig(
                "shared.example",
                false,
                false,
                true,
                "sort",
                List.of("utm_*", "fbclid"),
                List.of("id", "p*"),
                List.of("x-country"),
                List.of("x-junk"),
                List.of("Kind"),
                true,
                List.of("en", "de-ch"),
                16,
                true,
                "cache",
                new ServerConfig.UnkeyedConfig(
                    List.of("x-debug", "x-internal-*"),
                    List.of("x-forwarded-port"),
                    List.of("x-real-ip", "x_trace")),
                List.of("webp", "avif")),
            new ServerConfig.RouteForwardingConfig(
                List.of("websocket", "echo/2"), List.of("server-timing"), false),
            HstsConfig.NONE,
            null,
            RouteRules.NONE,
            new CompressionConfig.OfRoute(
                true,
                List.of("text/html", "*+xml"),
                1024L,
                List.of(ContentCoding.GZIP, ContentCoding.BR),
                true),
            RouteLimits.NONE,
            VideoConfig.OFF,
            RouteLog.DEFAULT,
            EsiConfig.OFF,
            RouteResponseConfig.NONE,
            new Pacing(2 << 20, 512 << 10, 0)),
        config.routes().get(0));
    assertEquals("route-2", config.routes().get(1).name());
    assertEquals(
        new ServerConfig.LimitsConfig(
            65536,
            10,
            4096,
            0,
            11,
            12,
            13,
            14,
            15,
            256,
            0,
            1 << 20,
            new ServerConfig.ClientLimits(16, 18, 19, 17)),
        config.limits());
    assertEquals(
        new ServerConfig.TimeoutsConfig(
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(3),
            Duration.ofSeconds(4),
            Duration.ofSeconds(5),
            Duration.ZERO,
            Duration.ofSeconds(6)),
        config.timeouts());
    assertEquals(
        new ServerConfig.ForwardingConfig(
            List.of("10.0.0.0/8", "fd00::/8", "192.0.2.1/32"), false, true, "edge.1", 3, null),
        config.forwarding());
    assertEquals(new ServerConfig.TunnelsConfig(7, 6, Duration.ofSeconds(8)), config.tunnels());
    assertEquals(
        new ServerConfig.Http2Config(Duration.ofSeconds(1), 2, 3, 4, 5, 6, 7, 8, 16),
        config.http2());
    assertEquals(
        new ServerConfig.OverloadConfig(Duration.ofSeconds(9), Duration.ofSeconds(10)),
        config.overload());
    assertEquals(
        new ServerConfig.PurgeConfig(List.of("192.0.2.7/32", "2001:db8::/32")), config.purge());
    assertEquals("stdout", config.accessLog().output());
    assertEquals(64, config.accessLog().queueLines());
    assertEquals(4 << 20, config.accessLog().ringBytes());
  }

  @Test
  void optionsWinOverTheEnvironmentOverTheFile() throws IOException {
    write(ORIGIN + "store: {memory: 20MiB}\nlimits: {fills: 20, connections: 20}\n");
    variables.put("FOREBAY_LIMITS_FILLS", "30");
    variables.put("FOREBAY_LIMITS_CONNECTIONS", "30");
    options.put("limits.connections", "40");
    ConfigOutcome.Loaded loaded = load();

    assertEquals(20L << 20, loaded.config().store().memory().bytes());
    assertEquals(30, loaded.config().limits().fills());
    assertEquals(40, loaded.config().limits().connections());
    assertEquals(file() + ":2", loaded.sources().get("store.memory"));
    assertEquals("environment FOREBAY_LIMITS_FILLS", loaded.sources().get("limits.fills"));
    assertEquals("options", loaded.sources().get("limits.connections"));
    assertFalse(loaded.sources().containsKey("limits.header-count"));
  }

  @Test
  void environmentReachesListsAndNamedEntries() throws IOException {
    write(
        """
        origins: {my-site: "http://a.example"}
        listen: [":1", ":2"]
        routes: [{match: {path: /a/}}]
        """);
    variables.put("FOREBAY_LISTEN", ":7001, 127.0.0.1:7002");
    variables.put("FOREBAY_ORIGINS_MY_SITE_TIMEOUTS_FIRST_BYTE", "7s");
    variables.put("FOREBAY_ORIGINS_OTHER_URL", "http://b.example");
    variables.put("FOREBAY_ROUTES_0_ORIGIN", "my-site");
    variables.put("FOREBAY_ROUTES_1_ORIGIN", "other");
    variables.put("FOREBAY_ADMIN", "127.0.0.1:7003");
    ServerConfig config = loaded();

    assertEquals(
        List.of(new Address("*", 7001), new Address("127.0.0.1", 7002)),
        config.listeners().stream().map(ListenerConfig::address).toList());
    assertEquals(Duration.ofSeconds(7), config.origins().get(0).firstByteTimeout());
    assertEquals("http://b.example:80", config.origins().get(1).url());
    assertEquals("my-site", config.routes().get(0).origin());
    assertEquals("/a/", config.routes().get(0).pathPrefix());
    assertEquals("other", config.routes().get(1).origin());
    assertEquals(7003, config.admin().address().port());
  }

  @Test
  void warnsOfAnEnvironmentVariableThatNamesNoKey() throws IOException {
    write(ORIGIN);
    variables.put("FOREBAY_SERVICE_HOST", "10.0.0.1");
    assertEquals(
        List.of("environment FOREBAY_SERVICE_HOST: no such key, ignored"), load().warnings());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0/0", "::/0", "[10.0.0.0/8, 1.2.3.4/0]"})
  void refusesToLetEverybodyPurge(String networks) throws IOException {
    write(ORIGIN + "purge: {from: " + (networks.startsWith(":") ? "'::/0'" : networks) + "}\n");
    List<ConfigProblem> problems = refused();
    assertEquals(1, problems.size());
    assertTrue(
        problems.getFirst().text().contains("lets everybody purge"), problems.getFirst().text());
  }

  @Test
  void refusesAnOptionThatNamesNoKey() throws IOException {
    write(ORIGIN);
    options.put("store.memroy", "1GiB");
    assertTrue(refused().getFirst().text().startsWith("options: store.memroy: unknown key"));
  }

  @Test
  void interpolatesTheEnvironment() throws IOException {
    variables.put("PORT", "7777");
    variables.put("EMPTY", "");
    write(
        ORIGIN
            + """
            admin: {address: "127.0.0.1:${PORT}"}
            limits: {fills: "${FILLS:-55}", connections: "${EMPTY:-66}"}
            origins: {b: {url: http://b.example, host: "a$${b}c"}}
            """);
    ServerConfig config = loaded();
    assertEquals(7777, config.admin().address().port());
    assertEquals(55, config.limits().fills());
    assertEquals(66, config.limits().connections());
    assertEquals("a${b}c", config.origins().get(1).host());
  }

  @Test
  void refusesInterpolationOfWhatIsNotSet() throws IOException {
    write("origin: ${NOWHERE}\nstore: {memory: \"${NOT_CLOSED\"}\n");
    List<ConfigProblem> problems = refused();
    assertEquals(2, problems.size(), problems.toString());
    assertEquals("environment variable NOWHERE is not set", problems.get(0).message());
    assertEquals("${ without }", problems.get(1).message());
  }

  @Test
  void reportsAllProblemsAtOnceWithTheirPlaces() throws IOException {
    write(
        """
        origin: ftp://x
        store:
          memory: 95%
          memroy: 1GiB
        limits:
          fills: 0
          header-bytes: many
        timeouts: {drain: 10}
        threads:
          - 1
        routes:
          - origin: nowhere
          - {match: {hots: a}, origin: default}
        """);
    List<String> lines = refused().stream().map(ConfigProblem::text).toList();
    String file = file().toString();
    assertEquals(
        List.of(
            file
                + ":1:9: origin: \"ftp://x\" is not an http or https URL; write one such as"
                + " http://127.0.0.1:9000, https://origin.example.com/base/ or unix:/run/app.sock",
            file + ":3:11: store.memory: \"95%\" is out of range; write 1% to 90%",
            file + ":4:3: store.memroy: unknown key; did you mean memory?",
            file + ":6:10: limits.fills: \"0\" is out of range; write 1 to 1000000",
            file
                + ":7:17: limits.header-bytes: \"many\" is not a size; write bytes, or a size such"
                + " as 64KiB, 512MiB or 2GiB",
            file
                + ":8:19: timeouts.drain: \"10\" is a number without a unit; write 10s, or with"
                + " ms, m, h or d",
            file
                + ":10:3: threads: keys are required here; known here: loops, pin, transport, connections",
            file + ":12:13: routes.0.origin: there is no origin named nowhere; known here: default",
            file
                + ":13:5: routes.1: an earlier route matches the same host and path; give it"
                + " another match, or remove it",
            file + ":13:14: routes.1.match.hots: unknown key; did you mean host?"),
        lines);
  }

  @Test
  void saysInOneLineWhatIsBrokenInTheYaml() throws IOException {
    write(ORIGIN + "listen: @8080\n");
    assertEquals(
        file()
            + ":2:9: not valid YAML: while scanning for the next token, found character '@' that"
            + " cannot start any token. (Do not use @ for indentation)",
        refused().getFirst().text());
  }

  @Test
  void refusesAKeyGivenTwice() throws IOException {
    write(ORIGIN + ORIGIN);
    ConfigProblem problem = refused().getFirst();
    assertEquals(2, problem.line(), problem.text());
  }

  @Test
  void refusesAliasesWhichCouldNameMillionsOfNodes() throws IOException {
    write(ORIGIN + "limits: &a {fills: 3}\nforwarding: *a\n");
    ConfigProblem problem = refused().getFirst();
    assertEquals("YAML aliases are not supported", problem.message());
    assertEquals(3, problem.line());
  }

  @Test
  void refusesWhatIsNestedTooDeep() throws IOException {
    write("origins: " + "{a: ".repeat(40) + "1" + "}".repeat(40));
    assertTrue(refused().getFirst().message().startsWith("nested deeper than"));
  }

  @Test
  void refusesASecondDocument() throws IOException {
    write(ORIGIN + "---\n" + ORIGIN);
    assertEquals("a second YAML document begins here", refused().getFirst().message());
  }

  @Test
  void saysWhyANamedFileCannotBeRead() throws IOException {
    Path missing = directory.resolve("missing.yaml");
    assertEquals(missing + ": cannot be read: no such file", refused(missing).getFirst().text());
    Path large = Files.writeString(directory.resolve("large.yaml"), " ".repeat((1 << 20) + 1));
    assertEquals("cannot be read: larger than 1MiB", refused(large).getFirst().message());
    Path binary = Files.write(directory.resolve("binary.yaml"), new byte[] {(byte) 0xFF, 0x41});
    assertEquals("cannot be read: not UTF-8", refused(binary).getFirst().message());
  }

  @Test
  void looksInTheWorkingDirectoryThenInTheSystemsPlace() throws IOException {
    Path system = Files.writeString(directory.resolve("system.yaml"), "origin: http://system\n");
    ConfigOutcome.Loaded loaded =
        assertInstanceOf(ConfigOutcome.Loaded.class, loader().load(null, options));
    assertEquals("http://system:80", loaded.config().origins().getFirst().url());
    assertEquals(system, loaded.file());
    write("origin: http://local\n");
    assertEquals("http://local:80", loaded().origins().getFirst().url());
    Path named = Files.writeString(directory.resolve("named.yaml"), "origin: http://named\n");
    loaded = assertInstanceOf(ConfigOutcome.Loaded.class, loader().load(named, options));
    assertEquals("http://named:80", loaded.config().origins().getFirst().url());
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1, 1",
    "1B, 1",
    "64KiB, 65536",
    "1.5KiB, 1536",
    "512MiB, 536870912",
    "2GiB, 2147483648",
    "1TiB, 1099511627776",
  })
  void readsSizes(String text, long bytes) throws IOException {
    write(ORIGIN + "limits: {request-body: " + text + "}");
    assertEquals(bytes, loaded().limits().requestBodyBytes());
  }

  @ParameterizedTest
  @CsvSource({
    "1KB, write 1KiB (units are powers of 1024)",
    "5m, write 5MiB (units are powers of 1024)",
    "5x, 'write B, KiB, MiB, GiB or TiB (units are powers of 1024)'",
    "-1, 'write bytes, or a size such as 64KiB, 512MiB or 2GiB'",
    "99999999999999TiB, write a size such as 2GiB",
    "17TiB, write 0 to 16TiB",
    "60%, write a size such as 512MiB or 2GiB",
  })
  void refusesWhatIsNoSize(String text, String right) throws IOException {
    write(ORIGIN + "limits: {request-body: \"" + text + "\"}");
    assertEquals(right, refused().getFirst().right());
  }

  @Test
  void theMemoryTierMayBeAShare() throws IOException {
    write(ORIGIN + "store: {memory: 60%}");
    assertEquals(MemorySize.share(60), loaded().store().memory());
    assertEquals("60%", loaded().store().memory().toString());
    for (String wrong : List.of("0%", "91%", "1000000000%", "60.5%")) {
      write(ORIGIN + "store: {memory: \"" + wrong + "\"}");
      assertEquals(1, refused().size(), wrong);
    }
  }

  @Test
  void tiersAreAListInTheirOrder() throws IOException {
    List<TierConfig> tiers =
        List.of(
            new TierConfig(Path.of("/mnt/node1/forebay"), 64L << 30),
            new TierConfig(Path.of("/mnt/cxl:0"), 1L << 40));
    write(ORIGIN + "store:\n  tiers:\n    - /mnt/node1/forebay:64GiB\n    - /mnt/cxl:0:1TiB\n");
    assertEquals(tiers, loaded().store().tiers());
    write(ORIGIN + "store: {tiers: '/mnt/node1/forebay:64GiB, /mnt/cxl:0:1TiB'}");
    assertEquals(tiers, loaded().store().tiers());
    write(ORIGIN);
    assertEquals(List.of(), loaded().store().tiers());
  }

  @ParameterizedTest
  @CsvSource({
    "/mnt/cxl, not a directory and a size",
    ":1GiB, not a directory and a size",
    "/mnt/cxl:much, not a size",
    "/mnt/cxl:15MiB, out of range",
    "/mnt/cxl:65TiB, out of range",
    "'/mnt/cxl:1GiB,/mnt/./cxl:2GiB', the directory of two tiers",
  })
  void refusesWhatIsNoTier(String text, String why) throws IOException {
    write(ORIGIN + "store: {tiers: \"" + text + "\"}");
    ConfigProblem problem = refused().getFirst();
    assertEquals("store.tiers", problem.path());
    assertTrue(problem.toString().contains(why), problem::toString);
  }

  @Test
  void refusesMoreTiersThanAnyMachineHas() throws IOException {
    StringBuilder tiers = new StringBuilder("/mnt/0:1GiB");
    for (int n = 1; n < 9; n++) {
      tiers.append(",/mnt/").append(n).append(":1GiB");
    }
    write(ORIGIN + "store: {tiers: \"" + tiers + "\"}");
    assertTrue(refused().getFirst().toString().contains("longer than 8 entries"));
  }

  @Test
  void aDiskMayNotHaveTheNameOfATier() throws IOException {
    String disk = "stores: {tier1: {path: /mnt/disk, size: 1GiB}}\n";
    write(ORIGIN + disk);
    assertEquals("tier1", loaded().stores().getFirst().name());
    write(ORIGIN + disk + "store: {tiers: /mnt/cxl:1GiB}");
    assertEquals("stores.tier1", refused().getFirst().path());
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0",
    "1GiB, 1073741824, 1GiB",
    "1 DWPD, 8388608, 1 DWPD",
    "0.5dwpd, 4194304, 0.5 DWPD",
    "0.05 DWPD, 419430, 0.05 DWPD",
    "100 DWPD, 838860800, 100 DWPD"
  })
  void writesADayAreBytesOrSizesOfTheStore(String text, long bytes, String printed)
      throws IOException {
    write(ORIGIN + "stores: {d: {path: /d, size: 8MiB, daily-writes: \"" + text + "\"}}");
    DailyWrites writes = loaded().stores().getFirst().dailyWrites();
    assertEquals(bytes, writes.bytes(8 << 20));
    assertEquals(printed, writes.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"0 DWPD", "101 DWPD", "0.001 DWPD", "-1", "1 TBW", "1GB"})
  void refusesWritesADayThatAreNeither(String text) throws IOException {
    write(ORIGIN + "stores: {d: {path: /d, size: 8MiB, daily-writes: \"" + text + "\"}}");
    assertEquals("stores.d.daily-writes", refused().getFirst().path());
  }

  @ParameterizedTest
  @CsvSource({"500ms, 500", "10s, 10000", "5m, 300000", "2h, 7200000", "1d, 86400000", "0, 0"})
  void readsDurations(String text, long millis) throws IOException {
    write(ORIGIN + "timeouts: {drain: " + text + "}");
    assertEquals(millis, loaded().timeouts().drain().toMillis());
  }

  @ParameterizedTest
  @CsvSource({"10", "1w", "2d", "-1s", "99999999999999999s", "1.5s", "''"})
  void refusesWhatIsNoDuration(String text) throws IOException {
    write(ORIGIN + "timeouts: {drain: \"" + text + "\"}");
    assertEquals("timeouts.drain", refused().getFirst().path());
  }

  @ParameterizedTest
  @CsvSource({
    ":8080, *, 8080",
    "*:1, *, 1",
    "127.0.0.1:8080, 127.0.0.1, 8080",
    "[::1]:8080, ::1, 8080",
    "localhost:0, localhost, 0",
    "edge-1.example.com:65535, edge-1.example.com, 65535",
  })
  void readsAddresses(String text, String host, int port) throws IOException {
    write(ORIGIN + "listen: \"" + text + "\"");
    assertEquals(new Address(host, port), loaded().listeners().getFirst().address());
  }

  @ParameterizedTest
  @CsvSource({
    "8080",
    "::1:8080",
    "[1.2.3.4]:80",
    ":65536",
    "a b:80",
    "300.1.1.1:80",
    ":",
    "a:",
    "''"
  })
  void refusesWhatIsNoAddress(String text) throws IOException {
    write(ORIGIN + "listen: \"" + text + "\"");
    assertEquals("listen.0.address", refused().getFirst().path());
  }

  @ParameterizedTest
  @CsvSource({
    "http://a?q",
    "http://user:secret@a",
    "//a",
    "a.example",
    "http://a:0",
    "http://a:99999",
    "http://[::1",
    "http://a b",
  })
  void refusesWhatIsNoOriginUrl(String text) throws IOException {
    write("origin: \"" + text + "\"");
    ConfigProblem problem = refused().getFirst();
    assertEquals("origin", problem.path());
    assertFalse(problem.text().contains("secret"), problem.text());
  }

  @Test
  void readsIpv6Origins() throws IOException {
    write("origin: http://[::1]:9000");
    assertEquals("http://[::1]:9000", loaded().origins().getFirst().url());
  }

  @ParameterizedTest
  @CsvSource({"0.0.0.0:1", ":1", "10.0.0.1:1", "admin.example.com:1", "[::]:1"})
  void refusesAnOpenAdminAddressWithoutAToken(String address) throws IOException {
    write(ORIGIN + "admin: \"" + address + "\"");
    ConfigProblem problem = refused().getFirst();
    assertEquals("admin.address", problem.path());
    assertTrue(problem.message().contains("not a loopback address and no token is configured"));
    options.put("admin.token", "0123456789abcdef");
    assertEquals("0123456789abcdef", loaded().admin().token());
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1"})
  void takesALoopbackAdminAddressWithoutAToken(String address) throws IOException {
    write(ORIGIN + "admin: \"" + address + "\"");
    assertNull(loaded().admin().token());
  }

  @Test
  void readsTheTokenFromAFile() throws IOException {
    Path token = Files.writeString(directory.resolve("token"), "abcdefabcdefabcdef\nnotes\n");
    write(ORIGIN + "admin: {address: ':1', token-file: " + token + "}");
    assertEquals("abcdefabcdefabcdef", loaded().admin().token());
    Files.writeString(token, "short secret");
    ConfigProblem problem = refused().getFirst();
    assertEquals("admin.token-file", problem.path());
    assertFalse(problem.text().contains("short secret"), problem.text());
    Files.delete(token);
    assertEquals(1, refused().size());
  }

  @Test
  void neverRepeatsASecretInAProblem() throws IOException {
    write(ORIGIN + "admin: {token: hunter2}");
    assertFalse(refused().getFirst().text().contains("hunter2"));
  }

  @Test
  void wantsCertificateAndKeyTogetherAndReadable() throws IOException {
    Path pem = Files.writeString(directory.resolve("cert.pem"), "x");
    write(ORIGIN + "listen: [{address: ':1', tls: {certificate: " + pem + "}}]");
    assertEquals("a certificate without a key", refused().getFirst().message());
    write(ORIGIN + "listen: [{address: ':1', tls: {key: " + pem + "}}]");
    assertEquals("a key without a certificate", refused().getFirst().message());
    write(ORIGIN + "tls: {listen: ':1'}");
    assertEquals("a TLS listener without certificate and key", refused().getFirst().message());
    write(ORIGIN + "tls: {certificate: " + pem + ", key: " + pem + "}");
    assertEquals("no address to listen on", refused().getFirst().message());
    write(ORIGIN + "tls: {listen: ':1', certificate: " + pem + ", key: /nowhere/key.pem}");
    ConfigProblem problem = refused().getFirst();
    assertEquals("tls.key", problem.path());
    assertEquals("\"/nowhere/key.pem\" is not a file that can be read", problem.message());
  }

  @Test
  void refusesTwoOfOneNameOrAddress() throws IOException {
    write(ORIGIN + "listen: [':1', '0.0.0.0:1']");
    assertEquals("listener http already has the address 0.0.0.0:1", refused().getFirst().message());
    write(ORIGIN + "listen: [{name: a, address: ':1'}, {name: a, address: ':2'}]");
    assertEquals("another listener is named a", refused().getFirst().message());
    write(ORIGIN + "listen: '127.0.0.1:8081'");
    assertEquals("listener http already has this address", refused().getFirst().message());
    write(ORIGIN + "routes: [{name: a, match: {path: /a}}, {name: a}]");
    assertEquals("another route is named a", refused().getFirst().message());
    write(ORIGIN + "origins: {default: 'http://b'}");
    assertEquals("origin is given as well", refused().getFirst().message());
    write(ORIGIN + "listen: [':0', ':0']");
    assertEquals(2, loaded().listeners().size());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          request-cookies: {strip: [a], keep: [b]} | request-cookies.strip | request-cookies.keep is given as well
          response-cookies: {strip: [a b]}         | response-cookies.strip | "a b" is not in a list of cookies
          negative-ttl: {200: 1s}                  | negative-ttl | "200=1s" is not an error status with a duration
          negative-ttl: {404: 1}                   | negative-ttl | "1" is a number without a unit
          negative-ttl: {429: 1s}                  | negative-ttl | 429 does not depend on the URL and is never stored
          negative-ttl: [404]                      | negative-ttl | a list where a single value is required
          ttl-jitter: 5                            | ttl-jitter | "5" is not a percentage
          early-refresh: 51%                       | early-refresh | "51" is out of range
          set-cookie: keep                         | set-cookie | "keep" is not one of the choices
          targeted-fields: [a/b]                   | targeted-fields | "a/b" is not in a list of fields
          """)
  void refusesWhatARouteCannotHave(String setting, String key, String message) throws IOException {
    write(ORIGIN + "routes:\n  - " + setting + "\n");
    ConfigProblem problem = refused().getFirst();
    assertEquals("routes.0." + key, problem.path());
    assertEquals(message, problem.message());
  }

  @Test
  void wantsRoutesWhereThereAreSeveralOrigins() throws IOException {
    write("origins: {a: 'http://a', b: 'http://b'}");
    assertEquals("several origins and no routes", refused().getFirst().message());
    write("origins: {a: 'http://a', b: 'http://b'}\nroutes: [{match: {path: /x/}}]");
    assertEquals("no origin is given", refused().getFirst().message());
  }

  @ParameterizedTest
  @CsvSource({"/a/../b", "/a?b", "a", "/%7euser", "'/a b'"})
  void refusesAPathThatNoRequestHas(String path) throws IOException {
    write(ORIGIN + "routes: [{match: {path: \"" + path + "\"}}]");
    assertEquals("routes.0.match.path", refused().getFirst().path());
  }

  @ParameterizedTest
  @CsvSource({"a.*.b", "'a b'", "http://a", "*.", "a/b"})
  void refusesAHostThatNoRequestHas(String host) throws IOException {
    write(ORIGIN + "routes: [{match: {host: \"" + host + "\"}}]");
    assertEquals("routes.0.match.host", refused().getFirst().path());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          unkeyed-fields: {pass: [X_Forwarded_For]}          | unkeyed-fields.pass | an origin may read x_forwarded_for as x-forwarded-for
          unkeyed-fields: {pass: [Client_Cert]}              | unkeyed-fields.pass | an origin may read client_cert as client-cert
          unkeyed-fields: {pass: [Client.Cert]}              | unkeyed-fields.pass | an origin may read client.cert as client-cert
          unkeyed-fields: {pass: [content_length]}           | unkeyed-fields.pass | an origin may read content_length as content-length
          unkeyed-fields: {pass: [x_original_url]}           | unkeyed-fields.pass | an origin may read x_original_url as x-original-url
          unkeyed-fields: {key: [x_original_url]}            | unkeyed-fields.key  | an origin may read x_original_url as x-original-url
          key: {headers: [x_forwarded_host]}                 | key.headers         | an origin may read x_forwarded_host as x-forwarded-host
          unkeyed-fields: {pass: [a], drop: [a]}             | unkeyed-fields.pass | a is also in another list
          unkeyed-fields: {pass: [a], key: [a]}              | unkeyed-fields.pass | a is also in another list
          unkeyed-fields: {key: [a]}, key: {headers: [a]}    | unkeyed-fields.key  | key.headers also has a
          unkeyed-fields: {key: [cookie]}, key: {cookies: [a]} | unkeyed-fields.key | key.cookies also has cookie
          """)
  void refusesFieldsThatCannotBeLetThrough(String settings, String path, String message)
      throws IOException {
    write(ORIGIN + "routes: [{" + settings + "}]");
    List<ConfigProblem> problems = refused();
    assertEquals(1, problems.size(), problems.toString());
    assertEquals("routes.0." + path, problems.getFirst().path());
    assertEquals(message, problems.getFirst().message());
  }

  @Test
  void aRouteSaysWhatItsDictionariesAreFor() throws IOException {
    write(
        ORIGIN
            + """
            routes:
              - match: {path: /app/}
                dictionary: {match: "/app/*", match-dest: [script, style], id: app 1, max-size: 1MiB}
              - {match: {path: /on/}, dictionary: on}
              - {match: {path: /off/}, dictionary: {enabled: off, match: /x}}
              - {match: {path: /short/}, dictionary: {match: "/short/:v/a.js"}}
            """);
    List<RouteConfig> routes = loaded().routes();
    DictionarySettings full = requireNonNull(routes.get(0).compression().dictionary());
    assertEquals(
        "use-as-dictionary: match=\"/app/*\", match-dest=(\"script\" \"style\"), id=\"app 1\"\r\n",
        full.line());
    assertEquals(1 << 20, full.maxBytes());
    DictionarySettings on = requireNonNull(routes.get(1).compression().dictionary());
    assertEquals("", on.line());
    assertEquals(2 << 20, on.maxBytes());
    assertNull(routes.get(2).compression().dictionary());
    assertEquals(
        "use-as-dictionary: match=\"/short/:v/a.js\"\r\n",
        requireNonNull(routes.get(3).compression().dictionary()).line());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          dictionary: {match: app}                            | dictionary.match
          dictionary: {match: '/a(b)'}                        | dictionary.match
          dictionary: {match: '/a"b'}                         | dictionary.match
          dictionary: {match: /a, match-dest: [Script]}       | dictionary.match-dest
          dictionary: {match: /a, id: 'a"b'}                  | dictionary.id
          dictionary: {enabled: on, id: a}                    | dictionary.id
          dictionary: {enabled: on, match-dest: [script]}     | dictionary.match-dest
          dictionary: {match: /a, max-size: 9MiB}             | dictionary.max-size
          dictionary: {match: /a}, compress: off              | dictionary.match
          dictionary: on, key: {host: a.example}              | dictionary.enabled
          dictionary: {match: /a}, key: {port: no}            | dictionary.match
          dictionary: {match: /a}, key: {scheme: no}          | dictionary.match
          """)
  void refusesDictionariesThatCannotWork(String keys, String path) throws IOException {
    write(ORIGIN + "routes: [{" + keys + "}]");
    assertEquals("routes.0." + path, refused().getFirst().path());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          query: ignore, strip: [a]             | query
          query: sorted                         | query
          strip: [a*b]                          | strip
          keep: ['a&b']                         | keep
          host: 'a.example:80'                  | host
          headers: [a b]                        | headers
          headers: [Cookie], cookies: [a]       | headers
          headers: [User-Agent], device: yes    | headers
          headers: [X-A], ignore-headers: [x-a] | headers
          headers: [accept-language], languages: [en] | headers
          headers: [accept], accept-classes: [avif]   | headers
          ignore-headers: [accept], accept-classes: [avif] | accept-classes
          accept-classes: [png]                 | accept-classes
          cookies: ['a;b']                      | cookies
          languages: [en_US]                    | languages
          variants: 0                           | variants
          variants: 257                         | variants
          """)
  void refusesKeysThatContradictThemselves(String key, String path) throws IOException {
    write(ORIGIN + "routes: [{key: {" + key + "}}]");
    assertEquals("routes.0.key." + path, refused().getFirst().path());
  }

  @Test
  void takesTheUsersStateDirectoryWhereTheSystemsCannotBeWritten() throws IOException {
    write(ORIGIN);
    // The system's directory cannot be made below a file.
    assertEquals(directory.resolve("home/.local/state/forebay"), loaded().store().data());
    variables.put("XDG_STATE_HOME", directory.resolve("state").toString());
    assertEquals(directory.resolve("state/forebay"), loaded().store().data());
    variables.put("XDG_STATE_HOME", "relative");
    assertEquals(directory.resolve("home/.local/state/forebay"), loaded().store().data());
    Files.createDirectories(directory.resolve("lib"));
    assertEquals(directory.resolve("lib/forebay"), loaded().store().data());
  }

  @Test
  void namesTheNodeTheSameAtEveryLoad() {
    String first = ConfigEnvironment.system().nodeId();
    assertEquals(first, ConfigEnvironment.system().nodeId());
    assertTrue(first.matches("forebay-[0-9a-f]{10}"), first);
  }

  // Helps.

  private Path file() {
    return directory.resolve("forebay.yaml");
  }

  private void write(String yaml) throws IOException {
    Files.writeString(file(), yaml);
  }

  private ConfigLoader loader() {
    return new ConfigLoader(
        new ConfigEnvironment(
            variables,
            directory,
            directory.resolve("system.yaml"),
            directory.resolve("lib/forebay"),
            directory.resolve("home"),
            "forebay-test"));
  }

  private ConfigOutcome.Loaded load() {
    ConfigOutcome outcome = loader().load(null, options);
    return assertInstanceOf(ConfigOutcome.Loaded.class, outcome, outcome::toString);
  }

  private ServerConfig loaded() {
    return load().config();
  }

  private List<ConfigProblem> refused() {
    return assertInstanceOf(ConfigOutcome.Refused.class, loader().load(null, options)).problems();
  }

  private List<ConfigProblem> refused(Path named) {
    return assertInstanceOf(ConfigOutcome.Refused.class, loader().load(named, options)).problems();
  }
}
