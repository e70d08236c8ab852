package io.forebay.server.peer;

import java.util.List;

/**
 * Whom a miss asks before the origin.
 *
 * @param nodes at least one, the first first
 * @param isDown whether they are of a tier further from the clients; then the key is this node's in
 *     its own group
 * @param key digest of the key's text
 */
public record PeerPlan(List<String> nodes, boolean isDown, String key) {}
