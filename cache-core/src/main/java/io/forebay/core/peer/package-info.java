/**
 * The header field of requests for objects between nodes, and the choice of the node to ask. Pure
 * functions.
 *
 * <pre>
 *   key ─▶ PeerRanking ─▶ rank 1 ─▶ rank 2 ─▶ origin
 *
 *   asking node ── Forebay-Peer: v=1, cluster=eu, from=edge-7, tier=0, hop=1, …
 *                  ({@link PeerRequestField}) ─▶ {@link HopRule} ─▶ answering node
 *               ◀── Forebay-Peer: v=1, node=edge-2, source=store ({@link PeerResponseField}) ──
 * </pre>
 *
 * <p>A response without the field is a refusal: the other node declines, and its status says why.
 */
@NullMarked
package io.forebay.core.peer;

import org.jspecify.annotations.NullMarked;
