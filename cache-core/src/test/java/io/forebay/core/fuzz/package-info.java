/** Fuzzing of every parser of external input. */
@NullMarked
package io.forebay.core.fuzz;

import org.jspecify.annotations.NullMarked;
