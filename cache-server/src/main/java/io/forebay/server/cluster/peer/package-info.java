/**
 * Connections between the nodes of a cluster, over mutual TLS: their certificates, and the
 * endpoints by which nodes ask each other for positions and load.
 *
 * <pre>
 *   PeerClient ── GET /forebay/position?at-least=R&amp;epoch=E&amp;wait=MS ──▶ PeerListener
 *        ◀── {"node":…, "position":"E:R"}, when R is applied there or the time is over ──
 * </pre>
 *
 * <p>The alternative name of a node's certificate is the URI {@code forebay://CLUSTER/NODE}; the
 * node has to be a member. Start at {@link PeerListener}.
 */
@NullMarked
package io.forebay.server.cluster.peer;

import org.jspecify.annotations.NullMarked;
