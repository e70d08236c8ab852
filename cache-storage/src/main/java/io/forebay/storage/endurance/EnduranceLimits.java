package io.forebay.storage.endurance;

/**
 * How much may be written to a device.
 *
 * @param bytesPerDay bound of what is written a day, 0: none
 * @param ratedBytes what its maker says can be written to it in its life, 0: not known
 */
public record EnduranceLimits(long bytesPerDay, long ratedBytes) {
  public static final EnduranceLimits NONE = new EnduranceLimits(0, 0);
}
