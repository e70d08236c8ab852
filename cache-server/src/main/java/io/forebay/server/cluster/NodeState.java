package io.forebay.server.cluster;

import io.forebay.server.cluster.member.Member;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A node as it is seen from this one.
 *
 * @param load what it says of itself, as {@link LoadEndpoint} has it; null where it has not
 *     answered
 * @param problem why it has not answered; null when it has
 */
public record NodeState(Member member, @Nullable ObjectNode load, @Nullable String problem) {}
