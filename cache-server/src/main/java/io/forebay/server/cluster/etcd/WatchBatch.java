package io.forebay.server.cluster.etcd;

import java.util.List;

/**
 * What one message of a watch brings.
 *
 * @param puts keys that were written, in the order of their revisions; deletions are left out
 * @param complete up to which revision nothing of what is watched is missing after this message
 */
public record WatchBatch(List<KeyValue> puts, long complete) {}
