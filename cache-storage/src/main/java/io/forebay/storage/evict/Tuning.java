package io.forebay.storage.evict;

/**
 * The configured eviction settings, or that they are tuned at run time.
 *
 * @param protectedShare of the space, for records proven useful; negative: tuned
 * @param touchThreshold touches with which a record survives probation, 1 or 2; 0: tuned
 */
public record Tuning(double protectedShare, int touchThreshold) {
  public static final Tuning AUTO = new Tuning(-1, 0);

  /** Whether it makes sense. */
  public boolean isValid() {
    return protectedShare <= 0.95 && touchThreshold >= 0 && touchThreshold <= 2;
  }

  public boolean isShareTuned() {
    return protectedShare < 0;
  }

  public boolean isThresholdTuned() {
    return touchThreshold == 0;
  }

  /** Where it begins. */
  public SegmentPolicy.Setting initial() {
    SegmentPolicy.Setting standard = SegmentPolicy.Setting.INITIAL;
    return new SegmentPolicy.Setting(
        isShareTuned() ? standard.protectedShare() : protectedShare,
        isThresholdTuned() ? standard.threshold() : touchThreshold);
  }
}
