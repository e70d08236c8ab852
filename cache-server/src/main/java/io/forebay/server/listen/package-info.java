/**
 * Listeners: sockets that accept connections, and the selection of each connection's protocol.
 *
 * <pre>
 *   Listeners ─▶ ConnectionInitializer ─▶ PROXY protocol ─▶ TLS (ALPN) ─┬▶ http1
 *                                                                       └▶ http2
 *   Listeners ─▶ http3 (QUIC)
 * </pre>
 *
 * <p>Start at {@link Listeners}. The packages below turn wire messages into the contract of {@code
 * io.forebay.server.http}; none of them knows exchanges.
 */
@NullMarked
package io.forebay.server.listen;

import org.jspecify.annotations.NullMarked;
