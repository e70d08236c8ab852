package io.forebay.server.runtime;

import io.forebay.core.key.KeyRecipe;
import io.forebay.core.key.NamePatterns;
import io.forebay.core.policy.CacheStatus;
import io.forebay.core.policy.ProxyStatus;
import io.forebay.core.route.ResponseRules;
import io.forebay.core.route.Route;
import io.forebay.core.route.RouteTable;
import io.forebay.server.cmcd.CmcdSettings;
import io.forebay.server.compress.CompressionSettings;
import io.forebay.server.compress.Compressors;
import io.forebay.server.compress.DictionarySettings;
import io.forebay.server.config.EsiConfig;
import io.forebay.server.config.FallbackOrder;
import io.forebay.server.config.ForwardAuthConfig;
import io.forebay.server.config.LogSampling;
import io.forebay.server.config.OriginTimeouts;
import io.forebay.server.config.ProtectionProfile;
import io.forebay.server.config.RouteLimits;
import io.forebay.server.config.RouteLog;
import io.forebay.server.config.Secret;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.ListenerConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.config.ServerConfig.RouteConfig;
import io.forebay.server.config.TrustedNetworks;
import io.forebay.server.counters.NameTable;
import io.forebay.server.digest.DigestPolicy;
import io.forebay.server.hint.EarlyHintPolicy;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.network.IpAddress;
import io.forebay.server.network.NetworkSet;
import io.forebay.server.pacing.Pacing;
import io.forebay.server.page.ErrorPages;
import io.forebay.server.plugin.Lease;
import io.forebay.server.prefetch.PrefetchSettings;
import io.forebay.server.protect.RouteProtection;
import io.forebay.server.protect.forward.ForwardRule;
import io.forebay.server.protect.url.DebugToken;
import io.forebay.server.rule.RouteRules;
import io.forebay.server.rule.RuleOutcome;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One configuration in the form that the request path uses: compiled once, immutable, kept by an
 * exchange for its whole life.
 */
public final class RuntimeConfig {

  /** Room that the Cache-Status member of a hit takes at most. */
  public static final int MAX_CACHE_STATUS_LENGTH = 1024;

  private final ServerConfig config;
  private final RouteTable routes;
  private final UpstreamRequest upstream;
  private final TrustedNetworks purgers;
  private final @Nullable TrustedNetworks tagReaders;
  private final Map<String, OriginConfig> origins;
  private final String nodeId;
  private final CacheStatus cacheStatus;
  private final ProxyStatus proxyStatus;

  /** Peers that may name their clients. */
  private final NetworkSet trusted;

  /** By name of the route; null where no route has a protection. */
  private final @Nullable Map<String, RouteProtection> gates;

  /** The Via line of every response, complete. */
  private final byte[] viaLine;

  /** The Strict-Transport-Security line of routes that have one, complete, by route. */
  private final Map<String, byte[]> hstsLines;

  /** The rules of routes that have some, by route. */
  private final Map<String, RouteRules> rules;

  /** The error pages of routes that have some, those of all routes included, by route. */
  private final Map<String, ErrorPages> errorPages;

  /** The limits of routes that have some on requests or connections, by route. */
  private final Map<String, RouteLimits> limits;

  /** What the access log says of routes where that is not what it says of all, by route. */
  private final Map<String, RouteLog> logs;

  private final RouteLog logOfUnrouted;

  /** What routes do with CMCD and CMSD, by route; null where none does. */
  private final @Nullable Map<String, CmcdSettings> cmcd;

  /** How routes fetch ahead, by route; null where none does. */
  private final @Nullable Map<String, PrefetchSettings> prefetch;

  /** The line CMSD-Dynamic of this node, up to the parameters of its entry. */
  private final byte[] cmsdLine;

  /** Which clients get early hints, of routes where some do. */
  private final Map<String, EarlyHintPolicy> hints;

  /** What becomes of digests, of routes where bodies are hashed. */
  private final Map<String, DigestPolicy> digests;

  /** Null where no client debugs. */
  private final @Nullable DebugToken debugToken;

  /** How responses are compressed, by route; null where none are. */
  private final @Nullable Map<String, CompressionSettings> compression;

  private final boolean hasDictionaries;

  /** Routes whose pages are assembled from ESI; null where there are none. */
  private final @Nullable Map<String, EsiConfig> esi;

  /** Names of the routes that have features; null where none has. */
  private final @Nullable Set<String> featured;

  /** How fast responses are sent, by route; null where no route says so. */
  private final @Nullable Map<String, Pacing> pacing;

