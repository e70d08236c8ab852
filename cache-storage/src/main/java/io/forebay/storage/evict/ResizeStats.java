package io.forebay.storage.evict;

import org.jspecify.annotations.Nullable;

/**
 * How far a memory tier is from its configured size.
 *
 * @param withdrawnRegions whose pages were given back to the kernel
 * @param targetRegions that are to be in use
 * @param givenBack regions given back to the kernel since the start
 * @param takenBack regions taken back from it since the start
 * @param failures of giving regions back or taking them back since the start
 * @param fixedBecause why the tier cannot change its size, for people; null if it can
 */
public record ResizeStats(
    int withdrawnRegions,
    int targetRegions,
    long givenBack,
    long takenBack,
    long failures,
    @Nullable String fixedBecause) {}
