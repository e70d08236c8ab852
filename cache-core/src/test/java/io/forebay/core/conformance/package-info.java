/**
 * What the RFCs ask of a shared cache, sentence by sentence: a table a chapter, each row with the
 * check that shows our answer. {@code docs/CONFORMANCE.md} is made from them. To add a row, add a
 * line to its chapter; to add a chapter, name it in {@link ConformanceTest#CHAPTERS}.
 */
@NullMarked
package io.forebay.core.conformance;

import org.jspecify.annotations.NullMarked;
