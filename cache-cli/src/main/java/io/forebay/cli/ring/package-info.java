/**
 * {@code forebay log}, {@code hist} and {@code top}: the requests of a node from its request rings,
 * while it runs and after it is gone. The node does nothing for them.
 *
 * <pre>
 *  RingOptions ─▶ RingSource ─▶ RecordQuery ─┬▶ LogCommand    a line, JSON or HAR for each
 *  which files    all loops,    which ones   ├▶ HistCommand   times and sizes, by cache result
 *                 by end time                └▶ TopCommand    the most frequent, by SpaceSaving
 * </pre>
 */
@NullMarked
package io.forebay.cli.ring;

import org.jspecify.annotations.NullMarked;
