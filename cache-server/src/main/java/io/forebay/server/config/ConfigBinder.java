package io.forebay.server.config;

import io.forebay.core.key.NamePatterns;
import io.forebay.core.key.UnkeyedFields;
import io.forebay.core.route.CookieFilter;
import io.forebay.core.route.RangeSettings;
import io.forebay.core.route.RouteSettings;
import io.forebay.core.route.SharingSettings;
import io.forebay.server.cmcd.CmcdSettings;
import io.forebay.server.config.ConfigValues.Raw;
import io.forebay.server.config.ServerConfig.AccessLogConfig;
import io.forebay.server.config.ServerConfig.Address;
import io.forebay.server.config.ServerConfig.AdminConfig;
import io.forebay.server.config.ServerConfig.ClientLimits;
import io.forebay.server.config.ServerConfig.DebugConfig;
import io.forebay.server.config.ServerConfig.DiskConfig;
import io.forebay.server.config.ServerConfig.ForwardingConfig;
import io.forebay.server.config.ServerConfig.Http2Config;
import io.forebay.server.config.ServerConfig.KeyConfig;
import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.NamedRules;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.OverloadConfig;
import io.forebay.server.config.ServerConfig.PurgeConfig;
import io.forebay.server.config.ServerConfig.RouteConfig;
import io.forebay.server.config.ServerConfig.RouteForwardingConfig;
import io.forebay.server.config.ServerConfig.StorageClassConfig;
import io.forebay.server.config.ServerConfig.StoreConfig;
import io.forebay.server.config.ServerConfig.ThreadsConfig;
import io.forebay.server.config.ServerConfig.TierConfig;
import io.forebay.server.config.ServerConfig.TimeoutsConfig;
import io.forebay.server.config.ServerConfig.TunnelsConfig;
import io.forebay.server.config.ServerConfig.UnkeyedConfig;
import io.forebay.server.config.TlsConfig.CertificateConfig;
import io.forebay.server.config.TlsConfig.ClientAuth;
import io.forebay.server.counters.PluginCounters;
import io.forebay.server.digest.DigestPolicy;
import io.forebay.server.geo.GeoLocator;
import io.forebay.server.geo.MmdbFile;
import io.forebay.server.pacing.Pacing;
import io.forebay.server.prefetch.PrefetchSettings;
import io.forebay.server.text.Printable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Converts configuration values into records and checks constraints between keys. A wrong value is
 * recorded and replaced by a placeholder, so one pass finds every problem; the caller discards the
 * result if there are any.
 */
final class ConfigBinder extends Binder {
  private static final int MIN_DEBUG_SECRET = 16;

  private final ConfigEnvironment environment;
  private final Function<String, PluginCounters> counters;

  /** {@code counters} are those of a plugin, by its name. */
  ConfigBinder(
      ConfigValues values,
      ConfigEnvironment environment,
      List<ConfigProblem> problems,
      Function<String, PluginCounters> counters) {
    super(values, problems, new LinkedHashMap<>());
    this.environment = environment;
    this.counters = counters;
  }

  /** Where each value that is no default came from, by key path with names for indexes. */
  Map<String, String> sources() {
    return sources;
  }

