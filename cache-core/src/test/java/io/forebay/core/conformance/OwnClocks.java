package io.forebay.core.conformance;

import static io.forebay.core.conformance.Case.get;
import static io.forebay.core.conformance.Case.ok;
import static io.forebay.core.conformance.Check.all;
import static io.forebay.core.conformance.Check.same;
import static io.forebay.core.conformance.Check.shownBy;
import static io.forebay.core.conformance.Row.text;

import io.forebay.core.policy.Reason;
import io.forebay.core.policy.ResponsePolicy;
import io.forebay.core.policy.StoreVerdict;
import io.forebay.core.route.NegativeTtl;
import java.time.Duration;
import java.util.Map;

/** Forebay's own settings for lifetimes and cookies, which no RFC specifies. */
final class OwnClocks {

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final NegativeTtl NEGATIVE =
      new NegativeTtl(Map.of(404, Duration.ofSeconds(10), 410, MINUTE, 5, Duration.ofSeconds(1)));
  private static final NegativeTtl BY_CLASS = new NegativeTtl(Map.of(4, MINUTE, 5, MINUTE));
  private static final NegativeTtl BY_NUMBER =
      new NegativeTtl(Map.of(4, MINUTE, 403, Duration.ofSeconds(7)));

  static final Chapter CHAPTER =
      new Chapter(
          "Forebay's own settings",
          text(
              "keep",
              "How long after its stale windows an object can be revalidated",
              "afterwards it counts as not stored; without keep there is no limit",
              all(
                  kept().after(9 + 20 + 59).decides("Revalidate STALE_EXPIRED"),
                  kept().after(9 + 20 + 60).decides("Fetch MISS_NOT_KEPT"),
                  kept().after(9 + 20 + 60).askedBy("HEAD").decides("Pass PASS_HEAD"),
                  kept().after(9 + 19).servedOnError(true),
                  kept().after(9 + 20).servedOnError(false),
                  ok("Cache-Control: max-age=9, must-revalidate, stale-if-error=20", "ETag: \"a\"")
                      .on(route -> route.keep(MINUTE))
                      .after(9 + 60)
                      .decides("Fetch MISS_NOT_KEPT"),
                  ok("Cache-Control: no-cache", "ETag: \"a\"")
                      .on(route -> route.keep(MINUTE))
                      .after(59)
                      .decides("Revalidate STALE_NO_CACHE"),
                  ok("Cache-Control: max-age=9", "ETag: \"a\"")
                      .after(1_000_000)
                      .decides("Revalidate STALE_EXPIRED"))),
          text(
              "early-refresh",
              "A popular object is refreshed before it expires, with some probability",
              "never before the configured part of the lifetime, and certainly at its end",
              all(
                  early(100, 89, 0.0, false),
                  early(100, 91, 0.0, true),
                  early(100, 95, 0.5, false),
                  early(100, 95, 0.01, true),
                  early(100, 99, 0.44, true),
                  early(100, 99, 0.46, false),
                  ok("Cache-Control: max-age=100, immutable")
                      .after(99)
                      .asked()
                      .isRefreshedEarly(10, 0, false),
                  ok("Cache-Control: max-age=100").after(99).isRefreshedEarly(0, 0, false),
                  ok("Cache-Control: max-age=100")
                      .honouring()
                      .after(99)
                      .asked("Cache-Control: no-store")
                      .isRefreshedEarly(10, 0, false),
                  shownBy("ServerRulesTest.whatIsAboutToExpireIsFetchedAnewByOneOfItsReaders"))),
          text(
              "ttl-jitter",
              "Objects stored together do not expire together",
              "a lifetime is shortened by up to that percentage and never extended; the"
                  + " same key and time of storing give the same lifetime",
              all(
                  same(true, () -> lifetimes(5, 1000, 95_000, 100_000)),
                  same(true, () -> lifetimes(0, 100, 100_000, 100_000)),
                  same(jittered(20, 7), () -> jittered(20, 7)),
                  same(true, () -> jittered(20, 7) != jittered(20, 8)))),
          text(
              "negative-ttl",
              "Errors without a lifetime get one by status",
              "a lifetime in the response takes precedence; a status that does not"
                  + " describe its URL gets none; one that depends on the client gets one only"
                  + " by its exact number, not by 4xx or 5xx",
              all(
                  get().answered(404, "X: y").on(r -> r.negativeTtl(NEGATIVE)).freshFor(10),
                  get().answered(410, "X: y").on(r -> r.negativeTtl(NEGATIVE)).freshFor(60),
                  get().answered(503, "X: y").on(r -> r.negativeTtl(NEGATIVE)).freshFor(1),
                  get()
                      .answered(404, "Cache-Control: max-age=5")
                      .on(r -> r.negativeTtl(NEGATIVE))
                      .freshFor(5),
                  get()
                      .answered(404, "Cache-Control: no-store")
                      .on(r -> r.negativeTtl(NEGATIVE))
                      .notStored(Reason.NOT_STORED_NO_STORE),
                  get()
                      .answered(403, "X: y")
                      .on(r -> r.negativeTtl(NEGATIVE))
                      .notStored(Reason.NOT_STORED_ERROR_WITHOUT_FRESHNESS),
                  get()
                      .answered(511, "X: y")
                      .on(r -> r.negativeTtl(NEGATIVE))
                      .notStored(Reason.NOT_STORED_STATUS),
                  get().answered(404, "X: y").notStored(Reason.NOT_STORED_ERROR_WITHOUT_FRESHNESS),
                  get().answered(409, "X: y").on(r -> r.negativeTtl(BY_CLASS)).freshFor(60),
                  get().answered(404, "X: y").on(r -> r.negativeTtl(BY_CLASS)).freshFor(60),
                  get().answered(501, "X: y").on(r -> r.negativeTtl(BY_CLASS)).freshFor(60),
                  ofOneClient(401),
                  ofOneClient(402),
                  ofOneClient(403),
                  ofOneClient(405),
                  ofOneClient(406),
                  ofOneClient(407),
                  ofOneClient(414),
                  ofOneClient(451),
                  get().answered(403, "X: y").on(r -> r.negativeTtl(BY_NUMBER)).freshFor(7),
                  get()
                      .answered(403, "Cache-Control: max-age=5")
                      .on(r -> r.negativeTtl(BY_CLASS))
                      .freshFor(5),
                  shownBy(
                      "ServerRulesTest.errorsAreKeptForTheTimeOfTheRoute",
                      "ServerPersonalAnswerTest.anErrorThatDependsOnTheClientIsNotKeptByItsClass"))),
          text(
              "default-ttl, ttl-override",
              "A lifetime for responses that have none; a lifetime that replaces any other",
              "neither makes a response storable if the response forbids storing",
              all(
                  ok("X: y").on(route -> route.defaultTtl(MINUTE)).freshFor(60),
                  ok("Cache-Control: max-age=5").on(route -> route.defaultTtl(MINUTE)).freshFor(5),
                  ok("Cache-Control: max-age=5")
                      .on(route -> route.ttlOverride(MINUTE))
                      .freshFor(60),
                  ok("CDN-Cache-Control: max-age=5")
                      .on(route -> route.ttlOverride(MINUTE))
                      .freshFor(60),
                  ok("Cache-Control: private, max-age=5")
                      .on(route -> route.ttlOverride(MINUTE))
                      .notStored(Reason.NOT_STORED_PRIVATE),
                  get()
                      .answered(500, "Cache-Control: max-age=5")
                      .on(route -> route.ttlOverride(MINUTE))
                      .freshFor(5))),
          text(
              "request-cookies, response-cookies",
              "Cookies are removed by name",
              "before any other rule evaluates the request or response",
              shownBy(
                  "CookieFilterTest.takesCookiesOutOfRequests",
                  "ServerRulesTest.cookiesAreTakenOutByName")),
          text(
              "pass-cookies",
              "A request with one of these cookies is passed",
              "even if a response is stored; cookies that request-cookies removes do not count",
              shownBy(
                  "CookieSettingsTest.aRequestPassesByTheNamesOfItsCookies",
                  "storing/pass-cookies.script")));

