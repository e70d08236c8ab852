package io.forebay.server.peer;

import java.util.List;

/**
 * The nodes that a miss asks before the origin.
 *
 * @param nodes at least one, in the order in which they are asked
 * @param isDown whether the nodes are of a tier further from the clients; then this node owns the
 *     key in its own group
 * @param key digest of the key's text
 */
public record PeerPlan(List<String> nodes, boolean isDown, String key) {}
