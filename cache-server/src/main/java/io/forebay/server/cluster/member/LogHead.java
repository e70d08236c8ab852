package io.forebay.server.cluster.member;

import org.jspecify.annotations.Nullable;

/**
 * What a linearizable read says of the log.
 *
 * @param epoch 32 hexadecimal digits that name the log; null where there is none yet
 * @param revision of the store
 * @param newest revision of the newest purge; 0 for none
 * @param floor highest revision of a purge that was collected; 0 for none
 * @param isOwn whether {@code alive/NODE} is this node's
 */
public record LogHead(
    @Nullable String epoch, long revision, long newest, long floor, boolean isOwn) {}
