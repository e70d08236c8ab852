/**
 * Rate limits: token buckets in one table of fixed size. Start at {@link RateTable}.
 *
 * <pre>
 *   request ──► RateKey: keyed hash of limit and client, field, host or route
 *                  │
 *                  ▼
 *   RateLimit ──► RateTable.take: admitted, or nanoseconds to wait
 * </pre>
 */
@NullMarked
package io.forebay.server.protect.rate;

import org.jspecify.annotations.NullMarked;
