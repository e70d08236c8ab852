/** Measurements on real files and devices. */
@NullMarked
package io.forebay.benchmarks.lab;

import org.jspecify.annotations.NullMarked;
