/**
 * A dry run of the rules: what would happen to a request now, and why. It changes nothing.
 *
 * <p>Start at {@link RequestExplainer}; {@link Explanation} is the answer.
 */
@NullMarked
package io.forebay.server.explain;

import org.jspecify.annotations.NullMarked;
