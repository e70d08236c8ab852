/**
 * JMH benchmarks of single parts of the request path, in its order: {@link
 * io.forebay.benchmarks.micro.KeyBenchmark}, {@link io.forebay.benchmarks.micro.IndexBenchmark},
 * {@link io.forebay.benchmarks.micro.LookupBenchmark}, {@link
 * io.forebay.benchmarks.micro.LeaseBenchmark}, {@link io.forebay.benchmarks.micro.PolicyBenchmark},
 * {@link io.forebay.benchmarks.micro.AppendBenchmark}; and of the whole of it, {@link
 * io.forebay.benchmarks.micro.HotPathBenchmark}. What else a node does: {@link
 * io.forebay.benchmarks.micro.ThreadedHitBenchmark}, {@link
 * io.forebay.benchmarks.micro.TlsRecordBenchmark}, {@link
 * io.forebay.benchmarks.micro.Http2HitBenchmark}, {@link
 * io.forebay.benchmarks.micro.CodedHitBenchmark}, {@link
 * io.forebay.benchmarks.micro.DiskSliceBenchmark}, {@link
 * io.forebay.benchmarks.micro.DiskLoadBenchmark}, {@link
 * io.forebay.benchmarks.micro.FillBenchmark}, {@link
 * io.forebay.benchmarks.micro.RevalidationBenchmark}, {@link
 * io.forebay.benchmarks.micro.RuleBenchmark}. {@code BenchmarksRunTest} runs each of these once.
 * JMH makes subclasses of benchmark and state classes, so here, unlike elsewhere, classes are open
 * and public and their fields not final.
 */
@NullMarked
package io.forebay.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
