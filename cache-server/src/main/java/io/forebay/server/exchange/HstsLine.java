package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.StoredHeader;
import io.forebay.core.route.Route;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.response.HeadWriter;
import io.forebay.server.runtime.RuntimeConfig;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Selects the Strict-Transport-Security field of a response (RFC 6797), at most one line (§7.1):
 * over TLS the route's, else the origin's; over plain text none (§7.2). If a trusted proxy
 * terminates TLS, the origin's is forwarded, because the client receives the response over TLS.
 */
public final class HstsLine {
  private static final String NAME = "strict-transport-security";

  private HstsLine() {}

  /** Writes the route's line where it has one. Goes before all others. */
  static void write(ClientRequest request, HeadWriter head) {
    head.transportSecurity(line(request));
  }

  /**
   * The same where the lines of a stored response follow.
   *
   * @param memory where these lie
   * @return how many of their first bytes are to be left out: the origin's own line, or none
   */
  static int write(
      ClientRequest request, HeadWriter head, MemorySegment memory, long offset, int length) {
    return write(
        request.config(),
        request.route(),
        request.view().scheme(),
        request.client(),
        head,
        memory,
        offset,
        length);
  }

  /** The same for the fast lane. */
  static int write(
      RuntimeConfig snapshot,
      Route route,
      String scheme,
      ClientInfo client,
      HeadWriter head,
      MemorySegment memory,
      long offset,
      int length) {
    byte[] line = line(snapshot, route, scheme);
    head.transportSecurity(line);
    int origins = StoredHeader.transportSecurityLength(memory, offset, length);
    return origins > 0 && line == null && isUseful(snapshot, scheme, client) ? 0 : origins;
  }

  /** An origin's fields with its own line once, or without where it is not to be sent. */
  static HeaderFields forwarded(ClientRequest request, HeaderFields fields) {
    List<String> origins = fields.all(NAME);
    if (origins.isEmpty()) {
      return fields;
    }
    boolean isSent =
        line(request) == null
            && isUseful(request.config(), request.view().scheme(), request.client());
    if (isSent && origins.size() == 1) {
      return fields;
    }
    HeaderFields.Builder out = HeaderFields.builder();
    if (isSent) {
      out.add(NAME, origins.getFirst());
    }
    fields.without(NAME::equals).forEach(out::add);
    return out.build();
  }

  /** What answers of a route over TLS say of it, or null. */
  public static @Nullable String value(RuntimeConfig snapshot, Route route) {
    byte[] line = snapshot.hstsLine(route.name());
    return line == null ? null : value(new String(line, StandardCharsets.US_ASCII));
  }

  /** What the lines of a stored response say of it, or null. */
  public static @Nullable String value(MemorySegment memory, long offset, int length) {
    int lineLength = StoredHeader.transportSecurityLength(memory, offset, length);
    if (lineLength == 0) {
      return null;
    }
    byte[] line = memory.asSlice(offset, lineLength).toArray(ValueLayout.JAVA_BYTE);
    return value(new String(line, StandardCharsets.ISO_8859_1));
  }

  private static String value(String line) {
    return line.substring(NAME.length() + 1).strip();
  }

  /** The whole line of the route, or null. */
  static byte @Nullable [] line(ClientRequest request) {
    Route route = request.routeIfAny();
    return route == null ? null : line(request.config(), route, request.view().scheme());
  }

  private static byte @Nullable [] line(RuntimeConfig snapshot, Route route, String scheme) {
    return scheme.equals("https") ? snapshot.hstsLine(route.name()) : null;
  }

  /** Over plain text it is of none but to a proxy, which may have it from its client over TLS. */
  private static boolean isUseful(RuntimeConfig snapshot, String scheme, ClientInfo client) {
    return scheme.equals("https") || client.isRelayed() || snapshot.upstream().trusts(client);
  }
}
