/**
 * Event loops: transport, pinning to CPUs, deadlines, and overload detection.
 *
 * <p>Start at {@link Transport}; {@link Loop} is one of its loops.
 */
@NullMarked
package io.forebay.server.loop;

import org.jspecify.annotations.NullMarked;