  ServerConfig bind() {
    ListenBinder front = new ListenBinder(values, problems, sources);
    List<CertificateConfig> certificates = front.certificates();
    List<ListenerConfig> listeners = front.listeners(certificates);
    AdminConfig admin = admin(listeners);
    List<OriginConfig> origins = new OriginBinder(values, problems, sources).bind();
    StoreConfig store = store();
    List<DiskConfig> stores = stores(store.tiers());
    StorageClassBinder classes =
        new StorageClassBinder(values, problems, sources, !stores.isEmpty());
    List<StorageClassConfig> storageClasses = classes.bind();
    Set<String> originNames = origins.stream().map(OriginConfig::name).collect(Collectors.toSet());
    ProtectionBinder protection = new ProtectionBinder(values, problems, sources, originNames);
    List<ProtectionProfile> protections = protection.bind();
    SplitBinder splitting = new SplitBinder(values, problems, sources);
    List<SplitConfig> splits = splitting.bind();
    GeoConfig geo = geo();
    CompressionBinder compression = new CompressionBinder(values, problems, sources);
    PluginsConfig plugins = new PluginBinder(values, problems, sources).bind(counters);
    RuleBinder rules =
        new RuleBinder(
            values,
            problems,
            splitting.splits(),
            geo,
            new HandshakeFacts(
                isFingerprinting(),
                certificates.stream().anyMatch(one -> one.clientAuth() != ClientAuth.OFF)),
            listeners.stream().map(ListenerConfig::name).collect(Collectors.toSet()),
            originNames,
            plugins.set());
    LimitsConfig limits = limits();
    TimeoutsConfig timeouts = timeouts();
    RouteLimitsBinder bounds = new RouteLimitsBinder(values, problems, sources, limits, timeouts);
    List<RouteConfig> routes = routes(origins, classes, protection, rules, compression, bounds);
    LogBinder logs = new LogBinder(values, problems, sources);
    AccessLogConfig accessLog = logs.accessLog(rules.sampling());
    return new ServerConfig(
        listeners,
        admin,
        threads(),
        store,
        stores,
        origins,
        routes,
        limits,
        timeouts,
        new TunnelsConfig(
            given("tunnels", ConfigKeys.TUNNEL_LIMIT),
            given("tunnels", ConfigKeys.TUNNELS_PER_CLIENT),
            given("tunnels", ConfigKeys.TUNNEL_IDLE)),
        forwarding(),
        accessLog,
        http2(),
        new OverloadConfig(
            given("overload", ConfigKeys.OVERLOAD_DELAY),
            given("overload", ConfigKeys.OVERLOAD_RETRY_AFTER)),
        front.tls(certificates),
        front.http3(listeners),
        purge(),
        storageClasses,
        protections,
        named(ConfigKeys.MATCHERS, ConfigKeys.MATCHER),
        named(ConfigKeys.RULE_SETS, ConfigKeys.RULE_SET),
        new ServerConfig.DefaultPages(
            rules.errorPages(), named(ConfigKeys.ERROR_PAGES, ConfigKeys.ERROR_PAGE)),
        debug(),
        splits,
        geo,
        compression.bind(),
        plugins,
        new ClusterBinder(values, problems, sources).bind(),
        logs.audit(accessLog, store.data()));
  }

  private DebugConfig debug() {
    int before = problems.size();
    Secret secret = secret("debug", ConfigKeys.DEBUG_SECRET, ConfigKeys.DEBUG_SECRET_FILE);
    boolean isWhole = problems.size() == before;
    if (secret != null && isWhole && secret.value().length() < MIN_DEBUG_SECRET) {
      problems.add(
          firstPlace("debug.secret", "debug.secret-file")
              .problem(
                  "debug.secret",
                  "the secret has fewer than " + MIN_DEBUG_SECRET + " characters",
                  "use a long random one, such as 64 hexadecimal digits"));
    }
    return new DebugConfig(secret);
  }

  private boolean isFingerprinting() {
    Raw raw = values.get("tls." + ConfigKeys.TLS_JA4.name());
    return raw != null && raw.text().strip().equals("true");
  }

  private GeoConfig geo() {
    Path countryFile = value("geo", ConfigKeys.GEO_COUNTRY_FILE);
    Path asnFile = value("geo", ConfigKeys.GEO_ASN_FILE);
    return countryFile == null && asnFile == null
        ? GeoConfig.NONE
        : new GeoConfig(
            countryFile,
            asnFile,
            new GeoLocator(
                mmdb(ConfigKeys.GEO_COUNTRY_FILE, countryFile, MmdbFile.Kind.COUNTRY),
                mmdb(ConfigKeys.GEO_ASN_FILE, asnFile, MmdbFile.Kind.ASN)));
  }

  private @Nullable MmdbFile mmdb(
      Field<GeoConfig, Path> field, @Nullable Path file, MmdbFile.Kind kind) {
    if (file == null) {
      return null;
    }
    try {
      MmdbFile read = MmdbFile.read(file, kind);
      values.files().note("geo." + field.name(), Long.toHexString(read.checksum()));
      return read;
    } catch (IOException e) {
      String path = "geo." + field.name();
      problems.add(
          firstPlace(path)
              .problem(path, FileProblem.text(file, e), "name a file of MaxMind's format (.mmdb)"));
      return null;
    }
  }

  private List<NamedRules> named(Section<NamedRules> section, Field<NamedRules, String> field) {
    List<NamedRules> named = new ArrayList<>();
    RuleBinder.texts(values, section, field)
        .forEach((name, text) -> {
          named.add(new NamedRules(name, text));
          source(section, name, field, section.prefix() + "." + name + "." + field.name());
        });
    return List.copyOf(named);
  }

