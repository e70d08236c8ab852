/**
 * HTTP/1.1: decoding requests, framing responses, and the fast lane for plain hits.
 *
 * <pre>
 *   bytes ─▶ FastLane ─ plain and a hit in memory ─▶ response bytes
 *              │ anything else
 *              ▼
 *         RequestDecoder ─▶ Http1Connection ─▶ RequestHandler
 *                                ▲                  │
 *                                └── Http1Sink ◀────┘
 * </pre>
 *
 * <p>Start at {@link Http1Connection}, one for each connection, confined to its loop.
 */
@NullMarked
package io.forebay.server.listen.http1;

import org.jspecify.annotations.NullMarked;
