/**
 * Event loops: transport, pinning to CPUs, deadlines, and whether a loop keeps up.
 *
 * <p>Start at {@link Transport}; {@link Loop} is one of its loops.
 */
@NullMarked
package io.forebay.server.loop;

import org.jspecify.annotations.NullMarked;
