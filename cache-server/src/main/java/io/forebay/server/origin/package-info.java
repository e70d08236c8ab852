/**
 * The pooled client towards origins, one per event loop. It answers the calls of {@link
 * io.forebay.server.origin.call} and knows what is configured by {@link
 * io.forebay.server.origin.group}.
 *
 * <pre>
 *   PooledOriginClient ──► OriginPool ──► EndpointSet ──► EndpointPool ─┬─► OriginConnection
 *     all origins            one origin     its choice      one address   │     HTTP/1.1: one call
 *                            who waits                                    └─► Http2Transport
 *                                                                               HTTP/2: many calls
 * </pre>
 *
 * <p>With an adaptive limit requests pass a {@link RequestGate} before the pool.
 *
 * <p>Loops share the names, and of an origin the permits for connections and requests, the health
 * of its endpoints and the watch that logs; nothing else.
 *
 * <p>Just before a request is written it goes through {@link RequestSigning}, on every attempt.
 */
@NullMarked
package io.forebay.server.origin;

import org.jspecify.annotations.NullMarked;
