/**
 * Whether two runs differ by more than their noise. Start at {@link
 * io.forebay.lab.compare.Comparison}.
 *
 * <pre>
 *   results A, results B ──► StepPair (scenario, program, step) ──► values of each figure
 *                                                                     │
 *                   TrimmedMean, WelchTest: p-value               ◄───┤
 *                   Bootstrap: interval of the ratio              ◄───┘
 *                        │
 *                        ▼
 *                   FalseDiscovery (Benjamini-Hochberg over all figures) ──► Verdict
 * </pre>
 */
@NullMarked
package io.forebay.lab.compare;

import org.jspecify.annotations.NullMarked;
