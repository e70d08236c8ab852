/**
 * What a run leaves behind: one format for all scenarios and programs, written as {@code
 * results.json}. Start at {@link io.forebay.lab.result.RunResult}.
 *
 * <pre>
 *   RunResult ── Facts                       machine and versions
 *      └─ StepResult (one a step and repetition)
 *           ├─ LoadTotals    what clients got       ── Latency of first and last byte
 *           ├─ ServerTotals  what the server spent
 *           ├─ Sample …      one a second
 *           └─ voids         why the figures do not count
 * </pre>
 */
@NullMarked
package io.forebay.lab.result;

import org.jspecify.annotations.NullMarked;
