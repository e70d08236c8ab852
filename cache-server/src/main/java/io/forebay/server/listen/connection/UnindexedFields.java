package io.forebay.server.listen.connection;

import io.netty.handler.codec.http2.Http2HeadersEncoder.SensitivityDetector;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;

/**
 * Fields of responses that are no use in a connection's table of compressed fields (RFC 7541
 * §2.3.2) because the next response has another value: each would push out one that comes again,
 * and be compared with in vain until it is pushed out itself. They are sent as literals, in the one
 * form in which Netty's encoder lets its caller have that: never to be indexed (RFC 7541 §6.2.3),
 * which for a cookie is as it should be, too.
 */
public final class UnindexedFields implements SensitivityDetector {

  public static final UnindexedFields DETECTOR = new UnindexedFields();

  private UnindexedFields() {}

  @Override
  public boolean isSensitive(CharSequence name, CharSequence value) {
    String passing = candidate(name);
    return passing != null && AsciiString.contentEquals(name, passing);
  }

  /** The one passing field that may have that name, by its length and first letter. */
  private static @Nullable String candidate(CharSequence name) {
    return switch (name.length()) {
      case 3 -> "age";
      case 4 -> name.charAt(0) == 'd' ? "date" : "etag";
      case 7 -> "expires";
      case 8 -> "location";
      case 10 -> "set-cookie";
      case 12 -> "cache-status";
      case 13 -> name.charAt(0) == 'l' ? "last-modified" : "content-range";
      case 14 -> "content-length";
      default -> null;
    };
  }
}
