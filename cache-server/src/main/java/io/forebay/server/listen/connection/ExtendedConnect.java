package io.forebay.server.listen.connection;

import io.forebay.core.http.UpgradeOffer;
import io.netty.handler.codec.Headers;
import io.netty.handler.codec.http2.Http2Headers.PseudoHeaderName;
import java.util.Base64;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Extended CONNECT (RFC 8441 §4, RFC 9220 §3): the request for a tunnel on one stream, turned into
 * the upgrade request of HTTP/1.1 that means the same. Routes, rules and the offer to the origin
 * then know one form only.
 *
 * <pre>
 *   :method CONNECT, :protocol websocket   ─►  GET, Connection: upgrade, Upgrade: websocket,
 *                                              Sec-WebSocket-Key (new)
 *   200                                    ◄─  101, Sec-WebSocket-Accept (verified, dropped)
 * </pre>
 */
final class ExtendedConnect {

  private static final String WEBSOCKET = "websocket";
  private static final int KEY_LENGTH = 16;

  private ExtendedConnect() {}

  /** Whether a request with {@code :protocol} has what that demands, and nothing against it. */
  static boolean isWellFormed(String method, Headers<CharSequence, CharSequence, ?> headers) {
    CharSequence protocol = headers.get(PseudoHeaderName.PROTOCOL.value());
    return method.equals("CONNECT")
        && protocol != null
        && UpgradeOffer.isProtocol(protocol.toString())
        && headers.contains(PseudoHeaderName.SCHEME.value())
        && headers.contains(PseudoHeaderName.PATH.value())
        && headers.contains(PseudoHeaderName.AUTHORITY.value())
        // There is no content whose length could be told (RFC 9110 §9.3.6).
        && !headers.contains("content-length");
  }

  /** Adds what an upgrade request of HTTP/1.1 has besides; returns its method. */
  static String translate(Headers<CharSequence, CharSequence, ?> headers) {
    String protocol = String.valueOf(headers.get(PseudoHeaderName.PROTOCOL.value()));
    headers.set("connection", "upgrade");
    headers.set("upgrade", protocol);
    // Not used by extended CONNECT (RFC 8441 §5): the pair proves one connection to the next only.
    headers.remove("sec-websocket-key");
    headers.remove("sec-websocket-accept");
    if (protocol.equalsIgnoreCase(WEBSOCKET)) {
      headers.set("sec-websocket-key", newKey());
    }
    return "GET";
  }

  /** It need not be secret: it keeps caches and servers apart that do not know WebSocket. */
  private static String newKey() {
    byte[] key = new byte[KEY_LENGTH];
    ThreadLocalRandom.current().nextBytes(key);
    return Base64.getEncoder().encodeToString(key);
  }

  /** Whether a field of the origin's 101 has no meaning on the stream. */
  static boolean isDropped(@Nullable CharSequence name) {
    return name != null && "sec-websocket-accept".contentEquals(name);
  }
}
