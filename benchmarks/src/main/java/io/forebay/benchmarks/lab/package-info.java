/** Measurements that are no times: what something takes of memory. */
@NullMarked
package io.forebay.benchmarks.lab;

import org.jspecify.annotations.NullMarked;
