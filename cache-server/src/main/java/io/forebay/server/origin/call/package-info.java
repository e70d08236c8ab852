/**
 * The contract between who needs something from an origin and the client that gets it.
 *
 * <pre>
 *   caller ── {@link OriginRequest} ──► {@link OriginClient} ── {@link OriginCall} ──► caller may cancel
 *      ▲                                      │
 *      └──────── {@link OriginListener} ◄─────┘  head, body, end, or one {@link OriginFailure}
 * </pre>
 *
 * <p>{@link ForwardedCall} is the base of calls that make several attempts.
 */
@NullMarked
package io.forebay.server.origin.call;

import org.jspecify.annotations.NullMarked;