  private AdminConfig admin(List<ListenerConfig> listeners) {
    Address address = given("admin", ConfigKeys.ADMIN_ADDRESS);
    String token = value("admin", ConfigKeys.ADMIN_TOKEN);
    Raw fileText = values.get("admin.token-file");
    Path file = value("admin", ConfigKeys.ADMIN_TOKEN_FILE);
    if (file != null && fileText != null) {
      if (token != null) {
        problems.add(
            fileText
                .place()
                .problem("admin.token-file", "admin.token is given as well", "keep one"));
      } else {
        token = token(file, fileText.place());
        sources.put("admin.token", fileText.place().text());
      }
    }
    boolean isTokenWanted = values.get("admin.token") != null || file != null;
    if (token == null
        && !isTokenWanted
        && address.unixFile() == null
        && !Loopback.isLoopback(address.host())) {
      Raw raw = values.get("admin.address");
      SourceLocation place = raw == null ? new SourceLocation("default", 0, 0) : raw.place();
      problems.add(
          place.problem(
              "admin.address",
              ValueType.print(address) + " is not a loopback address and no token is configured",
              "listen on 127.0.0.1, or set admin.token or admin.token-file"));
    }
    for (ListenerConfig listener : listeners) {
      if ((address.port() != 0 || address.unixFile() != null)
          && ListenBinder.identity(listener.address()).equals(ListenBinder.identity(address))) {
        Raw raw = values.get("admin.address");
        SourceLocation place = raw == null ? new SourceLocation("default", 0, 0) : raw.place();
        problems.add(
            place.problem(
                "admin.address",
                "listener " + listener.name() + " already has this address",
                "choose another port"));
      }
    }
    return new AdminConfig(address, token);
  }

  private @Nullable String token(Path file, SourceLocation place) {
    String why;
    try {
      if (Files.size(file) > 65_536) {
        why = file + " is larger than a token";
      } else {
        String text = Files.readString(file);
        values.files().note("admin.token-file", text.getBytes(StandardCharsets.UTF_8));
        return ConfigKeys.ADMIN_TOKEN
            .type()
            .reader()
            .read(text.lines().findFirst().orElse("").strip());
      }
    } catch (IOException e) {
      why = file + " cannot be read";
    } catch (ValueType.WrongValueException e) {
      why = file + ": " + e.message();
    }
    problems.add(place.problem("admin.token-file", why, "its first line must be the token"));
    return null;
  }

  private ThreadsConfig threads() {
    return new ThreadsConfig(
        given("threads", ConfigKeys.THREADS_LOOPS),
        given("threads", ConfigKeys.THREADS_PIN),
        given("threads", ConfigKeys.THREADS_TRANSPORT),
        given("threads", ConfigKeys.THREADS_CONNECTIONS));
  }

  private StoreConfig store() {
    Path data = value("store", ConfigKeys.STORE_DATA);
    return new StoreConfig(
        data != null ? data : environment.dataDirectory(),
        given("store", ConfigKeys.STORE_MEMORY),
        given("store", ConfigKeys.STORE_MEMORY_MIN),
        value("store", ConfigKeys.STORE_MEMORY_DIRECTORY),
        given("store", ConfigKeys.STORE_TIERS),
        given("store", ConfigKeys.STORE_CELLS),
        given("store", ConfigKeys.STORE_PROTECTED_SHARE),
        given("store", ConfigKeys.STORE_TOUCH_THRESHOLD),
        given("store", ConfigKeys.STORE_SMALL_OBJECTS),
        given("store", ConfigKeys.STORE_DISK_ADMISSION),
        given("store", ConfigKeys.STORE_DISK_BYTES_PER_DAY),
        given("store", ConfigKeys.STORE_DISK_KEEP),
        given("store", ConfigKeys.STORE_DISK_IO),
        given("store", ConfigKeys.STORE_SCRUB_RATE),
        given("store", ConfigKeys.STORE_EVACUATE_RATE),
        value("store", ConfigKeys.STORE_SMARTCTL),
        given("store", ConfigKeys.STORE_INDEX_ENTRIES),
        given("store", ConfigKeys.STORE_INDEX_MEMORY),
        given("store", ConfigKeys.STORE_DISK_STOP_LIMIT));
  }

