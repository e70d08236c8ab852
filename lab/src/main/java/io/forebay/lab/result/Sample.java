package io.forebay.lab.result;

import org.jspecify.annotations.Nullable;

/**
 * One second of a step.
 *
 * @param second from the beginning of the step, warm-up included
 * @param bodyBytes that clients got in it
 * @param cores of the server
 * @param watts of the machine, or null without a meter
 */
public record Sample(
    int second,
    long requests,
    long bodyBytes,
    long errors,
    double lastByteP99Millis,
    double cores,
    long wireBytes,
    @Nullable Double watts) {}
