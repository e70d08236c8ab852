/**
 * The order of a run. {@link io.forebay.lab.run.ScenarioRun} is the way in.
 *
 * <pre>
 *   ScenarioRun   for each repetition, program and step:
 *     │  StepPolicy   which step comes next: the one of the file, or what a search asks for
 *     │  StoreSizing  the size of the store that gives the wanted hit ratio
 *     ├─ TestBed        origin and program started, every object fetched once; closing stops all
 *     └─ StepRunner   load, a sample a second, counters before and after
 *          └─ VoidReasons why the figures do not count
 *   Instruments       everything that is started, measured or waited for; tests pass fakes
 * </pre>
 *
 * <p>Steps that follow each other with the same set-up share a bed. Whatever way a run ends, all
 * that it started is stopped and its directories are removed.
 */
@NullMarked
package io.forebay.lab.run;

import org.jspecify.annotations.NullMarked;
