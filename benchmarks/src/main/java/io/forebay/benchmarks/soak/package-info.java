/**
 * Long runs of ordinary requests in which every byte is verified. Run by hand; {@link
 * io.forebay.benchmarks.soak.RequestSoak} has the command.
 */
@NullMarked
package io.forebay.benchmarks.soak;

import org.jspecify.annotations.NullMarked;
