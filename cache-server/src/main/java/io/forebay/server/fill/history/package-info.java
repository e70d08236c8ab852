/**
 * What earlier fills taught: which keys are not worth coalescing, and which fail and back off.
 *
 * <p>Start at {@link FillHistory}. Bounded; it forgets.
 */
@NullMarked
package io.forebay.server.fill.history;

import org.jspecify.annotations.NullMarked;
