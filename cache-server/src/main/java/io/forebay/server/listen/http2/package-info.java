/**
 * HTTP/2: Netty's codec with limits, streams by urgency (RFC 9218), and shutdown by GOAWAY.
 *
 * <pre>
 *   frames ─▶ FrameFloodLimiter ─▶ Http2Codec ─▶ Http2Connection ─▶ Http2RequestStream ─▶ RequestHandler
 * </pre>
 *
 * <p>Start at {@link Http2Connection}, one for each connection, confined to its loop.
 */
@NullMarked
package io.forebay.server.listen.http2;

import org.jspecify.annotations.NullMarked;
