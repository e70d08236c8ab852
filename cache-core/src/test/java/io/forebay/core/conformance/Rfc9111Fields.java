package io.forebay.core.conformance;

import static io.forebay.core.conformance.Case.get;
import static io.forebay.core.conformance.Case.ok;
import static io.forebay.core.conformance.Check.all;
import static io.forebay.core.conformance.Check.shownBy;
import static io.forebay.core.conformance.Row.may;
import static io.forebay.core.conformance.Row.must;
import static io.forebay.core.conformance.Row.should;
import static io.forebay.core.conformance.Row.text;

import io.forebay.core.policy.Reason;
import java.time.Duration;

/** RFC 9111 §5. */
final class Rfc9111Fields {

  private static final Case FRESH =
      ok("Cache-Control: max-age=60", "ETag: \"a\"").honouring().after(10);
  private static final Case STALE =
      ok("Cache-Control: max-age=5", "ETag: \"a\"").honouring().after(10);

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 9111: Age, Cache-Control, Expires, Pragma",
          should(
              "5.1",
              "If Age has several values, the first applies",
              "in a list as well as over several field lines",
              all(
                  ok("Cache-Control: max-age=90", "Age: 5, 70").agedSeconds(5),
                  ok("Cache-Control: max-age=90", "Age: 5", "Age: 70").agedSeconds(5))),
          should(
              "5.1",
              "An invalid Age is ignored",
              "negative, fractional, non-numeric and empty values are ignored",
              all(
                  ok("Cache-Control: max-age=90", "Age: -5").agedSeconds(0),
                  ok("Cache-Control: max-age=90", "Age: 5.5").agedSeconds(0),
                  ok("Cache-Control: max-age=90", "Age: x").agedSeconds(0),
                  ok("Cache-Control: max-age=90", "Age: x, 5").agedSeconds(0),
                  ok("Cache-Control: max-age=90", "Age: ").agedSeconds(0))),
          must(
              "5.2",
              "Directives are forwarded, whether or not this cache acts on them",
              "Cache-Control of requests and responses is forwarded unchanged",
              all(
                  ok("Cache-Control: max-age=9, foo=bar")
                      .keepsField("cache-control: max-age=9, foo=bar"),
                  shownBy("ServerPassTest.passesWhatAClientSaysAboutItsRangeAndConditions"))),
          text(
              "5.2",
              "Directive names are case-insensitive; values are tokens or quoted strings",
              "both forms of value are accepted for every directive",
              all(
                  ok("Cache-Control: MAX-AGE=9").freshFor(9),
                  ok("Cache-Control: max-age=\"9\"").freshFor(9),
                  ok("Cache-Control: max-age=9, private=x", "X: 1").keepsNo("x"))),
          text(
              "5.2",
              "A quoted string is one value, whatever it contains; there is no whitespace"
                  + " around =",
              "a quoted string is read as one value; a value with whitespace beside its ="
                  + " is not a number of seconds",
              all(
                  ok("Cache-Control: x=\"max-age=90\", max-age=9").freshFor(9),
                  ok("Cache-Control: max-age=9, x=\"max-age=90\"").freshFor(9),
                  ok("Cache-Control: x=\"no-store\", max-age=\"9\"").freshFor(9),
                  ok("Cache-Control: x=\"a\\\", no-store\", max-age=9").freshFor(9),
                  ok("Cache-Control: max-age='9'", "ETag: \"a\"").freshFor(0),
                  ok("Cache-Control: max-age= 9", "ETag: \"a\"").freshFor(0),
                  ok("Cache-Control: max-age =9").notStored(Reason.NOT_STORED_STALE),
                  ok("Cache-Control: max-age=0009").freshFor(9))),
          text(
              "5.2",
              "A quoted string ends with a closing quote",
              "without one, or with a quote or text beside it, the field counts as no-store and private",
              all(
                  ok("Cache-Control: x=\"y, private, max-age=9")
                      .notStored(Reason.NOT_STORED_CACHE_CONTROL),
                  ok("Cache-Control: x=\"1, private, y=\"1, max-age=9")
                      .notStored(Reason.NOT_STORED_CACHE_CONTROL),
                  ok("Cache-Control: max-age=9", "Cache-Control: x=\"y")
                      .notStored(Reason.NOT_STORED_CACHE_CONTROL),
                  ok("Cache-Control: max-age=9, x= \"private\"")
                      .notStored(Reason.NOT_STORED_CACHE_CONTROL),
                  ok("Cache-Control: max-age=9", "Surrogate-Control: max-age=9, x=\"y")
                      .notStored(Reason.NOT_STORED_NO_STORE),
                  shownBy("ServerPersonalAnswerTest.aQuoteThatDoesNotEndHidesNoRestriction"))),
          may(
              "5.2.1",
              "A cache may obey request directives",
              "set for each route by client-directives; the default is to ignore them",
              all(
                  ok("Cache-Control: max-age=60", "ETag: \"a\"")
                      .asked("Cache-Control: no-cache")
                      .decides("Serve HIT_FRESH"),
                  FRESH.asked("Cache-Control: no-cache").decides("Revalidate REQUEST_NO_CACHE"))),
          text(
              "5.2.1.1",
              "max-age: the client accepts no older response, and no stale one without max-stale",
              "a malformed value counts as 0; the smallest of several values applies",
              all(
                  FRESH.asked("Cache-Control: max-age=10").decides("Serve HIT_FRESH"),
                  FRESH.asked("Cache-Control: max-age=9").decides("Revalidate REQUEST_MAX_AGE"),
                  FRESH.asked("Cache-Control: max-age=x").decides("Revalidate REQUEST_MAX_AGE"),
                  FRESH
                      .asked("Cache-Control: max-age=90, max-age=9")
                      .decides("Revalidate REQUEST_MAX_AGE"),
                  STALE
                      .on(route -> route.staleWhileRevalidate(Duration.ofHours(1)))
                      .asked("Cache-Control: max-age=90")
                      .decides("Revalidate STALE_EXPIRED"),
                  STALE
                      .asked("Cache-Control: max-age=90, max-stale=9")
                      .decides("Serve HIT_MAX_STALE"))),
          text(
              "5.2.1.2",
              "max-stale: the client accepts a response stale by that many seconds, or by"
                  + " any time",
              "a malformed value permits nothing; max-stale does not override directives"
                  + " of the response",
              all(
                  STALE.asked("Cache-Control: max-stale").decides("Serve HIT_MAX_STALE"),
                  STALE.asked("Cache-Control: max-stale=5").decides("Serve HIT_MAX_STALE"),
                  STALE.asked("Cache-Control: max-stale=4").decides("Revalidate STALE_EXPIRED"),
                  STALE.asked("Cache-Control: max-stale=x").decides("Revalidate STALE_EXPIRED"),
                  STALE.asked("Cache-Control: max-stale=\"9\"").decides("Serve HIT_MAX_STALE"),
                  ok("Cache-Control: max-age=5, must-revalidate", "ETag: \"a\"")
                      .honouring()
                      .after(10)
                      .asked("Cache-Control: max-stale")
                      .decides("Revalidate STALE_EXPIRED"),
                  ok("Cache-Control: s-maxage=5", "ETag: \"a\"")
                      .honouring()
                      .after(10)
                      .asked("Cache-Control: max-stale")
                      .decides("Revalidate STALE_EXPIRED"))),
          text(
              "5.2.1.3",
              "min-fresh: the client accepts a response that stays fresh for that many seconds",
              "a malformed value accepts none; the largest of several values applies",
              all(
                  FRESH.asked("Cache-Control: min-fresh=50").decides("Serve HIT_FRESH"),
                  FRESH
                      .asked("Cache-Control: min-fresh=51")
                      .decides("Revalidate REQUEST_MIN_FRESH"),
                  FRESH.asked("Cache-Control: min-fresh=x").decides("Revalidate REQUEST_MIN_FRESH"),
                  FRESH
                      .asked("Cache-Control: min-fresh=5, min-fresh=51")
                      .decides("Revalidate REQUEST_MIN_FRESH"))),
          text(
              "5.2.1.4",
              "no-cache: the client accepts no stored response without validation",
              "the response is validated, or fetched again if it has no validator",
              all(
                  FRESH.asked("Cache-Control: no-cache").decides("Revalidate REQUEST_NO_CACHE"),
                  ok("Cache-Control: max-age=60")
                      .honouring()
                      .asked("Cache-Control: no-cache")
                      .decides("Fetch REQUEST_NO_CACHE"))),
          must(
              "5.2.1.5",
              "no-store: no part of the request or its response is stored",
              "the request is passed through, if the route obeys client directives",
              STALE.asked("Cache-Control: no-store").decides("Pass PASS_NO_STORE")),
          text(
              "5.2.1.5",
              "no-store does not apply to responses that are already stored",
              "a fresh stored response is served",
              FRESH.asked("Cache-Control: no-store").decides("Serve HIT_FRESH")),
          text(
              "5.2.1.6",
              "no-transform: the client asks for untransformed content",
              "a response that is compressed while it is sent is not, for this client",
              all(
                  FRESH.asked("Cache-Control: no-transform").decides("Serve HIT_FRESH"),
                  shownBy("ServerCompressTest.isLeftAlone"))),
          should(
              "5.2.1.7",
              "only-if-cached: the cache serves a stored response or replies 504",
              "it does",
              all(
                  FRESH.asked("Cache-Control: only-if-cached").decides("Serve HIT_FRESH"),
                  STALE
                      .asked("Cache-Control: only-if-cached")
                      .decides("Refuse REFUSED_ONLY_IF_CACHED"),
                  STALE
                      .asked("Cache-Control: only-if-cached, max-stale")
                      .decides("Serve HIT_MAX_STALE"))),
          must(
              "5.2.2",
              "A cache obeys response directives",
              "all directives listed below",
              ok("Cache-Control: max-age=9").freshFor(9)),
          text(
              "5.2.2.1",
              "max-age: the response is stale after that many seconds",
              "it is",
              ok("Cache-Control: max-age=9", "ETag: \"a\"")
                  .after(9)
                  .decides("Revalidate STALE_EXPIRED")),
          must(
              "5.2.2.2",
              "must-revalidate: a stale response is not used without validation",
              "no stale window of the response, the route or the client applies",
              ok(
                      "Cache-Control: max-age=9, must-revalidate, stale-while-revalidate=90",
                      "ETag: \"a\"")
                  .after(9)
                  .decides("Revalidate STALE_EXPIRED")),
          must(
              "5.2.2.2",
              "With must-revalidate a disconnected cache replies with an error, 504"
                  + " unless another status fits better",
              "502 if the origin refuses the connection, 504 if it does not respond in"
                  + " time; never a stale response",
              shownBy("ServerFailureTest.staleIsNotServedWhereTheOriginForbidsIt")),
          must(
              "5.2.2.3",
              "must-understand: only a cache that understands the status stores the response",
              "see §3",
              get()
                  .answered(250, "Cache-Control: must-understand, max-age=9")
                  .notStored(Reason.NOT_STORED_MUST_UNDERSTAND)),
          should(
              "5.2.2.3",
              "A cache that understands the status and must-understand ignores no-store beside it",
              "no-store is ignored in this case",
              all(
                  ok("Cache-Control: must-understand, no-store, max-age=9").freshFor(9),
                  get()
                      .answered(299, "Cache-Control: must-understand, no-store, max-age=9")
                      .notStored(Reason.NOT_STORED_MUST_UNDERSTAND))),
          must(
              "5.2.2.4",
              "no-cache: the response is not reused without validation",
              "it is stored if it has a validator, and validated for each request",
              all(
                  ok("Cache-Control: no-cache", "ETag: \"a\"").decides("Revalidate STALE_NO_CACHE"),
                  ok("Cache-Control: no-cache").notStored(Reason.NOT_STORED_NO_FRESHNESS))),
          may(
              "5.2.2.4",
              "no-cache with field names: the response may be reused without these fields",
              "these fields are not stored; an empty or malformed list applies to the"
                  + " whole response",
              all(
                  ok("Cache-Control: max-age=9, no-cache=\"x, Y\"", "X: 1", "Y: 2").keepsNo("x"),
                  ok("Cache-Control: max-age=9, no-cache=\"x, Y\"", "X: 1", "Y: 2").keepsNo("y"),
                  ok("Cache-Control: max-age=9, no-cache=\"x\"").decides("Serve HIT_FRESH"),
                  ok("Cache-Control: max-age=9, no-cache=x", "X: 1").keepsNo("x"),
                  ok("Cache-Control: max-age=9, no-cache=\"\"", "ETag: \"a\"")
                      .decides("Revalidate STALE_NO_CACHE"),
                  ok("Cache-Control: max-age=9, no-cache=\"a b\"", "ETag: \"a\"")
                      .decides("Revalidate STALE_NO_CACHE"))),
          must(
              "5.2.2.5",
              "no-store: the response is neither stored nor reused, and is deleted soon"
                  + " after forwarding",
              "a transit buffer passes it to one client",
              all(
                  ok("Cache-Control: no-store, max-age=9").notStored(Reason.NOT_STORED_NO_STORE),
                  shownBy("ServerUncacheableTest.isNeverStoredNorSharedNorQueuedFor"))),
          must(
              "5.2.2.6",
              "no-transform: the content is not transformed",
              "it is neither compressed nor decompressed",
              all(
                  shownBy("ServerCompressTest.isLeftAlone"),
                  shownBy("ServerBasicsTest.aHitIsByteForByteWhatTheOriginSentWithItsLength"))),
          must(
              "5.2.2.7",
              "private: a shared cache does not store the response",
              "in any spelling, and with an empty or malformed list of names",
              all(
                  ok("Cache-Control: private, max-age=9").notStored(Reason.NOT_STORED_PRIVATE),
                  ok("Cache-Control: Private=\"\", max-age=9").notStored(Reason.NOT_STORED_PRIVATE),
                  ok("Cache-Control: private=, max-age=9").notStored(Reason.NOT_STORED_PRIVATE),
                  ok("Cache-Control: private=\"a, max-age=9")
                      .notStored(Reason.NOT_STORED_CACHE_CONTROL))),
          must(
              "5.2.2.7",
              "private with field names: these fields are not stored",
              "names in any case, quoted or not",
              all(
                  ok("Cache-Control: max-age=9, private=\"X-User\"", "x-user: 1").keepsNo("x-user"),
                  ok("Cache-Control: max-age=9, private=x-user", "X-User: 1").keepsNo("x-user"))),
          may(
              "5.2.2.7",
              "private with field names: the rest of the response may be stored",
              "it is stored",
              ok("Cache-Control: max-age=9, private=\"X-User\"", "X-User: 1", "Y: 2")
                  .keepsField("y: 2")),
          text(
              "5.2.2.8",
              "proxy-revalidate alone does not make a response storable",
              "nor do must-revalidate and must-understand",
              all(
                  ok("Cache-Control: proxy-revalidate").notStored(Reason.NOT_STORED_NO_FRESHNESS),
                  ok("Cache-Control: must-revalidate").notStored(Reason.NOT_STORED_NO_FRESHNESS),
                  ok("Cache-Control: must-understand").notStored(Reason.NOT_STORED_NO_FRESHNESS))),
          must(
              "5.2.2.8",
              "proxy-revalidate: a shared cache does not use a stale response without validation",
              "as with must-revalidate",
              ok("Cache-Control: max-age=9, proxy-revalidate, stale-if-error=90")
                  .after(9)
                  .servedOnError(false)),
          may(
              "5.2.2.9",
              "public: the response may be stored although it otherwise could not be",
              "with Authorization, and with a heuristic lifetime that the status alone"
                  + " would not allow",
              all(
                  get("Authorization: x")
                      .answered(200, "Cache-Control: public, max-age=9")
                      .freshFor(9),
                  get()
                      .answered(302, "Cache-Control: public", "Date: {+0}", "Last-Modified: {-90}")
                      .freshFor(9))),
          must(
              "5.2.2.10",
              "s-maxage: overrides max-age and Expires, and forbids stale use by a shared cache",
              "the route's stale windows do not apply",
              ok("Cache-Control: s-maxage=9, max-age=1", "ETag: \"a\"")
                  .on(route -> route.staleIfError(Duration.ofHours(1)))
                  .after(9)
                  .servedOnError(false)),
          must(
                  "5.2.2.10",
                  "s-maxage forbids stale use, regardless of other directives",
                  "an explicit stale-while-revalidate or stale-if-error in the same field"
                      + " permits its own window",
                  all(
                      ok("Cache-Control: s-maxage=9, stale-while-revalidate=5", "ETag: \"a\"")
                          .after(10)
                          .decides("Serve HIT_STALE_WHILE_REVALIDATE"),
                      ok("Cache-Control: s-maxage=9, stale-if-error=5")
                          .after(10)
                          .servedOnError(true)))
              .butWeDeviate(
                  "Directives of RFC 5861 have no other purpose beside s-maxage. An"
                      + " origin that sends both wants shared caches to use the window, and"
                      + " common caches do."),
          must(
              "5.2.3",
              "Unknown directives are ignored",
              "with any value",
              ok("Cache-Control: foo, bar=\"max-age=1, no-store\", max-age=9").freshFor(9)),
          must(
              "5.3",
              "An invalid Expires, in particular 0, is a time in the past",
              "it is",
              all(
                  ok("Expires: 0", "ETag: \"a\"").freshFor(0),
                  ok("Expires: soon", "ETag: \"a\"").freshFor(0),
                  ok("Expires: 2026-06-02T13:00:00Z", "ETag: \"a\"").freshFor(0),
                  ok("Expires: ", "ETag: \"a\"").freshFor(0),
                  ok("Expires: Thu, 18 Aug 50 02:01:18 GMT", "ETag: \"a\"").freshFor(0),
                  ok("Expires: Thu 18 Aug 2050 02:01:18 GMT", "ETag: \"a\"").freshFor(0),
                  ok("Expires: Thu, 18  Aug  2050 02:01:18 GMT", "ETag: \"a\"").freshFor(0),
                  ok("Expires: Thu, 18-Aug-2050 02:01:18 GMT", "ETag: \"a\"").freshFor(0),
                  ok("Expires: Thu, 18 Aug 2050 02.01.18 GMT", "ETag: \"a\"").freshFor(0),
                  ok("Expires: Thu, 18 Aug 2050 2:01:18 GMT", "ETag: \"a\"").freshFor(0),
                  ok("Expires: Thu, 18 Aug 2050 02:01:18 AEST", "ETag: \"a\"").freshFor(0),
                  ok("Expires: 0").notStored(Reason.NOT_STORED_STALE))),
          text(
              "5.3",
              "An Expires may be further in the future than 32 bits of seconds can express",
              "the response is fresh until then, for at most 2^31 seconds",
              all(
                  ok("Expires: Sun, 21 Nov 2286 04:46:39 GMT")
                      .after(2_000_000_000L)
                      .decides("Serve HIT_FRESH"),
                  ok("Date: x", "Expires: {+9}").freshFor(9))),
          must(
              "5.3",
              "Expires is ignored beside max-age and s-maxage",
              "also if these are malformed",
              all(
                  ok("Cache-Control: max-age=9", "Expires: 0").freshFor(9),
                  ok("Cache-Control: s-maxage=9", "Expires: {+90}").freshFor(9))),
          text(
              "5.4",
              "Pragma: no-cache in a request without Cache-Control means Cache-Control: no-cache",
              "it does, also in a list, if the route obeys client directives",
              all(
                  FRESH.asked("Pragma: no-cache").decides("Revalidate REQUEST_NO_CACHE"),
                  FRESH.asked("Pragma: x, No-Cache").decides("Revalidate REQUEST_NO_CACHE"),
                  FRESH
                      .asked("Pragma: no-cache", "Cache-Control: max-age=30")
                      .decides("Serve HIT_FRESH"),
                  FRESH.asked("Pragma: x").decides("Serve HIT_FRESH"))),
          text(
              "5.4",
              "Pragma in a response has no specified meaning",
              "without Cache-Control it disables the heuristic lifetime; otherwise it is ignored",
              all(
                  ok("Pragma: no-cache", "Last-Modified: {-90}")
                      .notStored(Reason.NOT_STORED_NO_FRESHNESS),
                  ok("Pragma: no-cache", "Expires: {+9}").freshFor(9))),
          text(
              "5.5",
              "Warning is obsolete",
              "it is neither generated nor evaluated; a Warning from the origin is forwarded",
              ok("Cache-Control: max-age=9", "Warning: 199 - x").keepsField("warning: 199 - x")),
          text(
              "7.1",
              "Differences in message parsing must not let one client choose the response"
                  + " of others",
              "ambiguous messages are rejected; a fetch carries no request fields outside the key",
              shownBy(
                  "Http1RefusalTest.refusesAndCloses",
                  "ServerPassTest.fillsSendNothingThatFitsOneClientOnly",
                  "KeyRecipeTest.oneTextMeansOneQuestionToTheOrigin")),
          text(
              "7.2",
              "The key may have more parts, so that response times do not reveal requests"
                  + " of others",
              "a route can put any request field into the key",
              shownBy("KeyRecipeTest.fieldsStandBehindTheUrlInTheRecipesOrder")));

  private Rfc9111Fields() {}
}
