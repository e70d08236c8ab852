package io.forebay.server.purge;

import io.forebay.storage.purge.PurgeKind;

/**
 * One purge as an operator orders it.
 *
 * @param text the URL, host, prefix or tag as the operator wrote it, or a pattern as {@link
 *     PurgePredicate} reads it, or a group as {@link CacheGroup} does
 * @param isSoft whether objects become stale instead of missing
 * @param reach of a URL: which other schemes and ports it stands for
 */
public record PurgeOrder(PurgeKind kind, String text, boolean isSoft, Reach reach) {

  /** The object under the URL as it is, and nothing else. */
  public PurgeOrder(PurgeKind kind, String text, boolean isSoft) {
    this(kind, text, isSoft, Reach.AS_WRITTEN);
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
