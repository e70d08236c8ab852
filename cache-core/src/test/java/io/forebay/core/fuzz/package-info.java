/** Arbitrary bytes against every parser of what comes from outside. */
@NullMarked
package io.forebay.core.fuzz;

import org.jspecify.annotations.NullMarked;