  private List<DiskConfig> stores(List<TierConfig> tiers) {
    List<DiskConfig> stores = new ArrayList<>();
    Map<Path, String> paths = new HashMap<>();
    for (Map.Entry<String, SourceLocation> instance :
        values.instances(ConfigKeys.STORES).entrySet()) {
      String name = instance.getKey();
      String scope = "stores." + name;
      Path path = needed(scope, ConfigKeys.DISK_PATH, instance.getValue());
      String other = paths.put(path, name);
      if (name.matches("memory|tier[1-8]") && !tiers.isEmpty()) {
        problems.add(
            instance
                .getValue()
                .problem(scope, name + " is the name of a tier of memory", "use another name"));
      }
      if (other != null) {
        problems.add(
            instance
                .getValue()
                .problem(
                    scope + ".path",
                    "store " + other + " has the same path",
                    "use one path per store"));
      }
      stores.add(
          new DiskConfig(
              name,
              path,
              needed(scope, ConfigKeys.DISK_SIZE, instance.getValue()),
              given(scope, ConfigKeys.DISK_READERS),
              given(scope, ConfigKeys.DISK_MAX_ERRORS),
              given(scope, ConfigKeys.DISK_SLOW),
              given(scope, ConfigKeys.DISK_TRANSIT_BUFFERS),
              given(scope, ConfigKeys.DISK_DAILY_WRITES),
              given(scope, ConfigKeys.DISK_RATED_WRITES),
              given(scope, ConfigKeys.DISK_TRIM)));
      for (Field<DiskConfig, ?> field : ConfigKeys.STORES.fields()) {
        source(ConfigKeys.STORES, name, field, scope + "." + field.name());
      }
    }
    return List.copyOf(stores);
  }

  private List<RouteConfig> routes(
      List<OriginConfig> origins,
      StorageClassBinder classes,
      ProtectionBinder protection,
      RuleBinder rules,
      CompressionBinder compression,
      RouteLimitsBinder bounds) {
    Set<String> originNames = new HashSet<>();
    origins.forEach(origin -> originNames.add(origin.name()));
    List<RouteConfig> routes = new ArrayList<>();
    Set<String> names = new HashSet<>();
    Set<String> matches = new HashSet<>();
    int number = 0;
    for (Map.Entry<String, SourceLocation> instance :
        values.instances(ConfigKeys.ROUTES).entrySet()) {
      number++;
      String scope = "routes." + instance.getKey();
      SourceLocation place = instance.getValue();
      String givenName = value(scope, ConfigKeys.ROUTE_NAME);
      String name = givenName != null ? givenName : "route-" + number;
      if (!names.add(name)) {
        problems.add(place.problem(scope, "another route is named " + name, "use another name"));
      }
      values.files().alias(scope, "routes." + name);
      RouteConfig route =
          route(
              scope,
              name,
              originOfRoute(scope, place, originNames),
              protection.ofRoute(scope, ConfigKeys.ROUTE_PROTECTION),
              rules,
              compression,
              bounds);
      if (!matches.add(route.host() + " " + route.pathPrefix())) {
        problems.add(
            place.problem(
                scope,
                "an earlier route matches the same host and path",
                "give it another match, or remove it"));
      }
      classes.check(scope, route.settings().storageClass());
      routes.add(route);
      for (Field<RouteConfig, ?> field : ConfigKeys.ROUTES.fields()) {
        source(ConfigKeys.ROUTES, name, field, scope + "." + field.name());
      }
    }
    if (routes.isEmpty() && !origins.isEmpty()) {
      boolean hasDefault = values.get(ConfigKeys.ORIGIN.name()) != null;
      if (origins.size() > 1 && !hasDefault) {
        problems.add(
            new ConfigProblem(
                "configuration",
                0,
                0,
                "routes",
                "several origins and no routes",
                "add routes that assign requests to origins"));
      } else {
        routes.add(
            route(
                "routes.-",
                "default",
                origins.getFirst().name(),
                null,
                rules,
                compression,
                bounds));
      }
    }
    return List.copyOf(routes);
  }

  private String originOfRoute(String scope, SourceLocation place, Set<String> originNames) {
    String origin = value(scope, ConfigKeys.ROUTE_ORIGIN);
    if (origin == null) {
      if (originNames.size() == 1) {
        return originNames.iterator().next();
      }
      if (originNames.size() > 1 && values.get(scope + ".origin") == null) {
        problems.add(
            place.problem(scope + ".origin", "no origin is given", "name one of the origins"));
      }
      return OriginBinder.DEFAULT_ORIGIN;
    }
    Raw raw = values.get(scope + ".origin");
    if (!originNames.isEmpty() && !originNames.contains(origin) && raw != null) {
      problems.add(
          raw.place()
              .problem(
                  scope + ".origin",
                  "there is no origin named " + origin,
                  Printable.suggestion(origin, originNames.stream().sorted().toList())));
    }
    return origin;
  }

