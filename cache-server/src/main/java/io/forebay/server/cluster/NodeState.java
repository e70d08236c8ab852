package io.forebay.server.cluster;

import io.forebay.server.cluster.member.Member;
import io.forebay.storage.purge.PurgePosition;
import org.jspecify.annotations.Nullable;

/**
 * A node as it is seen from this one.
 *
 * @param position up to where purges are in force there; null where it has not answered
 * @param problem why it has not answered; null when it has
 */
public record NodeState(
    Member member, @Nullable PurgePosition position, @Nullable String problem) {}
