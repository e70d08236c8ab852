/** Measurements on real files and devices, and of what something takes of memory. */
@NullMarked
package io.forebay.benchmarks.lab;

import org.jspecify.annotations.NullMarked;
