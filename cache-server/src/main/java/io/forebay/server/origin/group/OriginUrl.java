package io.forebay.server.origin.group;

import io.forebay.core.http.TargetNormalizer;
import io.forebay.server.text.Printable;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the URL of an origin's server says.
 *
 * @param socket the file of a Unix-domain socket, or null; {@code host} and {@code port} mean
 *     nothing then
 * @param service an SRV name, or null; {@code host} is its domain then, and {@code port} the
 *     scheme's
 */
public record OriginUrl(
    boolean isTls,
    String host,
    int port,
    @Nullable InetAddress literal,
    @Nullable Path socket,
    @Nullable String service,
    BasePath base) {
  private static final String UNIX = "unix:";
  private static final String SRV = "+srv";
  private static final Pattern SERVICE = Pattern.compile("_[^.]+\\._[^.]+\\.(.+)");

  /**
   * Reads a URL as the configuration prints it: {@code http://HOST:PORT[/BASE]}, the same with
   * {@code https}, {@code http+srv://NAME[/BASE]} and {@code https+srv://NAME[/BASE]}, or {@code
   * unix:FILE[:/BASE]}.
   *
   * @throws IllegalArgumentException when it is not one of a server, with a sentence that says so
   */
  public static OriginUrl parse(String origin, String url) {
    if (url.startsWith(UNIX)) {
      int colon = url.indexOf(':', UNIX.length());
      String file = colon < 0 ? url.substring(UNIX.length()) : url.substring(UNIX.length(), colon);
      BasePath base = base(origin, url, colon < 0 ? "" : url.substring(colon + 1));
      return new OriginUrl(false, "localhost", 80, null, Path.of(file), null, base);
    }
    int colon = url.indexOf("://");
    String scheme = colon < 0 ? "" : url.substring(0, colon).toLowerCase(Locale.ROOT);
    boolean isService = scheme.endsWith(SRV);
    if (isService) {
      scheme = scheme.substring(0, scheme.length() - SRV.length());
    }
    if (!scheme.equals("http") && !scheme.equals("https")) {
      throw bad(
          origin, url, "must begin with http://, https://, http+srv://, https+srv:// or unix:");
    }
    String rest = url.substring(colon + 3);
    int slash = rest.indexOf('/');
    String authority = slash < 0 ? rest : rest.substring(0, slash);
    if (authority.isEmpty() || authority.chars().anyMatch(c -> "?#@\\ ".indexOf(c) >= 0)) {
      throw bad(origin, url, "must be scheme, host, port and base path only");
    }
    BasePath base = base(origin, url, slash < 0 ? "" : rest.substring(slash));
    OriginUrl parsed = parse(origin, url, scheme.equals("https"), authority, base);
    if (!isService) {
      return parsed;
    }
    if (parsed.literal != null || authority.indexOf(':') >= 0) {
      throw bad(origin, url, "must have an SRV name without a port");
    }
    return parsed.ofService();
  }

  /** The same for the SRV name that stands where the host does. */
  private OriginUrl ofService() {
    // _SERVICE._PROTOCOL.DOMAIN; other names, as of Consul, are domains themselves.
    Matcher parts = SERVICE.matcher(host);
    String domain = parts.matches() ? parts.group(1) : host;
    return new OriginUrl(isTls, domain, port, null, null, host, base);
  }

  /** The scheme, as a URL has it. */
  public String scheme() {
    return (isTls ? "https" : "http") + (service == null ? "" : SRV);
  }

  private static BasePath base(String origin, String url, String path) {
    if (!path.isEmpty()
        && !(TargetNormalizer.normalize(path, "GET") instanceof TargetNormalizer.Accepted accepted
            && accepted.authority() == null
            && accepted.query() == null
            && accepted.path().equals(path))) {
      throw bad(origin, url, "has a base path that is not in normal form");
    }
    return BasePath.of(path);
  }

  private static OriginUrl parse(
      String origin, String url, boolean isTls, String authority, BasePath base) {
    String host = authority;
    String port = "";
    int close = authority.indexOf(']');
    if (authority.startsWith("[") && close > 0) {
      host = authority.substring(1, close);
      String after = authority.substring(close + 1);
      if (!after.isEmpty() && !after.startsWith(":")) {
        throw bad(origin, url, "has text after the address");
      }
      port = after.isEmpty() ? "" : after.substring(1);
      if (NetUtil.createByteArrayFromIpAddressString(host) == null) {
        throw bad(origin, url, "has no address between the brackets");
      }
    } else if (authority.indexOf(':') >= 0) {
      host = authority.substring(0, authority.indexOf(':'));
      port = authority.substring(authority.indexOf(':') + 1);
    }
    if (host.isEmpty() || !isHost(host)) {
      throw bad(origin, url, "has no usable host");
    }
    int number = isTls ? 443 : 80;
    if (!port.isEmpty()) {
      number = port.matches("[0-9]{1,5}") ? Integer.parseInt(port) : 0;
      if (number < 1 || number > 65_535) {
        throw bad(origin, url, "has no usable port");
      }
    }
    return new OriginUrl(
        isTls, host.toLowerCase(Locale.ROOT), number, literal(host), null, null, base);
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

  private static IllegalArgumentException bad(String origin, String url, String why) {
    return new IllegalArgumentException(
        "origin " + origin + ": url \"" + Printable.line(url) + "\" " + why);
  }
}
