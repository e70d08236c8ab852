package io.forebay.server.origin.group;

import io.forebay.server.config.FallbackOrder;
import io.forebay.server.config.FilesConfig;
import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.origin.dns.NameResolver;
import io.forebay.server.origin.files.ServedDirectory;
import io.forebay.server.origin.sign.OriginSigner;
import io.forebay.server.origin.tls.OriginCredentials;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Every origin of one configuration, immutable, shared by all loops. Loading reads certificate
 * files and builds TLS contexts, so it belongs on the thread that starts or reloads, never on a
 * loop.
 */
public final class Origins {

  /** No origins. */
  public static final Origins NONE = new Origins(Map.of(), address -> false);

  private final Map<String, Origin> byName;
  private final Predicate<InetSocketAddress> isOwnListener;

  private final Map<String, List<String>> fallbacks;

  private Origins(Map<String, Origin> byName, Predicate<InetSocketAddress> isOwnListener) {
    this.byName = byName;
    this.fallbacks = fallbacks(byName.values().stream().map(Origin::config).toList());
    this.isOwnListener = isOwnListener;
  }

  /** Origins that no configuration names. */
  public static Origins of(Map<String, Origin> byName) {
    return new Origins(Map.copyOf(byName), address -> false);
  }

  /**
   * Loads origins.
   *
   * @param previous those in force until now; what did not change is taken over from there, and so
   *     keeps its connections
   * @param isOwnListener whether an address is one this node itself listens on; a name that
   *     resolves to one is refused. Called on loops
   * @throws IllegalArgumentException when a URL is not one, with a sentence that says so
   * @throws IOException when a file for TLS cannot be used, with a sentence that names it
   */
  public static Origins load(
      List<OriginConfig> configs, Origins previous, Predicate<InetSocketAddress> isOwnListener)
      throws IOException {
    return load(configs, previous, isOwnListener, InstantSource.system());
  }

  /** The same with a clock of its own for signatures. */
  public static Origins load(
      List<OriginConfig> configs,
      Origins previous,
      Predicate<InetSocketAddress> isOwnListener,
      InstantSource clock)
      throws IOException {
    Map<String, Origin> byName = new LinkedHashMap<>();
    PlatformTls platform = new PlatformTls();
    for (OriginConfig config : configs) {
      try {
        byName.put(config.name(), load(config, previous.find(config.name()), platform, clock));
      } catch (IOException e) {
        throw new IOException("origin " + config.name() + ": " + e.getMessage(), e);
      }
    }
    return new Origins(byName, isOwnListener);
  }

  private static Origin load(
      OriginConfig config, @Nullable Origin before, PlatformTls platform, InstantSource clock)
      throws IOException {
    FilesConfig files = config.files();
    if (files != null) {
      // One that was there when it was configured may be away for a while.
      return before != null && before.config().equals(config)
          ? before
          : new Origin(
              config,
              List.of(),
              "",
              null,
              ServedDirectory.open(config.name(), files, InstantSource.system()::millis));
    }
    List<OriginUrl> urls =
        config.servers().stream()
            .map(server -> OriginUrl.parse(config.name(), server.url()))
            .toList();
    OriginCredentials credentials = OriginCredentials.load(config);
    if (before != null
        && before.config().equals(config)
        && before.filesDigest().equals(credentials.digest())) {
      return before;
    }
    SslContext tls = null;
    SslContext sharedTls = null;
    if (urls.stream().anyMatch(OriginUrl::isTls)) {
      tls = context(credentials, platform, List.of());
      sharedTls =
          switch (config.protocol()) {
            case HTTP1 -> null;
            case AUTO ->
                context(
                    credentials,
                    platform,
                    List.of(ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1));
            case HTTP2 -> context(credentials, platform, List.of(ApplicationProtocolNames.HTTP_2));
          };
    }
    List<OriginServer> servers = new ArrayList<>();
    for (int i = 0; i < urls.size(); i++) {
      OriginUrl url = urls.get(i);
      servers.add(
          new OriginServer(
              config,
              config.servers().get(i),
              url.host(),
              url.port(),
              url.literal(),
              url.socket(),
              url.service(),
              url.base(),
              url.isTls() ? tls : null,
              url.isTls() ? sharedTls : null,
              before != null && !hasServer(before, config.servers().get(i).url())));
    }
    return new Origin(
        config, List.copyOf(servers), credentials.digest(), OriginSigner.of(config, clock));
  }

  private static boolean hasServer(Origin origin, String url) {
    return origin.config().servers().stream().anyMatch(server -> server.url().equals(url));
  }

  private static SslContext context(
      OriginCredentials credentials, PlatformTls platform, List<String> protocols)
      throws IOException {
    return credentials.isPlatform()
        ? platform.context(credentials, protocols)
        : OriginTls.context(credentials, protocols);
  }

  /** The names that have to be resolved, for {@link NameResolver#watch}. */
  public Set<String> hostNames() {
    Set<String> names = new HashSet<>();
    for (Origin origin : byName.values()) {
      for (OriginServer server : origin.servers()) {
        OriginUrl proxy = server.proxy();
        if (proxy != null && proxy.literal() == null) {
          names.add(proxy.host());
        } else if (server.isNamed()) {
          names.add(server.lookupName());
        }
      }
    }
    return Set.copyOf(names);
  }

  /** What is done to requests to an origin before they are sent, for people. */
  public List<String> notes(String name) {
    Origin origin = byName.get(name);
    OriginSigner signer = origin == null ? null : origin.signer();
    return signer == null ? List.of() : signer.notes();
  }

  private static Map<String, List<String>> fallbacks(List<OriginConfig> configs) {
    FallbackOrder order = new FallbackOrder(configs);
    return configs.stream()
        .filter(config -> !config.fallback().isEmpty())
        .collect(
            Collectors.toUnmodifiableMap(OriginConfig::name, config -> order.of(config.name())));
  }

  /** The origins that stand in for that one, the first first. */
  public List<String> fallbacks(String name) {
    return fallbacks.getOrDefault(name, List.of());
  }

  /** Whether one of them is a directory. */
  public boolean hasDirectory() {
    return byName.values().stream().anyMatch(origin -> origin.directory() != null);
  }

  public @Nullable Origin find(String name) {
    return byName.get(name);
  }

  public Collection<Origin> all() {
    return byName.values();
  }

  public boolean isOwnListener(InetSocketAddress address) {
    return isOwnListener.test(address);
  }

  /** What origins without a trust file share: the platform's certificates are many. */
  private static final class PlatformTls {
    private final Map<List<String>, SslContext> contexts = new HashMap<>();

    SslContext context(OriginCredentials credentials, List<String> protocols) throws IOException {
      SslContext known = contexts.get(protocols);
      if (known == null) {
        known = OriginTls.context(credentials, protocols);
        contexts.put(protocols, known);
      }
      return known;
    }
  }
}
