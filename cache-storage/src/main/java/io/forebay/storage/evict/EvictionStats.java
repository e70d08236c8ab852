package io.forebay.storage.evict;

import java.util.List;

/**
 * The current eviction settings, and the figures of the shadow models.
 *
 * @param smallObjectBytes bodies up to this length are favoured; 0: none are
 * @param settingChanges how often tuning has changed the setting
 * @param sampleRate share of all objects that the shadow looks at
 * @param sampledRequests that it has seen
 * @param lostSamples that came faster than it could look at them
 * @param curve from the smallest size to the largest; empty before anything is known
 */
public record EvictionStats(
    double protectedShare,
    int touchThreshold,
    long smallObjectBytes,
    long settingChanges,
    double sampleRate,
    long sampledRequests,
    long lostSamples,
    List<HitEstimate> curve) {

  /** Sizes of the curve over that of the tier there is, from the smallest to the largest. */
  public static final List<Double> CURVE_SCALES = List.of(0.5, 1.0, 2.0, 4.0);
}
