/**
 * Event loops: transport, pinning to CPUs, deadlines, and overload detection.
 *
 * <pre>
 *   NumaTopology ──► CpuPlan ──► a CPU for each loop ──► Transport
 *         └────────────► CellPlan ──► which loops share a part of the memory tier
 * </pre>
 *
 * <p>Start at {@link Transport}; {@link Loop} is one of its loops.
 */
@NullMarked
package io.forebay.server.loop;

import org.jspecify.annotations.NullMarked;
