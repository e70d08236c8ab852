package io.forebay.server.purge;

import io.forebay.core.http.TargetUri;
import io.forebay.storage.purge.PurgeKind;

/**
 * One purge as an operator orders it.
 *
 * @param text the URL, host, prefix or tag as the operator wrote it, or a pattern as {@link
 *     PurgePredicate} reads it, or the root of an origin, a space and the name of a group
 * @param isSoft whether objects become stale instead of missing
 * @param reach of a URL: which other schemes and ports it stands for
 */
public record PurgeOrder(PurgeKind kind, String text, boolean isSoft, Reach reach) {

  /** The object under the URL as it is, and nothing else. */
  public PurgeOrder(PurgeKind kind, String text, boolean isSoft) {
    this(kind, text, isSoft, Reach.AS_WRITTEN);
  }

  /** A group of the origin that this URI is of. */
  public static PurgeOrder group(TargetUri uri, String name) {
    return new PurgeOrder(
        PurgeKind.GROUP, uri.scheme() + "://" + uri.authority() + "/ " + name, false);
  }

  /** What a URL stands for beyond itself. */
  public enum Reach {
    AS_WRITTEN,
    /** The same host, path and query with http and with https. */
    ANY_SCHEME,
    /** The same host, path and query on every port, with http and with https. */
    ANY_PORT
  }
}
