package io.forebay.server.listen.connection;

import io.netty.handler.codec.http2.Http2HeadersEncoder.SensitivityDetector;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;

/**
 * Response fields that HPACK must not index (RFC 7541 §2.3.2), because their value changes with
 * each response: each would evict a reusable entry of the dynamic table and cost comparisons. They
 * are sent as literals that are never indexed (RFC 7541 §6.2.3), the only form that Netty's encoder
 * offers, which is also right for cookies.
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
