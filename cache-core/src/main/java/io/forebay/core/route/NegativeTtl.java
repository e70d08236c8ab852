package io.forebay.core.route;

import io.forebay.core.http.StatusCode;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Freshness lifetimes, by status, for errors without an explicit one.
 *
 * @param times by status; 4 and 5 stand for all of 4xx and of 5xx that are not named themselves and
 *     do not {@linkplain StatusCode#isOfOneClient depend on the client}
 */
public record NegativeTtl(Map<Integer, Duration> times) {

  /** Errors are stored by their own word only. */
  public static final NegativeTtl NONE = new NegativeTtl(Map.of());

  /**
   * @throws IllegalArgumentException when a status is no error, or one that says nothing of its URL
   */
  public NegativeTtl {
    times = new TreeMap<>(times);
    times.forEach((status, time) -> {
      boolean isClass = status == 4 || status == 5;
      if (!isClass && (status < 400 || status > 599)) {
        throw new IllegalArgumentException(status + " is not an error status");
      }
      if (!isClass && !StatusCode.isStorable(status)) {
        throw new IllegalArgumentException(
            status + " does not depend on the URL and is never stored");
      }
      if (time.isNegative()) {
        throw new IllegalArgumentException("negative time for status " + status);
      }
    });
  }

  /** The time of a status, or null. */
  public @Nullable Duration of(int status) {
    Duration own = times.get(status);
    return own != null || StatusCode.isOfOneClient(status) ? own : times.get(status / 100);
  }
}
