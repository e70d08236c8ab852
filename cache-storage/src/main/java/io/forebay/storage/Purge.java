package io.forebay.storage;

/**
 * What to purge.
 *
 * @param scopes hashes of what is purged, as they stand in {@link HeadSpec#scopes}; none for {@link
 *     Kind#EVERYTHING}, at least one otherwise
 * @param soft make stale instead of gone
 * @param text for the audit trail; cut at 1024 bytes
 */
@SuppressWarnings("ArrayRecordComponent")
public record Purge(Kind kind, long[] scopes, boolean soft, String text) {
  /** What the scopes stand for. */
  public enum Kind {
    EVERYTHING,
    EXACT,
    HOST,
    PREFIX,
    TAG
  }

  public static Purge everything(boolean soft, String text) {
    return new Purge(Kind.EVERYTHING, new long[0], soft, text);
  }
}
