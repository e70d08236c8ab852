/**
 * Second requests for responses that are late: when a server has not answered within the time in
 * which 95 % of the latest requests were, the request goes to another server too, and the first
 * answer counts.
 *
 * <pre>
 *   server A  ──request──────────────────────────────✕ cancelled
 *   server B             ──the same──► head, body ──► listener
 *             |◄ p95 ──►|
 * </pre>
 *
 * <p>Start at {@link HedgingOriginClient}. Only requests that are safe to send twice are hedged,
 * and no more of them than the retry budget allows.
 */
@NullMarked
package io.forebay.server.origin.hedge;

import org.jspecify.annotations.NullMarked;
