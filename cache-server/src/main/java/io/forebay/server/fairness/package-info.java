/**
 * Package fairness: limits on the share of one client network in resources that all clients use.
 * Start at {@code ClientLimiter}.
 *
 * <pre>
 *   a request that is no hit ──► whose is it? (ClientNetwork) ──► a place is taken (ClientLimiter)
 *                                 address, after the PROXY          waits, fetches, tunnels:
 *                                 protocol and trusted fields       returned at the end
 * </pre>
 */
@NullMarked
package io.forebay.server.fairness;

import org.jspecify.annotations.NullMarked;
