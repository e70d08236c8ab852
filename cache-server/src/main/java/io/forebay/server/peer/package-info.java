/**
 * Objects of other nodes: whom a miss asks before the origin, and how.
 *
 * <pre>
 *   fill ─▶ PeerRouter: whose key is it? ─▶ OriginRequest with a PeerQuestion
 *                                                  │
 *   PeerSender ─▶ PeerCall ─┬─▶ rank 1 ─fails─▶ rank 2 ─fails─▶ origin
 *                           └─ declined ──────────────────────▶ origin
 *
 *   PeerDirectory   what all loops share: {@link io.forebay.server.peer.Peers} as membership has
 *                   them, their health, positions in the log of purges, counters
 * </pre>
 *
 * <p>A request to another node says up to where purges had begun to take effect here after its
 * response got its birth. The other node answers only once it has applied them. So what it answers
 * is younger than every purge with a lower number, and a purge with a higher one kills it here.
 *
 * <p>Nothing here knows how nodes find each other. Start at {@link
 * io.forebay.server.peer.PeerSender}.
 */
@NullMarked
package io.forebay.server.peer;

import org.jspecify.annotations.NullMarked;