  private static Check ofOneClient(int status) {
    return get()
        .answered(status, "X: y")
        .on(route -> route.negativeTtl(BY_CLASS))
        .notStored(Reason.NOT_STORED_ERROR_WITHOUT_FRESHNESS);
  }

  private static Case kept() {
    return ok("Cache-Control: max-age=9, stale-if-error=20", "ETag: \"a\"")
        .on(route -> route.keep(MINUTE));
  }

  private static Check early(long lifetime, long age, double random, boolean expected) {
    return ok("Cache-Control: max-age=" + lifetime)
        .after(age)
        .isRefreshedEarly(10, random, expected);
  }

  private static boolean lifetimes(int percent, int count, long least, long most) {
    for (int seed = 1; seed <= count; seed++) {
      long lifetime = jittered(percent, seed);
      if (lifetime < least || lifetime > most) {
        return false;
      }
    }
    return true;
  }

  private static long jittered(int percent, long seed) {
    Case one = ok("Cache-Control: max-age=100").on(route -> route.jitterPercent(percent));
    return ResponsePolicy.judge(
                one.first(), one.route(), 200, one.response(), Case.CAME, Case.CAME, seed)
            instanceof StoreVerdict.Store stored
        ? stored.freshnessLifetimeMillis()
        : -1;
  }

  private OwnClocks() {}
}