  private RouteConfig route(
      String scope,
      String name,
      String origin,
      @Nullable String protection,
      RuleBinder rules,
      CompressionBinder compression,
      RouteLimitsBinder bounds) {
    KeyConfig key = key(scope);
    EsiConfig esi = new EsiBinder(values, problems, sources).ofRoute(scope);
    MediaBinder media = new MediaBinder(values, problems, sources, scope);
    media.check(key);
    RouteSettings settings =
        media.settings(settings(scope)).toBuilder()
            .keepsSurrogateControl(esi.mode() == EsiConfig.Mode.SURROGATE_CONTROL)
            .build();
    return new RouteConfig(
        name,
        given(scope, ConfigKeys.ROUTE_HOST),
        given(scope, ConfigKeys.ROUTE_PATH),
        origin,
        settings,
        new RangeSettings(
            RangeSettings.Fetch.valueOf(
                given(scope, ConfigKeys.ROUTE_RANGE_FETCH).toUpperCase(Locale.ROOT)),
            given(scope, ConfigKeys.ROUTE_RANGE_FAR),
            given(scope, ConfigKeys.ROUTE_RANGE_LIMIT),
            given(scope, ConfigKeys.ROUTE_RANGE_WAIT)),
        media.sharing(
            new SharingSettings(
                given(scope, ConfigKeys.ROUTE_SHARE_WAIT),
                given(scope, ConfigKeys.ROUTE_HIT_FOR_MISS),
                given(scope, ConfigKeys.ROUTE_SHARE))),
        key,
        new RouteForwardingConfig(
            given(scope, ConfigKeys.ROUTE_UPGRADE),
            given(scope, ConfigKeys.ROUTE_RESPONSE_TRAILERS),
            given(scope, ConfigKeys.ROUTE_VIA)),
        new HstsConfig(
            value(scope, ConfigKeys.ROUTE_HSTS_MAX_AGE),
            given(scope, ConfigKeys.ROUTE_HSTS_SUBDOMAINS),
            given(scope, ConfigKeys.ROUTE_HSTS_PRELOAD)),
        protection,
        rules.ofRoute(scope, key, settings.cookies().request()),
        compression.ofRoute(scope),
        bounds.ofRoute(scope),
        video(scope, key, protection),
        log(scope),
        esi,
        new RouteResponseConfig(
            given(scope, ResponseKeys.EARLY_HINTS),
            new DigestPolicy(
                given(scope, ResponseKeys.DIGEST_VERIFY),
                ResponseKeys.algorithms(given(scope, ResponseKeys.DIGEST_ADD)))),
        pacing(scope));
  }

  private VideoConfig video(String scope, KeyConfig key, @Nullable String protection) {
    CmcdSettings cmcd =
        new CmcdSettings(given(scope, VideoKeys.CMCD), given(scope, VideoKeys.CMSD));
    if (cmcd.isRead() && key.keep().contains(CmcdSettings.PARAMETER)) {
      keyProblem(scope, ConfigKeys.KEY_KEEP, "cmcd takes CMCD out of the key", "keep one");
    }
    PrefetchSettings prefetch =
        new PrefetchSettings(
            given(scope, VideoKeys.PREFETCH),
            given(scope, VideoKeys.PREFETCH_AFTER),
            given(scope, VideoKeys.PREFETCH_SOURCES).stream()
                .map(word -> PrefetchSettings.Source.valueOf(word.toUpperCase(Locale.ROOT)))
                .collect(Collectors.toUnmodifiableSet()),
            given(scope, VideoKeys.PREFETCH_SHARE),
            given(scope, VideoKeys.PREFETCH_CONCURRENT));
    if (prefetch.isOn() && protection != null) {
      keyProblem(
          scope,
          VideoKeys.PREFETCH,
          "the route has a protection, and nothing that it guards is fetched ahead",
          "keep one");
    }
    return new VideoConfig(cmcd, prefetch);
  }

  private @Nullable Pacing pacing(String scope) {
    Long rate = value(scope, PacingKeys.ROUTE_RATE);
    Long burst = value(scope, PacingKeys.ROUTE_BURST);
    Integer factor = value(scope, PacingKeys.ROUTE_BIT_RATE_FACTOR);
    if (values.get(scope + "." + PacingKeys.ROUTE_RATE.name()) == null) {
      for (Field<RouteConfig, ?> of :
          List.of(PacingKeys.ROUTE_BURST, PacingKeys.ROUTE_BIT_RATE_FACTOR)) {
        if (values.get(scope + "." + of.name()) != null) {
          keyProblem(scope, of, "the pacing has no rate", "add rate, or remove it");
        }
      }
    }
    if (factor != null && !given(scope, VideoKeys.CMCD)) {
      keyProblem(
          scope,
          PacingKeys.ROUTE_BIT_RATE_FACTOR,
          "the route reads no CMCD, which tells the bit rate",
          "add cmcd: on, or remove it");
    }
    return rate == null
        ? null
        : new Pacing(rate, burst == null ? 0 : burst, factor == null ? 0 : factor);
  }

