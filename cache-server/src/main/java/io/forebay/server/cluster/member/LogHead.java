package io.forebay.server.cluster.member;

import org.jspecify.annotations.Nullable;

/**
 * What a linearizable read says of the log.
 *
 * @param epoch 32 hexadecimal digits that name the log in this cluster of etcd; null where there is
 *     none yet
 * @param epochRevision at which the log got its name; 0 where it has none yet
 * @param revision of the store
 * @param newest revision of the newest purge; 0 for none
 * @param floor highest revision of a purge that was collected; 0 for none
 * @param isOwn whether {@code alive/NODE} is this node's
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
