package io.forebay.lab.host;

import org.jspecify.annotations.Nullable;

/**
 * What a step would do to the drives if it went on.
 *
 * @param driveWritesPerDay how often all drives are written full in a day
 * @param yearsLeft until the drives have written what they are rated for; null where that is not
 *     known or nothing is written
 */
public record Dwpd(double driveWritesPerDay, @Nullable Double yearsLeft) {
  private static final double DAY_SECONDS = 86_400;
  private static final double YEAR_DAYS = 365.25;

  /**
   * Of a step.
   *
   * @param writtenBytes in the step, to all drives
   * @param capacityBytes of all drives
   * @param enduranceBytes that all drives are rated for, such as 5 drive writes a day for 5 years
   *     times the capacity; 0 where that is not known
   * @param usedBytes of the endurance before the step
   */
  public static Dwpd of(
      long writtenBytes, double seconds, long capacityBytes, long enduranceBytes, long usedBytes) {
    if (!(seconds > 0) || capacityBytes <= 0) {
      throw new IllegalArgumentException("needs the length of the step and the drives' capacity");
    }
    double perDay = writtenBytes / seconds * DAY_SECONDS;
    Double years = null;
    if (enduranceBytes > 0 && perDay > 0) {
      years = Math.max(0, enduranceBytes - usedBytes) / perDay / YEAR_DAYS;
    }
    return new Dwpd(perDay / capacityBytes, years);
  }
}
