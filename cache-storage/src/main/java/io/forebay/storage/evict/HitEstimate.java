package io.forebay.storage.evict;

/**
 * The estimated hit ratio, by requests and by bytes, that a tier of some size would recently have
 * had.
 *
 * @param scale size over that of the tier there is
 */
public record HitEstimate(double scale, double objectHitRatio, double byteHitRatio) {}
