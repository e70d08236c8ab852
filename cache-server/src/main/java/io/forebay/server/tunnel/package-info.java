/**
 * Package tunnel: relays bytes between a client and an origin after a change of protocol. An end is
 * a connection of its own, or, of a client over HTTP/2 or HTTP/3, a stream.
 *
 * <pre>
 *   client: SocketTunnelEnd, or a stream ──► Tunnel ──► SocketTunnelEnd: origin
 *                                        ◄──        ◄──
 * </pre>
 */
@NullMarked
package io.forebay.server.tunnel;

import org.jspecify.annotations.NullMarked;
