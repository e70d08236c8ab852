package io.forebay.server.cluster;

import io.forebay.server.cluster.member.Member;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A node of the cluster and its answer to this one.
 *
 * @param load the answer of its {@link LoadEndpoint}; null where it did not answer
 * @param problem why it did not answer; null when it did
 */
public record NodeState(Member member, @Nullable ObjectNode load, @Nullable String problem) {}
