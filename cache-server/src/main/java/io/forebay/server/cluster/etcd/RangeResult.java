package io.forebay.server.cluster.etcd;

import java.util.List;

/**
 * A page of keys.
 *
 * @param revision of the store
 * @param hasMore whether there are keys after the page
 */
public record RangeResult(long revision, List<KeyValue> keys, boolean hasMore) {}
