package io.forebay.storage.purge;

import java.util.Map;

/**
 * The soft purges that are about to be forgotten: those up to a number. A sweep makes what they
 * match stale for good, and takes it off the disks. What younger ones match stays as it is, since
 * they may be undone.
 *
 * <pre>
 *   forgotten      closing            open: can be undone
 *  ───────────┼──────────────────┼──────────────────────────▶ numbers
 *                              limit
 * </pre>
 *
 * @param hidden of scopes that an open purge names, too: the closing one below it. The table shows
 *     the newest of a scope alone
 */
record ClosingSofts(long limit, Map<Long, Long> hidden) {
  static final ClosingSofts NONE = new ClosingSofts(0, Map.of());

  /** Of what the table has for a scope, the part that is closing; 0 for none. */
  long of(long scope, long soft) {
    return soft <= limit ? soft : hidden.getOrDefault(scope, 0L);
  }
}
