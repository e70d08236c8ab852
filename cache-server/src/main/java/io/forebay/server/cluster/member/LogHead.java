package io.forebay.server.cluster.member;

import org.jspecify.annotations.Nullable;

/**
 * The state of the log, and of this node in it, by one linearizable read.
 *
 * @param epoch 32 hexadecimal digits that name the log in this cluster of etcd; null where there is
 *     none yet
 * @param epochRevision revision at which the log got its name; 0 where it has none yet
 * @param revision of the store
 * @param newest revision of the newest purge; 0 for none
 * @param floor highest revision of a purge that was collected; 0 for none
 * @param isOwn whether this node has written {@code alive/NODE}
 * @param isDraining whether an operator drains this node
 */
public record LogHead(
    @Nullable String epoch,
    long epochRevision,
    long revision,
    long newest,
    long floor,
    boolean isOwn,
    boolean isDraining) {}