  /** Recipes of the keys of routes with splits in them, by the number of the combination. */
  private final Map<String, KeyRecipe[]> groupRecipes;

  /** Ports of https by the plain text listener that redirects there. */
  private final Map<String, Integer> httpsRedirects;

  /** Keeps the handlers of plugins open for as long as an exchange has this configuration. */
  @SuppressWarnings("unused")
  private final @Nullable Lease plugins;

  private RuntimeConfig(ServerConfig config, NameTable routeNumbers) {
    this.config = config;
    this.plugins = config.plugins().set().lease();
    this.digests =
        config.routes().stream()
            .filter(route -> route.responses().digests().isOn())
            .collect(
                Collectors.toUnmodifiableMap(
                    RouteConfig::name, route -> route.responses().digests()));
    this.upstream =
        new UpstreamRequest(
            config.forwarding(),
            config.routes().stream()
                .filter(route -> !route.limits().ofOrigin().equals(OriginTimeouts.OF_ORIGIN))
                .collect(
                    Collectors.toUnmodifiableMap(
                        RouteConfig::name, route -> route.limits().ofOrigin())),
            config.routes().stream()
                .filter(route -> route.esi().isOn())
                .map(RouteConfig::name)
                .collect(Collectors.toUnmodifiableSet()),
            digests.entrySet().stream()
                .collect(
                    Collectors.toUnmodifiableMap(
                        Map.Entry::getKey, route -> route.getValue().wanted())));
    LogSampling sampling = config.accessLog().sampling();
    this.logOfUnrouted = sampling.isOn() ? RouteLog.DEFAULT.with(sampling) : RouteLog.DEFAULT;
    this.logs =
        config.routes().stream()
            .filter(route -> sampling.isOn() || !route.log().equals(RouteLog.DEFAULT))
            .collect(
                Collectors.toUnmodifiableMap(
                    RouteConfig::name, route -> route.log().with(sampling)));
    this.limits =
        config.routes().stream()
            .filter(route -> route.limits().limitsRequests() || route.limits().limitsConnections())
            .collect(Collectors.toUnmodifiableMap(RouteConfig::name, RouteConfig::limits));
    this.hints =
        config.routes().stream()
            .filter(route -> route.responses().earlyHints() != EarlyHintPolicy.OFF)
            .collect(
                Collectors.toUnmodifiableMap(
                    RouteConfig::name, route -> route.responses().earlyHints()));
    this.purgers = TrustedNetworks.of(config.purge().from());
    List<String> readers = config.forwarding().cacheTagsTo();
    this.tagReaders = readers == null ? null : TrustedNetworks.of(readers);
    this.origins =
        config.origins().stream()
            .collect(Collectors.toUnmodifiableMap(OriginConfig::name, origin -> origin));
    Map<String, ProtectionProfile> profiles =
        config.protections().stream()
            .collect(Collectors.toUnmodifiableMap(ProtectionProfile::name, profile -> profile));
    this.routes = RouteCompiler.of(config.routes(), origins, profiles, routeNumbers);
    this.trusted = NetworkSet.masked(config.forwarding().trusted());
    this.gates = gates(config, origins, profiles, trusted);
    Secret debugging = config.debug().secret();
    this.debugToken = debugging == null ? null : new DebugToken(debugging);
    this.nodeId = config.forwarding().nodeId();
    this.cacheStatus = new CacheStatus(nodeId);
    this.proxyStatus = new ProxyStatus(nodeId);
    if (cacheStatus.maxHitLength() > MAX_CACHE_STATUS_LENGTH) {
      throw new IllegalArgumentException("the node id is too long: " + nodeId);
    }
    this.viaLine = ("via: 1.1 " + nodeId + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    Map<String, CmcdSettings> ofPlayers =
        config.routes().stream()
            .filter(route -> !route.video().cmcd().isOff())
            .collect(
                Collectors.toUnmodifiableMap(RouteConfig::name, route -> route.video().cmcd()));
    this.cmcd = ofPlayers.isEmpty() ? null : ofPlayers;
    Map<String, PrefetchSettings> fetchingAhead =
        config.routes().stream()
            .filter(route -> route.video().prefetch().isOn())
            .collect(
                Collectors.toUnmodifiableMap(RouteConfig::name, route -> route.video().prefetch()));
    this.prefetch = fetchingAhead.isEmpty() ? null : fetchingAhead;
    // The id of a node is a token: nothing of it has to be escaped.
    this.cmsdLine = ("cmsd-dynamic: \"" + nodeId + "\"").getBytes(StandardCharsets.ISO_8859_1);
    Map<String, Integer> redirects = new HashMap<>();
    for (ListenerConfig listener : config.listeners()) {
      Integer port = listener.httpsRedirect();
      if (port != null) {
        redirects.put(listener.name(), port);
      }
    }
    this.httpsRedirects = Map.copyOf(redirects);
    this.hstsLines =
        config.routes().stream()
            .filter(route -> route.hsts().maxAge() != null)
            .collect(Collectors.toUnmodifiableMap(RouteConfig::name, route -> route.hsts().line()));
    this.rules =
        config.routes().stream()
            .filter(route -> !route.rules().isEmpty())
            .collect(Collectors.toUnmodifiableMap(RouteConfig::name, RouteConfig::rules));
    this.errorPages =
        config.routes().stream()
            .filter(route -> !route.rules().presets().pages().equals(ErrorPages.NONE))
            .collect(
                Collectors.toUnmodifiableMap(
                    RouteConfig::name,
                    route -> route.rules().presets().pages().over(config.errorPages().pages())));
    Map<String, KeyRecipe[]> recipes = new HashMap<>();
    for (RouteConfig route : config.routes()) {
      if (!route.rules().keyGroups().isEmpty()) {
        KeyRecipe recipe = RouteCompiler.recipe(route, profiles);
        recipes.put(
            route.name(),
            route.rules().keyGroups().texts().stream()
                .map(recipe::ofGroups)
                .toArray(KeyRecipe[]::new));
      }
    }
    this.groupRecipes = Map.copyOf(recipes);
    this.compression = compression(config);
    this.hasDictionaries =
        compression != null
            && compression.values().stream().anyMatch(settings -> settings.dictionary() != null);
    Map<String, EsiConfig> assembling =
        config.routes().stream()
            .filter(route -> route.esi().isOn())
            .collect(Collectors.toUnmodifiableMap(RouteConfig::name, RouteConfig::esi));
    this.esi = assembling.isEmpty() ? null : assembling;
    this.pacing = pacing(config);
    Set<String> withFeatures =
        config.routes().stream()
            .map(RouteConfig::name)
            .filter(this::isFeatured)
            .collect(Collectors.toUnmodifiableSet());
    this.featured = withFeatures.isEmpty() ? null : withFeatures;
  }

  private boolean isFeatured(String route) {
    CompressionSettings compressed = compression == null ? null : compression.get(route);
    return rules.containsKey(route)
        || limits.containsKey(route)
        || errorPages.containsKey(route)
        || digests.containsKey(route)
        || !config.errorPages().pages().equals(ErrorPages.NONE)
        || Stream.of(gates, esi, prefetch, pacing, cmcd)
            .anyMatch(byRoute -> byRoute != null && byRoute.containsKey(route))
        || (compressed != null && compressed.dictionary() != null);
  }

  /**
   * Whether a fresh hit of a route has anything to ask of rules, protection, limits, error pages,
   * ESI, prefetching, pacing, CMCD, CMSD, digests or dictionaries. Where it has not, the fast lane
   * asks for none of them: one question in place of eleven, and the compiler leaves their code out.
   * Allocates nothing.
   */
  public boolean hasFeatures(Route route) {
    Set<String> names = featured;
    return names != null && names.contains(route.name());
  }

  private static @Nullable Map<String, Pacing> pacing(ServerConfig config) {
    Map<String, Pacing> byRoute = new HashMap<>();
    for (RouteConfig route : config.routes()) {
      Pacing pacing = route.pacing();
      if (pacing != null) {
        byRoute.put(route.name(), pacing);
      }
    }
    return byRoute.isEmpty() ? null : Map.copyOf(byRoute);
  }

  /**
   * How fast a response is sent, or null where nothing says so.
   *
   * @param outcome of the rules of the route, if they have been asked
   */
  public @Nullable Pacing pacing(Route route, @Nullable RuleOutcome outcome) {
    Pacing ofRule = outcome == null ? null : outcome.pacing();
    Map<String, Pacing> byRoute = pacing;
    return ofRule != null || byRoute == null ? ofRule : byRoute.get(route.name());
  }

  /** Libraries of codings are loaded only where a route compresses. */
  private static @Nullable Map<String, CompressionSettings> compression(ServerConfig config) {
    Map<String, CompressionSettings> byRoute = new HashMap<>();
    for (RouteConfig route : config.routes()) {
      CompressionSettings settings = route.compression().over(config.compression().settings());
      if (settings.isOn()) {
        byRoute.put(route.name(), settings.with(Compressors.available()));
      }
    }
    return byRoute.isEmpty() ? null : Map.copyOf(byRoute);
  }

  /** What a route does with dictionaries, or null. */
  public @Nullable DictionarySettings dictionary(Route route) {
    return hasDictionaries ? compression(route).dictionary() : null;
  }

  /** Whether any route compresses, or may have to decompress a page that it assembles. */
  public boolean compresses() {
    return compression != null || esi != null;
  }

  /** Whether pages of any route are assembled from ESI. */
  public boolean assembles() {
    return esi != null;
  }

  /** Which pages of a route are assembled from ESI. Allocates nothing. */
  public EsiConfig esi(Route route) {
    Map<String, EsiConfig> byRoute = esi;
    EsiConfig found = byRoute == null ? null : byRoute.get(route.name());
    return found == null ? EsiConfig.OFF : found;
  }

  /** How responses of a route are compressed. */
  public CompressionSettings compression(Route route) {
    Map<String, CompressionSettings> byRoute = compression;
    return byRoute == null
        ? CompressionSettings.OFF
        : byRoute.getOrDefault(route.name(), CompressionSettings.OFF);
  }

  /** With numbers of its own for routes. */
  public static RuntimeConfig of(ServerConfig config) {
    return of(config, new NameTable());
  }

  /**
   * Compiles a configuration.
   *
   * @param routeNumbers by which the node counts requests of routes
   */
  public static RuntimeConfig of(ServerConfig config, NameTable routeNumbers) {
    return new RuntimeConfig(config, routeNumbers);
  }

  public ServerConfig config() {
    return config;
  }

  public RouteTable routes() {
    return routes;
  }

  public UpstreamRequest upstream() {
    return upstream;
  }

  private static @Nullable Map<String, RouteProtection> gates(
      ServerConfig config,
      Map<String, OriginConfig> origins,
      Map<String, ProtectionProfile> profiles,
      NetworkSet trusted) {
    Map<String, RouteProtection> byRoute = new HashMap<>();
    for (RouteConfig route : config.routes()) {
      ProtectionProfile profile =
          route.protection() == null ? null : profiles.get(route.protection());
      if (profile != null) {
        ForwardAuthConfig asked = profile.forwardAuth();
        ForwardRule forward =
            asked == null
                ? null
                : new ForwardRule(
                    profile.name(),
                    asked,
                    host(origins, asked.origin()),
                    config.forwarding().nodeId());
        byRoute.put(route.name(), RouteProtection.of(route.name(), profile, trusted, forward));
      }
    }
    return byRoute.isEmpty() ? null : Map.copyOf(byRoute);
  }

  /** The protection of a route, or null. */
  public @Nullable RouteProtection gate(Route route) {
    Map<String, RouteProtection> protectedRoutes = gates;
    return protectedRoutes == null ? null : protectedRoutes.get(route.name());
  }

  /** How the key of a request is made whose rules have that outcome. Allocates nothing. */
  public KeyRecipe keyRecipe(Route route, @Nullable RuleOutcome outcome) {
    if (outcome == null || outcome.keyGroup() == 0) {
      return route.keyRecipe();
    }
    KeyRecipe[] recipes = groupRecipes.get(route.name());
    if (recipes == null) {
      throw new IllegalStateException("no groups in the keys of route " + route.name());
    }
    return recipes[outcome.keyGroup()];
  }

  /** The route as the rules that hold for a request change it. */
  public Route ruled(Route route, RuleOutcome outcome) {
    if (!outcome.changesRoute()) {
      return route;
    }
    String name = outcome.origin() == null ? route.originName() : outcome.origin();
    OriginConfig origin = origins.get(name);
    NamePatterns replaced =
        name.equals(route.originName()) || origin == null
            ? route.forwarding().replaced()
            : new NamePatterns(origin.signing().replacedFields());
    Route changed =
        route
            .withOrigin(name)
            .withKeyRecipe(keyRecipe(route, outcome))
            .withForwarding(route.forwarding().to(replaced, outcome.upstreamEdits()));
    ResponseRules ofResponses = outcome.responseRules();
    if (!outcome.passes() && ofResponses == null) {
      return changed;
    }
    return changed.withSettings(
        route.settings().toBuilder()
            .passthrough(outcome.passes() || route.settings().passthrough())
            .responseRules(ofResponses)
            .build());
  }

  /** Whether a peer with that address is trusted to name its clients. Allocates nothing. */
  public boolean isTrusted(IpAddress peer) {
    return trusted.contains(peer);
  }

  /** Networks whose clients may purge with a request. */
  public TrustedNetworks purgers() {
    return purgers;
  }

  /** Whether every client gets the fields for tags of responses. */
  public boolean sendsTagsToAll() {
    return tagReaders == null;
  }

  /** Whether a client gets them, by the address of its connection. */
  public boolean sendsTagsTo(String address) {
    return tagReaders == null || tagReaders.contains(address);
  }

  /** Host field to send to an origin, or null for the client's own. */
  @Nullable
  public String hostFor(String originName) {
    return host(origins, originName);
  }

  /** What holds of requests to an origin, where their route says nothing else. */
  public OriginTimeouts timeoutsOf(String originName, OriginTimeouts ofRoute) {
    OriginConfig origin = origins.get(originName);
    return origin == null
        ? ofRoute
        : new OriginTimeouts(
            ofRoute.firstByteOr(origin.firstByteTimeout()),
            ofRoute.idleOr(origin.idleTimeout()),
            ofRoute.total());
  }

  private static @Nullable String host(Map<String, OriginConfig> origins, String name) {
    OriginConfig origin = origins.get(name);
    return origin == null ? null : origin.host();
  }

  /** The origins that stand in for that one, the first first. */
  public List<String> fallbacksFor(String originName) {
    return new FallbackOrder(config.origins()).of(originName);
  }

  public String nodeId() {
    return nodeId;
  }

  public CacheStatus cacheStatus() {
    return cacheStatus;
  }

  public ProxyStatus proxyStatus() {
    return proxyStatus;
  }

  public byte[] viaLine() {
    return viaLine;
  }

  /** The rules of a route, or null where it has none. */
  public @Nullable RouteRules rules(Route route) {
    return rules.isEmpty() ? null : rules.get(route.name());
  }

  /** The limits of a route on requests and connections, or null where it has none. */
  public @Nullable RouteLimits limits(Route route) {
    return limits.isEmpty() ? null : limits.get(route.name());
  }

  /** What the access log says of requests of a route. */
  public RouteLog log(Route route) {
    return logs.isEmpty() ? RouteLog.DEFAULT : logs.getOrDefault(route.name(), RouteLog.DEFAULT);
  }

  /** What the access log says of requests that no route takes. */
  public RouteLog logOfUnrouted() {
    return logOfUnrouted;
  }

  /** What a route does with CMCD and CMSD. */
  public CmcdSettings cmcd(Route route) {
    Map<String, CmcdSettings> byRoute = cmcd;
    return byRoute == null
        ? CmcdSettings.OFF
        : byRoute.getOrDefault(route.name(), CmcdSettings.OFF);
  }

  /** How a route fetches ahead. */
  public PrefetchSettings prefetch(Route route) {
    Map<String, PrefetchSettings> byRoute = prefetch;
    return byRoute == null
        ? PrefetchSettings.OFF
        : byRoute.getOrDefault(route.name(), PrefetchSettings.OFF);
  }

  /** The line CMSD-Dynamic of this node, up to the parameters of its entry. */
  public byte[] cmsdLine() {
    return cmsdLine;
  }

  /** Which clients of a route get early hints. */
  public EarlyHintPolicy earlyHints(Route route) {
    return hints.isEmpty()
        ? EarlyHintPolicy.OFF
        : hints.getOrDefault(route.name(), EarlyHintPolicy.OFF);
  }

  /** What becomes of digests of responses that a route stores. */
  public DigestPolicy digests(Route route) {
    return digests.isEmpty()
        ? DigestPolicy.NONE
        : digests.getOrDefault(route.name(), DigestPolicy.NONE);
  }

  /** Whether any route hashes bodies. */
  public boolean hashesBodies() {
    return !digests.isEmpty();
  }

  /** What tells which tokens of clients that debug are valid, or null. */
  public @Nullable DebugToken debugToken() {
    return debugToken;
  }

  /** The pages of a route, or of no route. */
  public ErrorPages errorPages(@Nullable Route route) {
    ErrorPages ofAll = config.errorPages().pages();
    return route == null || errorPages.isEmpty()
        ? ofAll
        : errorPages.getOrDefault(route.name(), ofAll);
  }

  /**
   * The port of https that a client is redirected to from a plain text listener, or 0. Requests of
   * proxies are not: TLS may end there.
   */
  public int httpsRedirect(String scheme, ClientInfo client) {
    if (httpsRedirects.isEmpty()
        || !scheme.equals("http")
        || client.isRelayed()
        || upstream.trusts(client)) {
      return 0;
    }
    return httpsRedirects.getOrDefault(client.listener(), 0);
  }

  /** What answers of a route over TLS have to say of it, a whole line, or null. */
  public byte @Nullable [] hstsLine(String routeName) {
    return hstsLines.isEmpty() ? null : hstsLines.get(routeName);
  }
}
