package io.forebay.server.cluster.etcd;

import java.util.List;

/**
 * One message of a watch.
 *
 * @param puts keys that were written, in the order of their revisions; deletions are left out
 * @param complete the revision up to which the watch has delivered everything after this message
 */
public record WatchBatch(List<KeyValue> puts, long complete) {}