  private RouteLog log(String scope) {
    return new RouteLog(
        given(scope, ConfigKeys.ROUTE_LOG),
        given(scope, ConfigKeys.ROUTE_LOG_HITS),
        loggedFields(scope, ConfigKeys.ROUTE_LOG_HEADERS),
        loggedFields(scope, ConfigKeys.ROUTE_LOG_RESPONSE_HEADERS),
        given(scope, ConfigKeys.ROUTE_LOG_DROP).stream()
            .map(name -> RouteLog.Part.valueOf(name.toUpperCase(Locale.ROOT)))
            .collect(Collectors.toUnmodifiableSet()));
  }

  private List<String> loggedFields(String scope, Field<RouteConfig, List<String>> field) {
    List<String> headers = given(scope, field);
    String path = scope + "." + field.name();
    Raw raw = values.get(path);
    if (raw != null && headers.size() > RouteLog.MAX_HEADERS) {
      problems.add(
          raw.place()
              .problem(path, headers.size() + " fields", "name at most " + RouteLog.MAX_HEADERS));
      return List.of();
    }
    return headers;
  }

  private RouteSettings settings(String scope) {
    return RouteSettings.builder()
        .targetedFields(given(scope, ConfigKeys.ROUTE_TARGETED_FIELDS))
        .defaultTtl(value(scope, ConfigKeys.ROUTE_DEFAULT_TTL))
        .ttlOverride(value(scope, ConfigKeys.ROUTE_TTL_OVERRIDE))
        .negativeTtl(given(scope, ConfigKeys.ROUTE_NEGATIVE_TTL))
        .heuristic(given(scope, ConfigKeys.ROUTE_HEURISTIC))
        .heuristicWithCookies(given(scope, ConfigKeys.ROUTE_HEURISTIC_WITH_COOKIES))
        .heuristicErrors(
            given(scope, ConfigKeys.ROUTE_HEURISTIC_ERRORS).stream()
                .map(Integer::valueOf)
                .collect(Collectors.toUnmodifiableSet()))
        .storesBadRequests(given(scope, ConfigKeys.ROUTE_STORE_BAD_REQUEST))
        .jitterPercent(given(scope, ConfigKeys.ROUTE_TTL_JITTER))
        .staleWhileRevalidate(given(scope, ConfigKeys.ROUTE_STALE_WHILE_REVALIDATE))
        .staleIfError(given(scope, ConfigKeys.ROUTE_STALE_IF_ERROR))
        .keep(value(scope, ConfigKeys.ROUTE_KEEP))
        .earlyRefreshPercent(given(scope, ConfigKeys.ROUTE_EARLY_REFRESH))
        .setCookie(given(scope, ConfigKeys.ROUTE_SET_COOKIE))
        .requestCookies(
            cookies(
                scope,
                ConfigKeys.ROUTE_REQUEST_COOKIES_STRIP,
                ConfigKeys.ROUTE_REQUEST_COOKIES_KEEP))
        .responseCookies(
            cookies(
                scope,
                ConfigKeys.ROUTE_RESPONSE_COOKIES_STRIP,
                ConfigKeys.ROUTE_RESPONSE_COOKIES_KEEP))
        .passCookies(new NamePatterns(given(scope, ConfigKeys.ROUTE_PASS_COOKIES)))
        .clientDirectives(given(scope, ConfigKeys.ROUTE_CLIENT_DIRECTIVES))
        .passthrough(!given(scope, ConfigKeys.ROUTE_CACHE))
        .clientInvalidation(given(scope, ConfigKeys.ROUTE_CLIENT_INVALIDATION))
        .storesPost(given(scope, ConfigKeys.ROUTE_STORE_POST))
        .storageClass(given(scope, ConfigKeys.ROUTE_STORE_CLASS))
        .build();
  }

  private CookieFilter cookies(
      String scope, Field<?, List<String>> strip, Field<?, List<String>> keep) {
    List<String> stripped = value(scope, strip);
    List<String> kept = value(scope, keep);
    if (kept == null) {
      return stripped == null ? CookieFilter.ALL : CookieFilter.strip(Set.copyOf(stripped));
    }
    Raw raw = values.get(scope + "." + strip.name());
    if (raw != null) {
      problems.add(
          raw.place()
              .problem(
                  scope + "." + strip.name(),
                  keep.name() + " is given as well",
                  "keep one of them"));
    }
    return CookieFilter.keep(Set.copyOf(kept));
  }

