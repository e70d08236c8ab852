package io.forebay.cli.importer.trafficserver;

import io.forebay.cli.importer.model.UntranslatableException;
import io.forebay.core.http.TargetNormalizer;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A URL of a remap rule.
 *
 * @param scheme {@code http}, {@code https}, {@code ws}, {@code wss}, or empty for any
 * @param host in lower case, or an expression; empty for any
 * @param port of the URL, or that of its scheme
 * @param path with its slash; what requests begin with
 */
record RemapUrl(String scheme, String host, int port, String path) {
  private static final Pattern URL =
      Pattern.compile("(?:(?:([A-Za-z][A-Za-z0-9+.-]*):)?//([^/]*))?(/[^?#]*)?([?#].*)?");
  private static final Pattern PORT = Pattern.compile("(.*[^:]|):(\\d{1,5})");

  /**
   * Reads a URL.
   *
   * @param isRegex whether its host is an expression
   */
  static RemapUrl of(String text, boolean isRegex) throws UntranslatableException {
    Matcher url = URL.matcher(text);
    if (!url.matches() || text.isEmpty()) {
      throw new UntranslatableException(text + " is not a URL");
    }
    if (url.group(4) != null) {
      throw new UntranslatableException("a URL with a query or a fragment");
    }
    String scheme = url.group(1) == null ? "" : url.group(1).toLowerCase(Locale.ROOT);
    if (!scheme.matches("|https?|wss?")) {
      throw new UntranslatableException("the node speaks http and https, not " + scheme);
    }
    String authority = url.group(2) == null ? "" : url.group(2);
    int port = scheme.equals("https") || scheme.equals("wss") ? 443 : 80;
    Matcher withPort = PORT.matcher(authority);
    if (withPort.matches()) {
      authority = withPort.group(1);
      port = Integer.parseInt(withPort.group(2));
    }
    String host = isRegex ? authority : authority.toLowerCase(Locale.ROOT);
    if (!isRegex && !host.matches("[a-z0-9._-]*|\\[[0-9a-f:.]+]")) {
      throw new UntranslatableException(host + " is not a host");
    }
    if (port < 1 || port > 65_535) {
      throw new UntranslatableException("a port above 65535");
    }
    String path = url.group(3) == null ? "/" : url.group(3);
    if (!(TargetNormalizer.normalize(path, "GET") instanceof TargetNormalizer.Accepted accepted)
        || !accepted.path().equals(path)) {
      throw new UntranslatableException(path + " is a path that is not in normal form");
    }
    return new RemapUrl(scheme, host, port, path);
  }

  boolean isTls() {
    return scheme.equals("https") || scheme.equals("wss");
  }

  boolean isTunnel() {
    return scheme.equals("ws") || scheme.equals("wss");
  }

  private boolean hasDefaultPort() {
    return port == (isTls() ? 443 : 80);
  }

  /** Host and port as a Host field has them. */
  String authority() {
    return hasDefaultPort() ? host : host + ":" + port;
  }

  /** Scheme, host and port of an origin. */
  String origin() {
    return (isTls() ? "https://" : "http://") + authority();
  }

  RemapUrl withHost(String other) {
    return new RemapUrl(scheme, other, port, path);
  }
}
