/**
 * Counters that one event loop writes and metrics read.
 *
 * <p>Start at {@link LoopCounters}. Plain fields; a reader may see a value that is a moment old.
 */
@NullMarked
package io.forebay.server.counters;

import org.jspecify.annotations.NullMarked;
