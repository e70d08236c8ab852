package io.forebay.core.policy;

/**
 * Calculates the age of a stored response (RFC 9111 §4.2.3):
 *
 * <pre>
 *   apparent_age          = max(0, response_time - date_value)
 *   corrected_age_value   = age_value + (response_time - request_time)
 *   corrected_initial_age = max(apparent_age, corrected_age_value)
 *   current_age           = corrected_initial_age + (now - response_time)
 * </pre>
 *
 * Date has whole seconds only, so the apparent age is taken in whole seconds; otherwise a response
 * could lose most of a {@code max-age=1} to rounding.
 */
public final class Age {

  /** Seconds that an Age field shows at most (RFC 9111 §1.2.2). */
  public static final long MAX_SECONDS = 1L << 31;

  private Age() {}

  /** Age in milliseconds; never negative, whatever the clocks say. */
  public static long currentAgeMillis(StoredMeta meta, long nowMillis) {
    return currentAgeMillis(
        meta.requestTimeMillis(),
        meta.responseTimeMillis(),
        meta.dateMillis(),
        meta.ageValueSeconds(),
        nowMillis);
  }

  static long currentAgeMillis(
      long requestTimeMillis,
      long responseTimeMillis,
      long dateMillis,
      long ageValueSeconds,
      long nowMillis) {
    long apparentAge = apparentMillis(responseTimeMillis, dateMillis);
    long correctedAge = ageValueSeconds * 1000 + delayMillis(requestTimeMillis, responseTimeMillis);
    return Math.max(apparentAge, correctedAge) + residentMillis(responseTimeMillis, nowMillis);
  }

  // The parts, as they are shown to people.

  /** apparent_age. */
  public static long apparentMillis(StoredMeta meta) {
    return apparentMillis(meta.responseTimeMillis(), meta.dateMillis());
  }

  /** response_time - request_time. */
  public static long delayMillis(StoredMeta meta) {
    return delayMillis(meta.requestTimeMillis(), meta.responseTimeMillis());
  }

  /** now - response_time. */
  public static long residentMillis(StoredMeta meta, long nowMillis) {
    return residentMillis(meta.responseTimeMillis(), nowMillis);
  }

  private static long apparentMillis(long responseTimeMillis, long dateMillis) {
    long responseSecond = responseTimeMillis - Math.floorMod(responseTimeMillis, 1000L);
    return Math.max(0, responseSecond - dateMillis);
  }

  private static long delayMillis(long requestTimeMillis, long responseTimeMillis) {
    return Math.max(0, responseTimeMillis - requestTimeMillis);
  }

  private static long residentMillis(long responseTimeMillis, long nowMillis) {
    return Math.max(0, nowMillis - responseTimeMillis);
  }

  /** The value of the Age field. */
  public static long currentAgeSeconds(StoredMeta meta, long nowMillis) {
    return seconds(currentAgeMillis(meta, nowMillis));
  }

  /** The value of the Age field for such an age. */
  public static long seconds(long ageMillis) {
    return Math.min(MAX_SECONDS, ageMillis / 1000);
  }

  /** Whether the clock reads earlier than when the response came: its age is then unknown. */
  public static boolean isClockBehind(StoredMeta meta, long nowMillis) {
    return nowMillis < meta.responseTimeMillis();
  }

  /** Seconds for which it stays fresh; negative when it is stale (RFC 9211 §2.4). */
  public static long timeToLiveSeconds(StoredMeta meta, long nowMillis) {
    return timeToLiveSeconds(meta.freshnessLifetimeMillis(), currentAgeMillis(meta, nowMillis));
  }

  /** The same from a lifetime and an age. */
  public static long timeToLiveSeconds(long lifetimeMillis, long ageMillis) {
    return Math.floorDiv(lifetimeMillis - ageMillis, 1000L);
  }
}
