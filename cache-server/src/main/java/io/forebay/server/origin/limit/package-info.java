/**
 * How many requests an origin can have in progress before they queue up in it, found by its
 * latency.
 *
 * <pre>
 *   requests ──► AdaptiveLimit: in progress, at most so many ──► origin
 *                     ▲                                            │
 *                GradientLimit ◄──window── LatencySamples ◄──latency, or rejected
 * </pre>
 *
 * <p>All event loops share it, so that it bounds what the origin gets from this node, and so that
 * the latency with half of that can be measured: a part that one loop gives up, the others would
 * take. Nothing locks. Start at {@link AdaptiveLimit}.
 */
@NullMarked
package io.forebay.server.origin.limit;

import org.jspecify.annotations.NullMarked;
