package io.forebay.core.route;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A route's settings for freshness lifetimes. Durations that are null are not set.
 *
 * @param targetedFields response fields that go before Cache-Control, lower case, the first one
 *     that is valid decides (RFC 9213 §2.2)
 * @param defaultTtl freshness of a response that says nothing of its own
 * @param ttlOverride freshness whatever the response says; {@code no-store}, {@code private} and
 *     the like still count
 * @param negativeTtl freshness of errors that say nothing of their own
 * @param heuristic whether freshness may be guessed from Last-Modified (RFC 9111 §4.2.2)
 * @param heuristicErrors errors for which it may be guessed without {@code public}
 * @param storesBadRequests whether a 400 is stored by its own explicit freshness
 * @param heuristicWithCookies whether it may be guessed for responses to requests with cookies, too
 * @param jitterPercent by how much of its lifetime a response may be made to expire early, so that
 *     what came together does not expire together
 * @param keepsSurrogateControl whether Surrogate-Control is stored with a response, for what it
 *     says of its content; it is not sent either way
 * @param boundsNotFound whether a 404 is fresh no longer than {@code negativeTtl} says, whatever it
 *     says of itself
 */
public record FreshnessSettings(
    List<String> targetedFields,
    @Nullable Duration defaultTtl,
    @Nullable Duration ttlOverride,
    NegativeTtl negativeTtl,
    boolean heuristic,
    Set<Integer> heuristicErrors,
    boolean storesBadRequests,
    boolean heuristicWithCookies,
    int jitterPercent,
    boolean keepsSurrogateControl,
    boolean boundsNotFound) {

  /** The field of the Edge Architecture Specification. */
  public static final String SURROGATE_CONTROL = "surrogate-control";

  /** Fields that target this cache only, so they are not forwarded. */
  public static final List<String> OWN_FIELDS = List.of("forebay-cache-control", SURROGATE_CONTROL);

  /** The errors that may be heuristically cacheable by their status (RFC 9110 §15.1). */
  public static final Set<Integer> HEURISTIC_ERRORS = Set.of(404, 405, 410, 414, 501);

  public static final FreshnessSettings DEFAULT =
      new FreshnessSettings(
          List.of("forebay-cache-control", "cdn-cache-control", "surrogate-control"),
          null,
          null,
          NegativeTtl.NONE,
          true,
          Set.of(404, 410, 501),
          false,
          false,
          0,
          false,
          false);

  public FreshnessSettings {
    targetedFields = List.copyOf(targetedFields);
    heuristicErrors = Set.copyOf(heuristicErrors);
    if (!HEURISTIC_ERRORS.containsAll(heuristicErrors)) {
      throw new IllegalArgumentException("not heuristically cacheable: " + heuristicErrors);
    }
    RouteSettings.requireNotNegative(defaultTtl, "defaultTtl");
    RouteSettings.requireNotNegative(ttlOverride, "ttlOverride");
    RouteSettings.requirePercent(jitterPercent, "jitterPercent");
  }

  /** Whether a response field ends here, because it was meant for this cache. */
  public boolean consumes(String lowerCaseName) {
    return OWN_FIELDS.contains(lowerCaseName) && targetedFields.contains(lowerCaseName);
  }

  /** Whether a response is stored without a field of that name that it has. */
  public boolean omits(String lowerCaseName) {
    boolean isKept = keepsSurrogateControl && lowerCaseName.equals(SURROGATE_CONTROL);
    return consumes(lowerCaseName) && !isKept;
  }
}
