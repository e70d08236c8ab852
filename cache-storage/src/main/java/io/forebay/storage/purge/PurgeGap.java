package io.forebay.storage.purge;

/**
 * What becomes of the objects of a node that cannot learn which purges of its log it has missed.
 */
public enum PurgeGap {
  /** All of them are purged. */
  EMPTY,

  /**
   * All of them are validated with the origin before they are used again: a 304 keeps the body and
   * makes the object usable, everything else replaces it. No allowance for stale responses applies
   * until then, neither the response's own nor the route's.
   */
  REVALIDATE
}
