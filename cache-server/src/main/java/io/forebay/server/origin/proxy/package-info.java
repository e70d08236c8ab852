/**
 * Connections through an HTTP proxy.
 *
 * <pre>
 *   OriginConnector ──► TCP to the proxy ──► ConnectTunnel ──► TLS, HTTP/1.1
 *                                             CONNECT host:port
 *                                             2xx: goes away │ other: the connection fails
 * </pre>
 */
@NullMarked
package io.forebay.server.origin.proxy;

import org.jspecify.annotations.NullMarked;
