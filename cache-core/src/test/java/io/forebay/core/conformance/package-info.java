/**
 * The requirements of the RFCs for a shared cache, as one table per chapter. Each row has the check
 * that shows Forebay's behaviour. {@code docs/CONFORMANCE.md} is generated from the tables. To add
 * a row, add it to its chapter; to add a chapter, list it in {@link ConformanceTest#CHAPTERS}.
 */
@NullMarked
package io.forebay.core.conformance;

import org.jspecify.annotations.NullMarked;
