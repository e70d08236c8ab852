package io.forebay.cli.importer.nginx;

import io.forebay.cli.importer.model.UntranslatableException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What {@code proxy_pass} names.
 *
 * @param scheme {@code http} or {@code https}
 * @param address host and port, the name of a group, or {@code unix:FILE}
 * @param path what replaces the prefix of the location, or null where paths stay as they are
 */
record ProxyTarget(String scheme, String address, @Nullable String path) {
  private static final Pattern URL =
      Pattern.compile(
          "(https?)://(unix:[^:]+|[^/:]+(?::\\d+)?|\\[[0-9a-fA-F:]+](?::\\d+)?)(:?/.*)?");

  static ProxyTarget of(String url) throws UntranslatableException {
    if (url.indexOf('$') >= 0) {
      throw new UntranslatableException("origins are fixed: write one for each value");
    }
    Matcher matcher = URL.matcher(url);
    if (!matcher.matches()) {
      throw new UntranslatableException("a URL that is not understood");
    }
    String path = matcher.group(3);
    return new ProxyTarget(
        matcher.group(1),
        matcher.group(2),
        path == null ? null : path.startsWith(":") ? path.substring(1) : path);
  }
}
