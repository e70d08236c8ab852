package io.forebay.storage.purge;

import io.forebay.storage.object.HeadSpec;

/**
 * A purge, or the undo of one: its kind, its scopes or predicate, and whether it is soft.
 *
 * @param scopes hashes of what is purged, as they stand in {@link HeadSpec#scopes}; none for {@link
 *     PurgeKind#EVERYTHING}; for {@link PurgeKind#PATTERN} what it is limited to, if anything; at
 *     least one otherwise
 * @param soft make stale instead of gone
 * @param text of a predicate what it asks for, at most 1024 bytes; otherwise for the audit trail,
 *     cut there
 * @param isCounted of a URL, whether what memory has of it is counted at once: by the scopes alone
 *     that come first in what they match
 * @param revision of the log of purges that it is from, 0 for none
 */
@SuppressWarnings("ArrayRecordComponent")
public record Purge(
    PurgeKind kind, long[] scopes, boolean soft, String text, boolean isCounted, long revision) {

  public Purge(PurgeKind kind, long[] scopes, boolean soft, String text, boolean isCounted) {
    this(kind, scopes, soft, text, isCounted, 0);
  }

  public Purge(PurgeKind kind, long[] scopes, boolean soft, String text) {
    this(kind, scopes, soft, text, true);
  }

  /** Takes back the soft purges that are from a revision of the log. */
  public static Purge undo(long revision, String text) {
    return new Purge(PurgeKind.UNDO, JournalRecord.undo(0, revision), true, text);
  }

  /** The same, from a revision of the log. */
  public Purge at(long newRevision) {
    return new Purge(kind, scopes, soft, text, isCounted, newRevision);
  }

  public static Purge everything(boolean soft, String text) {
    return new Purge(PurgeKind.EVERYTHING, new long[0], soft, text);
  }
}
