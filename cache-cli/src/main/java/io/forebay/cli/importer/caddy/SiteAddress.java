package io.forebay.cli.importer.caddy;

import io.forebay.cli.importer.model.UntranslatableException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An address of a site.
 *
 * @param host in lower case; empty for all
 * @param isTls whether it is served over TLS
 */
record SiteAddress(String host, int port, boolean isTls) {
  private static final Pattern ADDRESS =
      Pattern.compile(
          "(?:(https?)://)?([A-Za-z0-9._*-]*|\\[[0-9A-Fa-f:.]+])(?::(\\d{1,5}))?(/.*)?");

  /**
   * Reads an address.
   *
   * @param options the ports of http and https, and whether https is automatic
   * @param hasTls whether the site has a {@code tls} statement
   */
  static SiteAddress of(String text, GlobalOptions options, boolean hasTls)
      throws UntranslatableException {
    Matcher matcher = ADDRESS.matcher(text);
    if (!matcher.matches() || text.isEmpty()) {
      throw new UntranslatableException(text + " is not an address of a site");
    }
    if (matcher.group(4) != null && !matcher.group(4).equals("/")) {
      throw new UntranslatableException("an address with a path: write a matcher");
    }
    String scheme = matcher.group(1) == null ? "" : matcher.group(1);
    String host = matcher.group(2).toLowerCase(Locale.ROOT);
    int port = matcher.group(3) == null ? 0 : Integer.parseInt(matcher.group(3));
    if (port > 65_535) {
      throw new UntranslatableException("a port above 65535");
    }
    if (host.contains("*") && !host.matches("\\*\\.[^*]+|\\*")) {
      throw new UntranslatableException(host + ": routes have names, and *.NAME");
    }
    if (host.equals("*")) {
      host = "";
    }
    boolean isTls =
        hasTls
            || scheme.equals("https")
            || (scheme.isEmpty()
                && port != options.httpPort()
                && (port == options.httpsPort() || (!host.isEmpty() && options.isAutomatic())));
    if (scheme.equals("http")) {
      isTls = false;
    }
    if (port == 0) {
      port = isTls ? options.httpsPort() : options.httpPort();
    }
    return new SiteAddress(host, port, isTls);
  }

  /** Whether public authorities issue certificates for the host. */
  boolean isPublic() {
    String name = host.startsWith("*.") ? host.substring(2) : host;
    return name.contains(".")
        && !name.matches(".*\\.(localhost|local|internal|home\\.arpa)|[0-9.]+|\\[.*")
        && name.matches("[a-z0-9.-]+");
  }

  /** The name of its listener. */
  String listener() {
    return (isTls ? "https-" : "http-") + port;
  }
}
