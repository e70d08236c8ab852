/** The order of a run: origin, program, warm-up, steps, counters, verdict. */
@NullMarked
package io.forebay.lab.run;

import org.jspecify.annotations.NullMarked;
