package io.forebay.storage.purge;

import java.lang.foreign.MemorySegment;

/**
 * A dry run of a purge: it matches a record as the purge would, and counts dead records as dead.
 * Nothing is purged. Any thread.
 */
public final class PurgeProbe {
  /** What scopes and births alone tell of an object. */
  public enum Match {
    NO,
    YES,
    /** Its texts have to be read. */
    UNKNOWN
  }

  private final PurgeTable activeConfig;
  private final PurgeTable asked;
  private final boolean soft;

  /** The later table holds the purge in question, as if everything was born before it. */
  PurgeProbe(PurgeTable activeConfig, PurgeTable asked, boolean soft) {
    this.activeConfig = activeConfig;
    this.asked = asked;
    this.soft = soft;
  }

  /**
   * Whether a head record would be matched.
   *
   * @param isStale whether it is marked as such
   */
  public boolean matches(MemorySegment memory, long record, boolean isStale) {
    int before =
        Math.max(activeConfig.check(memory, record), isStale ? Purges.STALE : Purges.ALIVE);
    return isLeft(before) && asked.check(memory, record) != Purges.ALIVE;
  }

  /** The same, of what a disk's directory tells. */
  public Match matches(long[] scopes, long birth, long bodyBirth) {
    if (!isLeft(activeConfig.check(scopes, birth, bodyBirth))) {
      return Match.NO;
    }
    boolean isByScope = asked.check(scopes, birth, bodyBirth) != Purges.ALIVE;
    boolean isOpen =
        activeConfig.predicates().mayApply(scopes, birth, bodyBirth)
            || (!isByScope && asked.predicates().mayApply(scopes, birth, bodyBirth));
    return isOpen ? Match.UNKNOWN : isByScope ? Match.YES : Match.NO;
  }

  private boolean isLeft(int fate) {
    return fate < Purges.STALE || (fate == Purges.STALE && !soft);
  }
}
