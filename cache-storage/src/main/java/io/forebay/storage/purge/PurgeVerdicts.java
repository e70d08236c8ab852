package io.forebay.storage.purge;

/**
 * The verdict of the purges on an object: {@code Purges.ALIVE}, {@code REVALIDATE}, {@code STALE}
 * or {@code DEAD}, each including those before it.
 */
public interface PurgeVerdicts {
  /** By scopes alone: what predicates say is not known. */
  int check(long[] scopes, long birth, long bodyBirth);

  /** Of an object all of whose head is at hand. */
  int check(long[] scopes, long birth, long bodyBirth, byte[] keyText, int keyLength, byte[] head);
}
