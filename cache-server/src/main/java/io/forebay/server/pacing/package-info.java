/**
 * Pacing: the rate at which responses are sent, where a route or a rule says so.
 *
 * <pre>
 *   Pacing ─── of a route or a rule: rate, initial burst
 *     ▼
 *   ResponsePace ─── one response: in its burst, or paced
 *     ├─► SocketPace ── TCP: the kernel sends at the highest rate of a response that is being sent
 *     └─► PaceBucket ── QUIC: streams wait for credit before they write
 * </pre>
 *
 * <p>Start at {@link ResponsePace}. A connection without a paced response has none of these
 * objects.
 */
@NullMarked
package io.forebay.server.pacing;

import org.jspecify.annotations.NullMarked;
