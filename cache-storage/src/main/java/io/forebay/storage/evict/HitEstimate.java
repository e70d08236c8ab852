package io.forebay.storage.evict;

/**
 * What share of requests for objects, and of their bytes, a tier of some size would have answered
 * lately.
 *
 * @param scale size over that of the tier there is
 */
public record HitEstimate(double scale, double objectHitRatio, double byteHitRatio) {}
