/**
 * HTTP/2 to origins: one connection with its streams. It knows frames and nothing of pools, retries
 * or timeouts, which the package above decides.
 *
 * <pre>
 *   origin ──► LimitedFrameReader ──► Http2Session ──► Http2Call ──► Http2CallListener
 *    bytes      floods (I5)            one connection    one stream     its call
 *                                          │
 *                                          └──► Http2SessionListener: room, drained, closed
 * </pre>
 */
@NullMarked
package io.forebay.server.origin.http2;

import org.jspecify.annotations.NullMarked;
