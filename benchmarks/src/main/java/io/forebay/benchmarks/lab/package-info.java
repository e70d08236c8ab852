/** Whole stores at work, in processes of their own. */
@NullMarked
package io.forebay.benchmarks.lab;

import org.jspecify.annotations.NullMarked;
