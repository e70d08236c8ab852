/**
 * The history of fills: keys whose responses are not shared, and keys in backoff after failures.
 *
 * <p>Start at {@link FillHistory}. Bounded; it forgets.
 */
@NullMarked
package io.forebay.server.fill.history;

import org.jspecify.annotations.NullMarked;
