package io.forebay.core.route;

import io.forebay.core.key.NamePatterns;
import io.forebay.core.route.CookieSettings.SetCookie;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A route's settings for requests and responses, grouped by concern.
 *
 * @param clientDirectives what Cache-Control and Pragma of a request may do
 * @param passthrough nothing is stored or looked up
 * @param clientInvalidation whether unsafe requests of clients invalidate what is stored
 * @param storesPost whether responses to POST are stored that say they are what a GET would get
 * @param storageClass name of the storage class of responses
 * @param media whether the route is for streamed media
 * @param responseRules what rules say of the storing of single responses, or null
 */
public record RouteSettings(
    ClientDirectives clientDirectives,
    boolean passthrough,
    boolean clientInvalidation,
    boolean storesPost,
    String storageClass,
    FreshnessSettings freshness,
    StaleSettings stale,
    CookieSettings cookies,
    MediaSettings media,
    @Nullable ResponseRules responseRules) {

  /** The storage class of responses for which a route names none. */
  public static final String DEFAULT_CLASS = "default";

  /** Obeys the origin, ignores the client, stores no cookies. */
  public static final RouteSettings DEFAULT =
      new RouteSettings(
          ClientDirectives.IGNORE,
          false,
          true,
          true,
          DEFAULT_CLASS,
          FreshnessSettings.DEFAULT,
          StaleSettings.DEFAULT,
          CookieSettings.DEFAULT,
          MediaSettings.NONE,
          null);

  /** What Cache-Control and Pragma of a request may do. */
  public enum ClientDirectives {
    /** Nothing: clients do not get to make the origin work. */
    IGNORE,
    /** What RFC 9111 §5.2.1 says. */
    HONOUR
  }

  /** The defaults, to be changed. */
  public static Builder builder() {
    return new Builder(DEFAULT);
  }

  /** These settings, to be changed. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  static void requireNotNegative(@Nullable Duration duration, String name) {
    if (duration != null && duration.isNegative()) {
      throw new IllegalArgumentException(name + " is negative: " + duration);
    }
  }

  static void requirePercent(int percent, String name) {
    if (percent < 0 || percent > 100) {
      throw new IllegalArgumentException(name + " is not 0 to 100: " + percent);
    }
  }

  /** Collects settings one by one, whichever record they belong to. Not thread-safe. */
  public static final class Builder {
    private ClientDirectives clientDirectives;
    private boolean passthrough;
    private boolean clientInvalidation;
    private boolean storesPost;
    private String storageClass;
    private List<String> targetedFields;
    private @Nullable Duration defaultTtl;
    private @Nullable Duration ttlOverride;
    private NegativeTtl negativeTtl;
    private boolean heuristic;
    private boolean heuristicWithCookies;
    private Set<Integer> heuristicErrors;
    private boolean storesBadRequests;
    private int jitterPercent;
    private boolean keepsSurrogateControl;
    private Duration whileRevalidate;
    private Duration ifError;
    private @Nullable Duration keep;
    private int earlyRefreshPercent;
    private SetCookie setCookie;
    private CookieFilter requestCookies;
    private CookieFilter responseCookies;
    private NamePatterns passCookies;
    private boolean boundsNotFound;
    private MediaSettings media;
    private @Nullable ResponseRules responseRules;

    private Builder(RouteSettings from) {
      clientDirectives = from.clientDirectives;
      passthrough = from.passthrough;
      clientInvalidation = from.clientInvalidation;
      storesPost = from.storesPost;
      storageClass = from.storageClass;
      targetedFields = from.freshness.targetedFields();
      defaultTtl = from.freshness.defaultTtl();
      ttlOverride = from.freshness.ttlOverride();
      negativeTtl = from.freshness.negativeTtl();
      heuristic = from.freshness.heuristic();
      heuristicErrors = from.freshness.heuristicErrors();
      storesBadRequests = from.freshness.storesBadRequests();
      heuristicWithCookies = from.freshness.heuristicWithCookies();
      jitterPercent = from.freshness.jitterPercent();
      keepsSurrogateControl = from.freshness.keepsSurrogateControl();
      whileRevalidate = from.stale.whileRevalidate();
      ifError = from.stale.ifError();
      keep = from.stale.keep();
      earlyRefreshPercent = from.stale.earlyRefreshPercent();
      setCookie = from.cookies.setCookie();
      requestCookies = from.cookies.request();
      responseCookies = from.cookies.response();
      passCookies = from.cookies.passing();
      boundsNotFound = from.freshness.boundsNotFound();
      media = from.media;
      responseRules = from.responseRules;
    }

    public Builder clientDirectives(ClientDirectives value) {
      clientDirectives = value;
      return this;
    }

    public Builder passthrough(boolean value) {
      passthrough = value;
      return this;
    }

    public Builder clientInvalidation(boolean value) {
      clientInvalidation = value;
      return this;
    }

    public Builder storesPost(boolean value) {
      storesPost = value;
      return this;
    }

    public Builder storageClass(String value) {
      storageClass = value;
      return this;
    }

    public Builder targetedFields(List<String> value) {
      targetedFields = value;
      return this;
    }

    public Builder defaultTtl(@Nullable Duration value) {
      defaultTtl = value;
      return this;
    }

    public Builder ttlOverride(@Nullable Duration value) {
      ttlOverride = value;
      return this;
    }

    public Builder negativeTtl(NegativeTtl value) {
      negativeTtl = value;
      return this;
    }

    public Builder heuristic(boolean value) {
      heuristic = value;
      return this;
    }

    public Builder heuristicErrors(Set<Integer> value) {
      heuristicErrors = value;
      return this;
    }

    public Builder storesBadRequests(boolean value) {
      storesBadRequests = value;
      return this;
    }

    public Builder heuristicWithCookies(boolean value) {
      heuristicWithCookies = value;
      return this;
    }

    public Builder jitterPercent(int value) {
      jitterPercent = value;
      return this;
    }

    public Builder keepsSurrogateControl(boolean value) {
      keepsSurrogateControl = value;
      return this;
    }

    public Builder staleWhileRevalidate(Duration value) {
      whileRevalidate = value;
      return this;
    }

    public Builder staleIfError(Duration value) {
      ifError = value;
      return this;
    }

    public Builder keep(@Nullable Duration value) {
      keep = value;
      return this;
    }

    public Builder earlyRefreshPercent(int value) {
      earlyRefreshPercent = value;
      return this;
    }

    public Builder setCookie(SetCookie value) {
      setCookie = value;
      return this;
    }

    public Builder requestCookies(CookieFilter value) {
      requestCookies = value;
      return this;
    }

    public Builder responseCookies(CookieFilter value) {
      responseCookies = value;
      return this;
    }

    public Builder passCookies(NamePatterns value) {
      passCookies = value;
      return this;
    }

    public Builder boundsNotFound(boolean value) {
      boundsNotFound = value;
      return this;
    }

    public Builder media(MediaSettings value) {
      media = value;
      return this;
    }

    public Builder responseRules(@Nullable ResponseRules value) {
      responseRules = value;
      return this;
    }

    public RouteSettings build() {
      return new RouteSettings(
          clientDirectives,
          passthrough,
          clientInvalidation,
          storesPost,
          storageClass,
          new FreshnessSettings(
              targetedFields,
              defaultTtl,
              ttlOverride,
              negativeTtl,
              heuristic,
              heuristicErrors,
              storesBadRequests,
              heuristicWithCookies,
              jitterPercent,
              keepsSurrogateControl,
              boundsNotFound),
          new StaleSettings(whileRevalidate, ifError, keep, earlyRefreshPercent),
          new CookieSettings(setCookie, requestCookies, responseCookies, passCookies),
          media,
          responseRules);
    }
  }
}
