package io.forebay.server.prefetch;

import io.forebay.core.http.TargetUri;
import io.forebay.server.media.HlsPlaylist;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The next object by what a client or an origin says of it: of the same scheme and authority as
 * what was asked for, or none.
 */
public final class NextSegment {

  /** No longer text is read. */
  static final int MAX_REFERENCE = 1024;

  private NextSegment() {}

  /**
   * That of CMCD's {@code nor}: a relative path in which reserved characters are encoded.
   *
   * @param now what the client asks for
   */
  public static @Nullable TargetUri ofCmcd(TargetUri now, String nor) {
    if (nor.isEmpty() || nor.length() > MAX_REFERENCE) {
      return null;
    }
    String path = decoded(nor);
    return path == null || path.startsWith("/") || path.startsWith("?") || path.startsWith("#")
        ? null
        : of(now, path);
  }

  /** The last segment of a live playlist. */
  public static @Nullable TargetUri ofPlaylist(TargetUri playlist, String text) {
    HlsPlaylist parsed = HlsPlaylist.parse(text).orElse(null);
    if (parsed == null || parsed.isMaster() || parsed.hasEnded()) {
      return null;
    }
    List<HlsPlaylist.Reference> references = parsed.references();
    for (int i = references.size() - 1; i >= 0; i--) {
      HlsPlaylist.Reference reference = references.get(i);
      if (reference.kind() == HlsPlaylist.Kind.SEGMENT) {
        return reference.offset() >= 0 ? null : of(playlist, reference.uri());
      }
    }
    return null;
  }

  private static @Nullable TargetUri of(TargetUri now, String reference) {
    TargetUri next = reference.length() > MAX_REFERENCE ? null : now.resolve(reference);
    return next != null
            && next.scheme().equals(now.scheme())
            && next.authority().equals(now.authority())
            && !next.equals(now)
        ? next
        : null;
  }

  /** With percent-encodings of printable ASCII decoded once; null if they are malformed. */
  private static @Nullable String decoded(String text) {
    StringBuilder decoded = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '%') {
        decoded.append(c);
        continue;
      }
      int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
      int low = i + 2 < text.length() ? Character.digit(text.charAt(i + 2), 16) : -1;
      int octet = 16 * high + low;
      if (high < 0 || low < 0 || octet <= ' ' || octet >= 0x7f) {
        return null;
      }
      decoded.append((char) octet);
      i += 2;
    }
    return decoded.toString();
  }
}
