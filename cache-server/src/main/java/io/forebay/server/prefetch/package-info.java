/**
 * Which objects are fetched before a client asks for them, and whether a client then asked.
 *
 * <pre>
 *   response to a client ──▶ SegmentStreams: is its stream popular?
 *        │                        │ yes
 *        │                        ▼
 *        │      next objects: CMCD nor ─ SegmentNumber ─ last segment of the playlist
 *        │                        │ same authority, same route, not tried lately
 *        │                        ▼
 *        │                  PrefetchBudget: is there room? ──▶ a fill of the lowest priority
 *        │                        ▲                                   │
 *        └── bytes fetched for ───┘                                   ▼
 *            clients; objects served ──────────────────▶ used, or wasted after a while
 * </pre>
 *
 * <p>Start at {@link PrefetchBudget} for what bounds it, and at {@code exchange.Prefetcher} for
 * what carries it out. {@link SegmentStreams} belong to one event loop; the budget is the node's.
 */
@NullMarked
package io.forebay.server.prefetch;

import org.jspecify.annotations.NullMarked;
