/**
 * The lab: repeats published tests of edge caches on the machine at hand and prints their tables.
 *
 * <pre>
 *   scenarios/*.yaml ──► scenario ──► run ──► result (results.json) ──► report, compare
 *                                      │
 *        ┌─────────────┬───────────────┼────────────────┐
 *        ▼             ▼               ▼                ▼
 *     origin        target           load             host
 *     any URL,      forebay or       open loop        cores, bytes, reclaim,
 *     from a seed   a peer           (own client),    disks, watts
 *                                    wrk, h2load
 * </pre>
 *
 * <p>Start at {@link io.forebay.lab.command} for the commands and at {@code run} for the order of a
 * run. Nothing of the edge depends on this module, and it uses the edge only as a program.
 */
@NullMarked
package io.forebay.lab;

import org.jspecify.annotations.NullMarked;
