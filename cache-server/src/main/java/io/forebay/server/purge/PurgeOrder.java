package io.forebay.server.purge;

import io.forebay.storage.purge.PurgeKind;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One purge as an operator orders it, or the undo of one.
 *
 * @param text the URL, host, prefix or tag as the operator wrote it, or a pattern as {@link
 *     PurgePredicate} reads it, or a group as {@link CacheGroup} does
 * @param isSoft whether objects become stale instead of missing
 * @param reach of a URL: which other schemes and ports it stands for
 * @param storedBefore of what the order names, only what was stored before this; null for all
 */
public record PurgeOrder(
    PurgeKind kind, String text, boolean isSoft, Reach reach, @Nullable Instant storedBefore) {

  private static final String LOGGED = "c-";

  public PurgeOrder(PurgeKind kind, String text, boolean isSoft, Reach reach) {
    this(kind, text, isSoft, reach, null);
  }

  /** Takes back the soft purges that the log of a cluster has at a revision. */
  public static PurgeOrder undo(long revision) {
    return new PurgeOrder(PurgeKind.UNDO, LOGGED + revision, true);
  }

  /**
   * The revision that an undo names.
   *
   * @throws IllegalArgumentException when it names none
   */
  public long undone() {
    if (kind != PurgeKind.UNDO || !text.matches(LOGGED + "[1-9][0-9]{0,17}")) {
      throw new IllegalArgumentException("not the id of a purge in the log: " + text);
    }
    return Long.parseLong(text, LOGGED.length(), text.length(), 10);
  }

  /** The same order for what was stored before a time. */
  public PurgeOrder ofStoredBefore(Instant time) {
    return new PurgeOrder(kind, text, isSoft, reach, time);
  }

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
