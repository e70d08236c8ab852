/** Hit ratios: request traces replayed through the store's own eviction code and through others. */
@NullMarked
package io.forebay.benchmarks.trace;

import org.jspecify.annotations.NullMarked;
