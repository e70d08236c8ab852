/**
 * The contract between listeners and exchanges: neither knows the other.
 *
 * <pre>
 *   listen ── request view, RequestBody, ResponseSink ──▶ RequestHandler (exchange)
 *   listen ◀── head, body chunks, AbortCause ─────────── ResponseSink
 * </pre>
 *
 * <p>Start at {@link RequestHandler}.
 */
@NullMarked
package io.forebay.server.http;

import org.jspecify.annotations.NullMarked;
