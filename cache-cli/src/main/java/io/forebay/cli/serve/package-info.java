/**
 * {@code forebay serve}: starts the node, waits for signals, stops it.
 *
 * <p>Start at {@link ServeCommand}.
 */
@NullMarked
package io.forebay.cli.serve;

import org.jspecify.annotations.NullMarked;
