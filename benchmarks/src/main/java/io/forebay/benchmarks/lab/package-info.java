/** Whole stores at work, on real files and devices: times, and what they take of memory. */
@NullMarked
package io.forebay.benchmarks.lab;

import org.jspecify.annotations.NullMarked;