  private KeyConfig key(String scope) {
    KeyConfig key =
        new KeyConfig(
            value(scope, ConfigKeys.KEY_HOST),
            given(scope, ConfigKeys.KEY_PORT),
            given(scope, ConfigKeys.KEY_SCHEME),
            given(scope, ConfigKeys.KEY_FOLD_PATH_CASE),
            given(scope, ConfigKeys.KEY_QUERY),
            given(scope, ConfigKeys.KEY_STRIP),
            given(scope, ConfigKeys.KEY_KEEP),
            given(scope, ConfigKeys.KEY_HEADERS),
            given(scope, ConfigKeys.KEY_IGNORE_HEADERS),
            given(scope, ConfigKeys.KEY_COOKIES),
            given(scope, ConfigKeys.KEY_DEVICE),
            given(scope, ConfigKeys.KEY_LANGUAGES),
            given(scope, ConfigKeys.KEY_VARIANTS),
            given(scope, ConfigKeys.KEY_NO_VARY_SEARCH),
            given(scope, ConfigKeys.QUERY_METHOD),
            unkeyed(scope),
            given(scope, ConfigKeys.KEY_ACCEPT_CLASSES));
    if (key.query().equals("ignore") && !(key.strip().isEmpty() && key.keep().isEmpty())) {
      keyProblem(
          scope,
          ConfigKeys.KEY_QUERY,
          "key.query omits the query, so there is nothing to strip or keep",
          "keep one");
    }
    keyFields(scope, ConfigKeys.KEY_HEADERS, key, key.headers());
    keyFields(scope, ConfigKeys.UNKEYED_KEY, key, key.unkeyed().key());
    if (!key.acceptClasses().isEmpty() && key.ignoreHeaders().contains("accept")) {
      keyProblem(
          scope, ConfigKeys.KEY_ACCEPT_CLASSES, "key.ignore-headers also has accept", "keep one");
    }
    for (String name : key.unkeyed().key()) {
      if (key.headers().contains(name)) {
        keyProblem(scope, ConfigKeys.UNKEYED_KEY, "key.headers also has " + name, "keep one");
      }
    }
    return key;
  }

  private void keyFields(
      String scope, Field<RouteConfig, ?> field, KeyConfig key, List<String> names) {
    for (String name : names) {
      warnOfCgiAlias(scope, field, name);
      String other =
          switch (name) {
            case "cookie" -> key.cookies().isEmpty() ? "" : "key.cookies";
            case "accept" -> key.acceptClasses().isEmpty() ? "" : "key.accept-classes";
            case "accept-language" -> key.languages().isEmpty() ? "" : "key.languages";
            case "user-agent", "sec-ch-ua-mobile", "forebay-device" ->
                key.device() ? "key.device" : "";
            default -> "";
          };
      if (key.ignoreHeaders().contains(name)) {
        other = "key.ignore-headers";
      }
      if (!other.isEmpty()) {
        keyProblem(scope, field, other + " also has " + name, "keep one");
      }
    }
  }

  private UnkeyedConfig unkeyed(String scope) {
    UnkeyedConfig unkeyed =
        new UnkeyedConfig(
            given(scope, ConfigKeys.UNKEYED_DROP),
            given(scope, ConfigKeys.UNKEYED_KEY),
            given(scope, ConfigKeys.UNKEYED_PASS));
    for (String name : unkeyed.pass()) {
      warnOfCgiAlias(scope, ConfigKeys.UNKEYED_PASS, name);
      if (unkeyed.drop().contains(name) || unkeyed.key().contains(name)) {
        keyProblem(scope, ConfigKeys.UNKEYED_PASS, name + " is also in another list", "keep one");
      }
    }
    return unkeyed;
  }

  /** A field that an origin may take for one that only this node writes. */
  private void warnOfCgiAlias(String scope, Field<RouteConfig, ?> field, String name) {
    String plain = UnkeyedFields.cgiAlias(name);
    if (plain != null) {
      keyProblem(scope, field, "an origin may read " + name + " as " + plain, "leave it out");
    }
  }

  private void keyProblem(String scope, Field<RouteConfig, ?> field, String why, String right) {
    String path = scope + "." + field.name();
    problems.add(firstPlace(path).problem(path, why, right));
  }

