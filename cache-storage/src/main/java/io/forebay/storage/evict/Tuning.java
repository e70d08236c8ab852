package io.forebay.storage.evict;

/**
 * The configured eviction settings, or that they are tuned at run time.
 *
 * @param protectedShare of the space, for records proven useful; negative: tuned
 * @param touchThreshold touches with which a record survives probation, 1 or 2; 0: tuned
 * @param smallClass {@link SegmentPolicy#sizeClass} up to which objects are favoured; 0: none;
 *     negative: tuned
 */
public record Tuning(double protectedShare, int touchThreshold, int smallClass) {
  public static final Tuning AUTO = new Tuning(-1, 0, -1);

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

  public boolean isSmallTuned() {
    return smallClass < 0;
  }

  /** Bodies up to this length are favoured: a power of two, or 0 for none. */
  public static int smallClass(long bytes) {
    return bytes == 0 ? 0 : SegmentPolicy.sizeClass(bytes);
  }

  /**
   * Where it begins.
   *
   * @param sliceBytes only objects of less are favoured: of a slice, no more is known of the size
   */
  public SegmentPolicy.Setting initial(int sliceBytes) {
    SegmentPolicy.Setting standard = SegmentPolicy.Setting.INITIAL;
    return new SegmentPolicy.Setting(
        isShareTuned() ? standard.protectedShare() : protectedShare,
        isThresholdTuned() ? standard.threshold() : touchThreshold,
        isSmallTuned()
            ? standard.smallClass()
            : Math.min(smallClass, SegmentPolicy.sizeClass(sliceBytes) - 1));
  }
}
