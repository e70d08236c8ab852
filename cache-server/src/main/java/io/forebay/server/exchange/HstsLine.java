package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.route.Route;
import io.forebay.server.config.HstsConfig;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Strict-Transport-Security as a route has it (RFC 6797): on answers over TLS only (§7.2), and
 * before whatever was stored, because browsers go by the first one alone (§8.1).
 */
final class HstsLine {
  private static final String NAME = "strict-transport-security";

  private HstsLine() {}

  static byte[] of(HstsConfig hsts) {
    Duration maxAge = hsts.maxAge();
    StringBuilder line = new StringBuilder(NAME).append(": max-age=");
    line.append(maxAge == null ? 0 : maxAge.toSeconds());
    if (hsts.subdomains()) {
      line.append("; includeSubDomains");
    }
    if (hsts.preload()) {
      line.append("; preload");
    }
    return line.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
  }

  /** Writes the line where there is one for this exchange. Goes before all others. */
  static void write(Exchange exchange, ByteBuf head) {
    byte[] line = line(exchange);
    if (line != null) {
      head.writeBytes(line);
    }
  }

  /** An origin's fields without its own line, where the route has one. */
  static HeaderFields withoutOrigins(Exchange exchange, HeaderFields fields) {
    return line(exchange) != null && fields.has(NAME) ? fields.without(NAME::equals) : fields;
  }

  /** The whole line, or null. */
  static byte @Nullable [] line(Exchange exchange) {
    Route route = exchange.routeIfAny();
    return route == null ? null : line(exchange.snapshot, route, exchange.request.scheme());
  }

  private static byte @Nullable [] line(Snapshot snapshot, Route route, String scheme) {
    return scheme.equals("https") ? snapshot.hstsLine(route.name()) : null;
  }

  /** Writes the line where there is one for an answer of the route. Goes before all others. */
  static void write(Snapshot snapshot, Route route, String scheme, ByteBuf head) {
    byte[] line = line(snapshot, route, scheme);
    if (line != null) {
      head.writeBytes(line);
    }
  }
}