  private LimitsConfig limits() {
    return new LimitsConfig(
        given("limits", ConfigKeys.LIMIT_HEADER_BYTES),
        given("limits", ConfigKeys.LIMIT_HEADER_COUNT),
        given("limits", ConfigKeys.LIMIT_TARGET_BYTES),
        given("limits", ConfigKeys.LIMIT_REQUEST_BODY),
        given("limits", ConfigKeys.LIMIT_CONNECTIONS),
        given("limits", ConfigKeys.LIMIT_REQUESTS_PER_CONNECTION),
        given("limits", ConfigKeys.LIMIT_STREAMS_PER_CONNECTION),
        given("limits", ConfigKeys.LIMIT_FOLLOWERS_PER_FILL),
        given("limits", ConfigKeys.LIMIT_FILLS),
        given("limits", ConfigKeys.LIMIT_REFUSED_LOADS),
        given("limits", ConfigKeys.LIMIT_RECOVERY_FETCHES),
        given("limits", ConfigKeys.LIMIT_PRIVATE_COPIES),
        new ClientLimits(
            given("limits", ConfigKeys.LIMIT_CONNECTIONS_PER_ADDRESS),
            given("limits", ConfigKeys.LIMIT_WAITING_PER_CLIENT),
            given("limits", ConfigKeys.LIMIT_FETCHES_PER_CLIENT),
            given("limits", ConfigKeys.LIMIT_REQUEST_BODY_RATE),
            new ConnectionLimits(
                given("limits", ConfigKeys.LIMIT_CONNECTIONS_PER_NETWORK),
                given("limits", ConfigKeys.LIMIT_NETWORK_IPV4),
                given("limits", ConfigKeys.LIMIT_NETWORK_IPV6),
                given("limits", ConfigKeys.LIMIT_CONNECTIONS_PER_SERVER_NAME),
                given("limits", ConfigKeys.LIMIT_CONNECTIONS_PER_CERTIFICATE))));
  }

  private Http2Config http2() {
    return new Http2Config(
        given("http2", ConfigKeys.HTTP2_WINDOW),
        given("http2", ConfigKeys.HTTP2_RESETS),
        given("http2", ConfigKeys.HTTP2_RESETS_CAUSED),
        given("http2", ConfigKeys.HTTP2_PINGS),
        given("http2", ConfigKeys.HTTP2_SETTINGS),
        given("http2", ConfigKeys.HTTP2_PRIORITIES),
        given("http2", ConfigKeys.HTTP2_CONTINUATIONS),
        given("http2", ConfigKeys.HTTP2_EMPTY_FRAMES),
        given("http2", ConfigKeys.HTTP2_QUEUED_CONTROL_FRAMES));
  }

  private TimeoutsConfig timeouts() {
    return new TimeoutsConfig(
        given("timeouts", ConfigKeys.TIMEOUT_TLS_HANDSHAKE),
        given("timeouts", ConfigKeys.TIMEOUT_REQUEST_HEADER),
        given("timeouts", ConfigKeys.TIMEOUT_REQUEST_BODY_IDLE),
        given("timeouts", ConfigKeys.TIMEOUT_KEEP_ALIVE),
        given("timeouts", ConfigKeys.TIMEOUT_NO_PROGRESS),
        given("timeouts", ConfigKeys.TIMEOUT_DRAIN),
        given("timeouts", ConfigKeys.TIMEOUT_REQUEST_TOTAL),
        given("timeouts", ConfigKeys.TIMEOUT_LAME_DUCK));
  }

  private ForwardingConfig forwarding() {
    String nodeId = value("forwarding", ConfigKeys.FORWARDING_NODE_ID);
    return new ForwardingConfig(
        given("forwarding", ConfigKeys.FORWARDING_TRUSTED),
        given("forwarding", ConfigKeys.FORWARDING_X_FORWARDED),
        given("forwarding", ConfigKeys.FORWARDING_FORWARDED),
        nodeId != null ? nodeId : environment.nodeId(),
        given("forwarding", ConfigKeys.FORWARDING_MAX_HOPS),
        value("forwarding", ConfigKeys.FORWARDING_CACHE_TAGS_TO));
  }

  private PurgeConfig purge() {
    List<String> from = given("purge", ConfigKeys.PURGE_FROM);
    for (String network : from) {
      if (network.endsWith("/0")) {
        problems.add(
            firstPlace("purge.from")
                .problem(
                    "purge.from",
                    network + " lets everybody purge",
                    "name the networks of the servers that purge"));
      }
    }
    return new PurgeConfig(from);
  }
}
