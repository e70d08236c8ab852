/**
 * Early hints (RFC 8297): what a 103 says to a client that waits for the origin while a stale
 * response is stored. Pure functions; start at {@link EarlyHints}.
 *
 * <pre>
 *   request ──► EarlyHintPolicy: may this client get hints? ─┐
 *   fields of the stored response ──► EarlyHints ───────┴─► fields of the 103
 *                                       └ LinkField: preload, modulepreload, preconnect
 * </pre>
 */
@NullMarked
package io.forebay.server.hint;

import org.jspecify.annotations.NullMarked;
