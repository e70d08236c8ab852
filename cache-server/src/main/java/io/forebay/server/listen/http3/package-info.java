/**
 * HTTP/3 over QUIC: a UDP listener, limits against amplification and small datagrams, and streams.
 *
 * <pre>
 *   datagrams ─▶ SmallDatagramFilter ─▶ AmplificationLimiter ─▶ QUIC ─▶ Http3Connection
 *                                                                        └▶ Http3Stream ─▶ RequestHandler
 * </pre>
 *
 * <p>Start at {@link Http3Listener}; {@link Http3Connection} is one connection, confined to its
 * loop.
 */
@NullMarked
package io.forebay.server.listen.http3;

import org.jspecify.annotations.NullMarked;
