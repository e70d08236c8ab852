package io.forebay.server.cluster.etcd;

/**
 * A page of the keys with a prefix.
 *
 * @param prefix of all of them
 * @param from the first key that may be in the page
 * @param limit how many keys at most
 * @param revision of the store that is read; 0: the newest
 * @param minRevision leaves out keys that were last written before it
 */
public record Range(String prefix, String from, int limit, long revision, long minRevision) {

  /** The newest keys from the first one on. */
  public static Range first(String prefix, int limit) {
    return new Range(prefix, prefix, limit, 0, 0);
  }

  /** The page after a key. */
  public Range after(String key) {
    return new Range(prefix, key + '\0', limit, revision, minRevision);
  }
}
