/**
 * Objects of other nodes: which nodes a miss asks before the origin, and how.
 *
 * <pre>
 *   fill ─▶ PeerRouter: which node owns the key? ─▶ OriginRequest with a PeerQuestion
 *                                                  │
 *   PeerSender ─▶ PeerCall ─┬─▶ rank 1 ─fails─▶ rank 2 ─fails─▶ origin
 *                           └─ declined ──────────────────────▶ origin
 *
 *   PeerDirectory   what all loops share: {@link io.forebay.server.peer.Peers} as membership has
 *                   them, their health, positions in the log of purges, counters
 * </pre>
 *
 * <p>A fetch first gets its place among the purges of this node. Its request to another node then
 * names the newest purge that has begun to take effect here. The other node answers only once it
 * has applied all purges up to that one. So the answer is younger than every purge before the
 * fetch, and a later purge removes the answer here.
 *
 * <p>Nothing here knows how nodes find each other. Start at {@link
 * io.forebay.server.peer.PeerSender}.
 */
@NullMarked
package io.forebay.server.peer;

import org.jspecify.annotations.NullMarked;
