/**
 * Rate limits: token buckets, and counts of what is in progress, in tables of fixed size. Start at
 * {@link RateLimiter}.
 *
 * <pre>
 *   request ──► RateKey: keyed hash of limit and client, field, host or route
 *                  │
 *                  ▼
 *   RateLimit ──► RateTable: buckets of requests (taken) and of bytes (charged afterwards)
 *            └──► InFlightTable: counts
 *                  │
 *                  ▼
 *               admitted ──► Usage: charged for bytes as they are sent, given back at the end
 *               or nanoseconds to wait
 * </pre>
 */
@NullMarked
package io.forebay.server.protect.rate;

import org.jspecify.annotations.NullMarked;
