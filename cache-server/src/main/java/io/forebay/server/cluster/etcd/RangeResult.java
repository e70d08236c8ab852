package io.forebay.server.cluster.etcd;

import java.util.List;

/**
 * A page of keys.
 *
 * @param revision of the store
 * @param hasMore whether keys are left behind the page
 */
public record RangeResult(long revision, List<KeyValue> keys, boolean hasMore) {}
