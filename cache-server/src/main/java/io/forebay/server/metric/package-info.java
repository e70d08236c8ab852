/**
 * Metrics: names, descriptions and values from the counters and the store.
 *
 * <p>Start at {@link NodeMetrics}.
 */
@NullMarked
package io.forebay.server.metric;

import org.jspecify.annotations.NullMarked;
