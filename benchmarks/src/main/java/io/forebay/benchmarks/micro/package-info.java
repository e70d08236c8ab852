/**
 * JMH benchmarks of single parts of the request path, from the inside out: {@link
 * io.forebay.benchmarks.micro.KeyBenchmark}, {@link io.forebay.benchmarks.micro.PolicyBenchmark}.
 * JMH makes subclasses of benchmark and state classes, so here, unlike elsewhere, classes are open
 * and public and their fields not final.
 */
@NullMarked
package io.forebay.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
