package io.forebay.server.purge;

import io.forebay.core.http.TargetUri;
import io.forebay.storage.purge.PurgeKind;

/**
 * A group of the responses of one origin (RFC 9875).
 *
 * @param origin its root, without a query
 */
public record CacheGroup(TargetUri origin, String name) {

  /** A group of the origin that a URI is of. */
  public static CacheGroup of(TargetUri uri, String name) {
    return new CacheGroup(new TargetUri(uri.scheme(), uri.authority(), "/", null), name);
  }

  /**
   * A group from its text.
   *
   * @throws IllegalArgumentException when the text names no origin
   */
  public static CacheGroup parse(String text) {
    int space = text.indexOf(' ');
    TargetUri origin = space < 0 ? null : TargetUri.parse(text.substring(0, space));
    if (origin == null) {
      throw new IllegalArgumentException("not a group of an origin: " + text);
    }
    return of(origin, text.substring(space + 1));
  }

  /** The text of its purge: an origin has no space in it, a name may have. */
  public String text() {
    return origin.scheme() + "://" + origin.authority() + origin.path() + " " + name;
  }

  /** Its purge. */
  public PurgeOrder purge() {
    return new PurgeOrder(PurgeKind.GROUP, text(), false);
  }
}
