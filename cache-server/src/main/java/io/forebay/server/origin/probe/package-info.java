/**
 * Active probes of the servers of origins: one prober a node, on a thread of its own.
 *
 * <pre>
 *   ProbeTarget ──► ProbedEndpoint ──when it is due──► Prober ──at most 32 at once──► ProbeAttempt
 *                      ▲    │                                                            │
 *                      │    └──► ProbeTally ──► ProbeStatus ──► listener                 │
 *                      └───────────────null, or why it failed───────────────────────────┘
 * </pre>
 *
 * <p>Start at {@link Prober}. Which addresses are probed is the business of {@code OriginProbes} in
 * the package above; what follows from a status, that of {@code health}. A server can make a probe
 * last until its timeout and make it read 32 KiB of head and {@code probe.text-within} of body, no
 * more.
 */
@NullMarked
package io.forebay.server.origin.probe;

import org.jspecify.annotations.NullMarked;
