package io.forebay.server.origin;

import io.forebay.server.config.ServerConfig.OriginConfig;
import io.forebay.server.origin.dns.NameResolver;
import io.forebay.server.text.Printable;
import io.netty.handler.ssl.SslContext;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
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

  private Origins(Map<String, Origin> byName, Predicate<InetSocketAddress> isOwnListener) {
    this.byName = byName;
    this.isOwnListener = isOwnListener;
  }

  /**
   * Loads origins.
   *
   * @param previous those in force until now; what did not change is taken over from there, and so
   *     keeps its connections
   * @param isOwnListener whether an address is one this node itself listens on; a name that
   *     resolves to one is refused. Called on loops
   * @throws IllegalArgumentException when a URL is not one, with a sentence that says so
   * @throws IOException when a trust file cannot be used, with a sentence that names it
   */
  public static Origins load(
      List<OriginConfig> configs, Origins previous, Predicate<InetSocketAddress> isOwnListener)
      throws IOException {
    Map<String, Origin> byName = new LinkedHashMap<>();
    PlatformTls platform = new PlatformTls();
    for (OriginConfig config : configs) {
      try {
        byName.put(config.name(), load(config, previous.find(config.name()), platform));
      } catch (IOException e) {
        throw new IOException("origin " + config.name() + ": " + e.getMessage(), e);
      }
    }
    return new Origins(byName, isOwnListener);
  }

  private static Origin load(OriginConfig config, @Nullable Origin before, PlatformTls platform)
      throws IOException {
    Endpoint endpoint = Endpoint.parse(config);
    byte[] trust = config.trust() == null ? null : OriginTls.readTrust(config.trust());
    String digest = trust == null ? "" : HexFormat.of().formatHex(OriginTls.digest(trust));
    if (before != null && before.config().equals(config) && before.trustDigest().equals(digest)) {
      return before;
    }
    SslContext tls = null;
    if (endpoint.isTls) {
      tls = trust == null ? platform.context() : OriginTls.context(config.trust(), trust);
    }
    return new Origin(config, endpoint.host, endpoint.port, endpoint.literal, tls, digest);
  }

  /** The host names that have to be resolved, for {@link NameResolver#watch}. */
  public Set<String> hostNames() {
    return byName.values().stream()
        .filter(origin -> origin.literal() == null)
        .map(Origin::host)
        .collect(Collectors.toUnmodifiableSet());
  }

  @Nullable Origin find(String name) {
    return byName.get(name);
  }

  Collection<Origin> all() {
    return byName.values();
  }

  boolean isOwnListener(InetSocketAddress address) {
    return isOwnListener.test(address);
  }

  /** What origins without a trust file share: the platform's certificates are many. */
  private static final class PlatformTls {
    private @Nullable SslContext context;

    SslContext context() throws IOException {
      SslContext known = context;
      if (known == null) {
        known = OriginTls.context(null, null);
        context = known;
      }
      return known;
    }
  }

  /** What an origin's URL says. */
  private record Endpoint(boolean isTls, String host, int port, @Nullable InetAddress literal) {

    static Endpoint parse(OriginConfig config) {
      String url = config.url();
      int colon = url.indexOf("://");
      String scheme = colon < 0 ? "" : url.substring(0, colon).toLowerCase(Locale.ROOT);
      if (!scheme.equals("http") && !scheme.equals("https")) {
        throw bad(config, "must begin with http:// or https://");
      }
      String rest = url.substring(colon + 3);
      if (rest.endsWith("/")) {
        rest = rest.substring(0, rest.length() - 1);
      }
      if (rest.isEmpty() || rest.chars().anyMatch(c -> "/?#@\\ ".indexOf(c) >= 0)) {
        throw bad(config, "must be scheme, host and port only");
      }
      boolean isTls = scheme.equals("https");
      return parse(config, isTls, rest);
    }

    private static Endpoint parse(OriginConfig config, boolean isTls, String authority) {
      String host = authority;
      String port = "";
      int close = authority.indexOf(']');
      if (authority.startsWith("[") && close > 0) {
        host = authority.substring(1, close);
        String after = authority.substring(close + 1);
        if (!after.isEmpty() && !after.startsWith(":")) {
          throw bad(config, "has text after the address");
        }
        port = after.isEmpty() ? "" : after.substring(1);
        if (NetUtil.createByteArrayFromIpAddressString(host) == null) {
          throw bad(config, "has no address between the brackets");
        }
      } else if (authority.indexOf(':') >= 0) {
        host = authority.substring(0, authority.indexOf(':'));
        port = authority.substring(authority.indexOf(':') + 1);
      }
      if (host.isEmpty() || !isHost(host)) {
        throw bad(config, "has no usable host");
      }
      int number = isTls ? 443 : 80;
      if (!port.isEmpty()) {
        number = port.matches("[0-9]{1,5}") ? Integer.parseInt(port) : 0;
        if (number < 1 || number > 65_535) {
          throw bad(config, "has no usable port");
        }
      }
      return new Endpoint(isTls, host.toLowerCase(Locale.ROOT), number, literal(host));
    }

    private static boolean isHost(String host) {
      return host.chars()
          .allMatch(c ->
              (c >= 'a' && c <= 'z')
                  || (c >= 'A' && c <= 'Z')
                  || (c >= '0' && c <= '9')
                  || ".-_:%".indexOf(c) >= 0);
    }

    private static @Nullable InetAddress literal(String host) {
      byte[] bytes = NetUtil.createByteArrayFromIpAddressString(host);
      if (bytes == null) {
        return null;
      }
      try {
        return InetAddress.getByAddress(bytes);
      } catch (UnknownHostException e) {
        throw new IllegalStateException("an address of " + bytes.length + " bytes", e);
      }
    }

    private static IllegalArgumentException bad(OriginConfig config, String why) {
      return new IllegalArgumentException(
          "origin " + config.name() + ": url \"" + Printable.line(config.url()) + "\" " + why);
    }
  }
}
