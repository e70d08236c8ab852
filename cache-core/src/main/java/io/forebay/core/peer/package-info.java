/**
 * What nodes say to each other when one asks another for an object, and whom a node asks; pure
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
 * <p>An answer without the field is none: the other node declines, and its status says why.
 */
@NullMarked
package io.forebay.core.peer;

import org.jspecify.annotations.NullMarked;
