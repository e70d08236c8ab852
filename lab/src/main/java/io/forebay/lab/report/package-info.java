/**
 * What a reader gets of results: one HTML page, Markdown, plots, and a table on the terminal. Start
 * at {@link io.forebay.lab.report.Report}.
 *
 * <pre>
 *   RunResult … ──► MeasuredStep   repetitions of a step, those that count apart from those that do not
 *                       │
 *                       ├──► TerminalTable            what "lab run" prints
 *   Published ──────────┤
 *   (published.yaml)    ▼
 *                    Layout          one for each published test: its tables and plots
 *                    ResourceTable   CPU, memory, disks and power, the same for all
 *                       │
 *                    Section, ReportBlock ──┬──► HtmlWriter ──► index.html
 *                       │                   └──► MarkdownWriter ──► report.md
 *                       ▼
 *                    Chart ──► PlotSvg (Lets-Plot) ──► ChromiumScreenshots ──► plots/*.png
 * </pre>
 *
 * <p>Dials of steps that the tables read:
 *
 * <ul>
 *   <li>{@code connections}: Xeon 6, KPIs
 *   <li>{@code channels}: the AT&amp;T scenarios, and KPI 5
 *   <li>{@code cores} and {@code objects}: one-byte
 *   <li>{@code objectBytes}: flash-sizes; without it the mean body
 * </ul>
 *
 * and of facts {@code cpu} and {@code cores} or {@code cpus}. The response time of 4 MB objects is
 * that of object classes whose name holds {@code 4096}, {@code 4m} or {@code 4M}.
 */
@NullMarked
package io.forebay.lab.report;

import org.jspecify.annotations.NullMarked;
