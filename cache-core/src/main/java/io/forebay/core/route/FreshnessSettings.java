package io.forebay.core.route;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How long responses are fresh. Durations that are null are not set.
 *
 * @param targetedFields response fields that go before Cache-Control, lower case, the first one
 *     that is valid decides (RFC 9213 §2.2)
 * @param defaultTtl freshness of a response that says nothing of its own
 * @param ttlOverride freshness whatever the response says; {@code no-store}, {@code private} and
 *     the like still count
 * @param negativeTtl freshness of errors that say nothing of their own
 * @param heuristic whether freshness may be guessed from Last-Modified (RFC 9111 §4.2.2)
 * @param heuristicWithCookies whether it may be guessed for responses to requests with cookies, too
 * @param jitterPercent by how much of its lifetime a response may be made to expire early, so that
 *     what came together does not expire together
 */
public record FreshnessSettings(
    List<String> targetedFields,
    @Nullable Duration defaultTtl,
    @Nullable Duration ttlOverride,
    NegativeTtl negativeTtl,
    boolean heuristic,
    boolean heuristicWithCookies,
    int jitterPercent) {

  /** Fields that are meant for this cache alone, so that nobody behind it gets to see them. */
  public static final List<String> OWN_FIELDS =
      List.of("forebay-cache-control", "surrogate-control");

  public static final FreshnessSettings DEFAULT =
      new FreshnessSettings(
          List.of("forebay-cache-control", "cdn-cache-control", "surrogate-control"),
          null,
          null,
          NegativeTtl.NONE,
          true,
          false,
          0);

  public FreshnessSettings {
    targetedFields = List.copyOf(targetedFields);
    RouteSettings.requireNotNegative(defaultTtl, "defaultTtl");
    RouteSettings.requireNotNegative(ttlOverride, "ttlOverride");
    RouteSettings.requirePercent(jitterPercent, "jitterPercent");
  }

  /** Whether a response field ends here, because it was meant for this cache. */
  public boolean consumes(String lowerCaseName) {
    return OWN_FIELDS.contains(lowerCaseName) && targetedFields.contains(lowerCaseName);
  }
}
