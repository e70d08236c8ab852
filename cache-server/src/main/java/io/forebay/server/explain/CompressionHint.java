package io.forebay.server.explain;

import io.forebay.core.http.AcceptEncoding;
import io.forebay.core.http.RequestView;
import io.forebay.core.route.Route;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Explains why a stored text is not compressed: nginx and its derivatives compress no response to a
 * request with {@code Via} unless {@code gzip_proxied} allows it; IIS does likewise. One thread.
 */
final class CompressionHint {

  /** Below this size an origin may leave a body as it is, whatever the request says. */
  private static final int MIN_BYTES = 256;

  private static final Set<String> WEIGHS_VIA =
      Set.of("nginx", "openresty", "tengine", "angie", "freenginx", "microsoft-iis");

  private static final Set<String> TEXTUAL =
      Set.of(
          "application/javascript",
          "application/json",
          "application/xml",
          "application/manifest+json",
          "image/svg+xml");

  private CompressionHint() {}

  /**
   * What the operator can do about a stored response that is sent uncompressed to a client that
   * accepts compression; null where there is nothing to say.
   *
   * @param head bytes of the stored head
   * @param fieldsAt where in it the field lines begin
   */
  static @Nullable String of(
      RequestView request, Route route, byte[] head, int fieldsAt, long bodyBytes) {
    if (!route.forwarding().sendsVia()
        || bodyBytes < MIN_BYTES
        || (AcceptEncoding.classOf(request.fields()) & ~AcceptEncoding.NO_IDENTITY) == 0) {
      return null;
    }
    String type = "";
    String server = "";
    String lines = new String(head, fieldsAt, head.length - fieldsAt, StandardCharsets.ISO_8859_1);
    for (String line : lines.split("\r\n", -1)) {
      int colon = line.indexOf(':');
      String value = colon < 0 ? "" : line.substring(colon + 1).strip().toLowerCase(Locale.ROOT);
      switch (colon < 0 ? "" : line.substring(0, colon)) {
        case "content-encoding" -> {
          return null;
        }
        case "cache-control" -> {
          if (value.contains("no-transform")) {
            return null;
          }
        }
        case "content-type" -> type = value.split(";", 2)[0].strip();
        case "server" -> server = value.split("[/ ]", 2)[0];
        default -> {}
      }
    }
    boolean isText = type.startsWith("text/") || TEXTUAL.contains(type);
    if (!isText || !(server.isEmpty() || WEIGHS_VIA.contains(server))) {
      return null;
    }
    return "the stored response is not compressed, although the client accepts compression: nginx"
        + " compresses no response to a request with Via unless it has gzip_proxied. Set via: off"
        + " on the route "
        + route.name()
        + ", or gzip_proxied any at the origin";
  }
}
