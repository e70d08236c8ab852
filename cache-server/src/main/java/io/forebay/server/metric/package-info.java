/**
 * Metrics: names, help and values of what the counters and the store tell.
 *
 * <p>Start at {@link NodeMetrics}.
 */
@NullMarked
package io.forebay.server.metric;

import org.jspecify.annotations.NullMarked;
