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
              "Of several Age values the first counts",
              "of a list and of several lines",
              all(
                  ok("Cache-Control: max-age=90", "Age: 5, 70").agedSeconds(5),
                  ok("Cache-Control: max-age=90", "Age: 5", "Age: 70").agedSeconds(5))),
          should(
              "5.1",
              "An Age that is invalid is ignored",
              "negative, fractional, not a number, empty",
              all(
                  ok("Cache-Control: max-age=90", "Age: -5").agedSeconds(0),
                  ok("Cache-Control: max-age=90", "Age: 5.5").agedSeconds(0),
                  ok("Cache-Control: max-age=90", "Age: x").agedSeconds(0),
                  ok("Cache-Control: max-age=90", "Age: x, 5").agedSeconds(0),
                  ok("Cache-Control: max-age=90", "Age: ").agedSeconds(0))),
          must(
              "5.2",
              "Directives are passed on whatever they mean here",
              "Cache-Control of requests and responses is forwarded as it came",
              all(
                  ok("Cache-Control: max-age=9, foo=bar")
                      .keepsField("cache-control: max-age=9, foo=bar"),
                  shownBy("ServerPassTest.passesWhatAClientSaysAboutItsRangeAndConditions"))),
          text(
              "5.2",
              "Names are compared without regard to case; values may be quoted or not",
              "both are read for every directive",
              all(
                  ok("Cache-Control: MAX-AGE=9").freshFor(9),
                  ok("Cache-Control: max-age=\"9\"").freshFor(9),
                  ok("Cache-Control: max-age=9, private=x", "X: 1").keepsNo("x"))),
          text(
              "5.2",
              "What stands in quotes is a value, whatever it looks like; blanks are not part of =",
              "quoted strings are read as one; what has a blank beside its = is not a number of seconds",
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
              "A quoted string ends with a quote",
              "where one does not, or a quote stands elsewhere, the field counts as no-store and private",
              all(
                  ok("Cache-Control: x=\"y, private, max-age=9")
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
              "Directives of requests may be obeyed",
              "per route: client-directives, ignore by default",
              all(
                  ok("Cache-Control: max-age=60", "ETag: \"a\"")
                      .asked("Cache-Control: no-cache")
                      .decides("Serve HIT_FRESH"),
                  FRESH.asked("Cache-Control: no-cache").decides("Revalidate REQUEST_NO_CACHE"))),
          text(
              "5.2.1.1",
              "max-age: nothing older, and nothing stale unless max-stale is given, too",
              "malformed counts as 0; of two the least counts",
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
              "max-stale: stale is taken, up to that many seconds or at any age",
              "malformed permits nothing; what the response forbids stays forbidden",
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
              "min-fresh: it must stay fresh for that long",
              "malformed counts as forever; of two the greatest counts",
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
              "no-cache: nothing stored without validation",
              "it is validated, or fetched where it has no validator",
              all(
                  FRESH.asked("Cache-Control: no-cache").decides("Revalidate REQUEST_NO_CACHE"),
                  ok("Cache-Control: max-age=60")
                      .honouring()
                      .asked("Cache-Control: no-cache")
                      .decides("Fetch REQUEST_NO_CACHE"))),
          must(
              "5.2.1.5",
              "no-store: nothing of request and response is stored",
              "it is passed through, where the route obeys clients",
              STALE.asked("Cache-Control: no-store").decides("Pass PASS_NO_STORE")),
          text(
              "5.2.1.5",
              "no-store does not apply to what is stored already",
              "what is fresh is served",
              FRESH.asked("Cache-Control: no-store").decides("Serve HIT_FRESH")),
          text(
              "5.2.1.6",
              "no-transform: the client wants nothing transformed",
              "nothing ever is",
              FRESH.asked("Cache-Control: no-transform").decides("Serve HIT_FRESH")),
          should(
              "5.2.1.7",
              "only-if-cached: from the store, or 504",
              "so it is",
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
              "Directives of responses are obeyed",
              "all of them, as below",
              ok("Cache-Control: max-age=9").freshFor(9)),
          text(
              "5.2.2.1",
              "max-age: stale after that many seconds",
              "so it is",
              ok("Cache-Control: max-age=9", "ETag: \"a\"")
                  .after(9)
                  .decides("Revalidate STALE_EXPIRED")),
          must(
              "5.2.2.2",
              "must-revalidate: never stale without validation",
              "not by a window of the response, of the route, or of the client",
              ok(
                      "Cache-Control: max-age=9, must-revalidate, stale-while-revalidate=90",
                      "ETag: \"a\"")
                  .after(9)
                  .decides("Revalidate STALE_EXPIRED")),
          must(
              "5.2.2.2",
              "With must-revalidate a disconnected cache answers with an error, 504 unless another fits"
                  + " better",
              "502 where the origin refuses, 504 where it does not answer in time; never what is stale",
              shownBy("ServerFailureTest.staleIsNotServedWhereTheOriginForbidsIt")),
          must(
              "5.2.2.3",
              "must-understand: stored only by who understands the status",
              "see §3",
              get()
                  .answered(250, "Cache-Control: must-understand, max-age=9")
                  .notStored(Reason.NOT_STORED_MUST_UNDERSTAND)),
          should(
              "5.2.2.3",
              "Who understands status and must-understand ignores the no-store beside it",
              "it is ignored then",
              all(
                  ok("Cache-Control: must-understand, no-store, max-age=9").freshFor(9),
                  get()
                      .answered(299, "Cache-Control: must-understand, no-store, max-age=9")
                      .notStored(Reason.NOT_STORED_MUST_UNDERSTAND))),
          must(
              "5.2.2.4",
              "no-cache: not reused without validation",
              "stored where there is a validator, and then validated each time",
              all(
                  ok("Cache-Control: no-cache", "ETag: \"a\"").decides("Revalidate STALE_NO_CACHE"),
                  ok("Cache-Control: no-cache").notStored(Reason.NOT_STORED_NO_FRESHNESS))),
          may(
              "5.2.2.4",
              "no-cache with names: the rest may be reused without those fields",
              "they are not stored; a list that is empty or broken means all of the response",
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
              "no-store: neither stored nor reused, and removed soon after forwarding",
              "it goes through a transit buffer to one client",
              all(
                  ok("Cache-Control: no-store, max-age=9").notStored(Reason.NOT_STORED_NO_STORE),
                  shownBy("ServerUncacheableTest.isNeverStoredNorSharedNorQueuedFor"))),
          must(
              "5.2.2.6",
              "no-transform: the content is not transformed",
              "nothing ever is",
              shownBy("ServerBasicsTest.aHitIsByteForByteWhatTheOriginSentWithItsLength")),
          must(
              "5.2.2.7",
              "private: a shared cache does not store it",
              "in any spelling, an empty or broken list of names included",
              all(
                  ok("Cache-Control: private, max-age=9").notStored(Reason.NOT_STORED_PRIVATE),
                  ok("Cache-Control: Private=\"\", max-age=9").notStored(Reason.NOT_STORED_PRIVATE),
                  ok("Cache-Control: private=, max-age=9").notStored(Reason.NOT_STORED_PRIVATE),
                  ok("Cache-Control: private=\"a, max-age=9")
                      .notStored(Reason.NOT_STORED_CACHE_CONTROL))),
          must(
              "5.2.2.7",
              "private with names: those fields are not stored",
              "whatever their case, quoted or not",
              all(
                  ok("Cache-Control: max-age=9, private=\"X-User\"", "x-user: 1").keepsNo("x-user"),
                  ok("Cache-Control: max-age=9, private=x-user", "X-User: 1").keepsNo("x-user"))),
          may(
              "5.2.2.7",
              "private with names: the rest may be stored",
              "it is",
              ok("Cache-Control: max-age=9, private=\"X-User\"", "X-User: 1", "Y: 2")
                  .keepsField("y: 2")),
          text(
              "5.2.2.8",
              "proxy-revalidate by itself does not make anything storable",
              "nor do must-revalidate and must-understand",
              all(
                  ok("Cache-Control: proxy-revalidate").notStored(Reason.NOT_STORED_NO_FRESHNESS),
                  ok("Cache-Control: must-revalidate").notStored(Reason.NOT_STORED_NO_FRESHNESS),
                  ok("Cache-Control: must-understand").notStored(Reason.NOT_STORED_NO_FRESHNESS))),
          must(
              "5.2.2.8",
              "proxy-revalidate: a shared cache does not serve it stale",
              "as must-revalidate",
              ok("Cache-Control: max-age=9, proxy-revalidate, stale-if-error=90")
                  .after(9)
                  .servedOnError(false)),
          may(
              "5.2.2.9",
              "public: may be stored though it otherwise would not be",
              "with Authorization, and with a guessed time where the status alone would not allow one",
              all(
                  get("Authorization: x")
                      .answered(200, "Cache-Control: public, max-age=9")
                      .freshFor(9),
                  get()
                      .answered(302, "Cache-Control: public", "Date: {+0}", "Last-Modified: {-90}")
                      .freshFor(9))),
          must(
              "5.2.2.10",
              "s-maxage: overrides max-age and Expires, and forbids stale use to a shared cache",
              "a window that the route gives does not apply beside it",
              ok("Cache-Control: s-maxage=9, max-age=1", "ETag: \"a\"")
                  .on(route -> route.staleIfError(Duration.ofHours(1)))
                  .after(9)
                  .servedOnError(false)),
          must(
                  "5.2.2.10",
                  "s-maxage forbids stale use, whatever stands beside it",
                  "an explicit stale-while-revalidate or stale-if-error beside it permits its own window",
                  all(
                      ok("Cache-Control: s-maxage=9, stale-while-revalidate=5", "ETag: \"a\"")
                          .after(10)
                          .decides("Serve HIT_STALE_WHILE_REVALIDATE"),
                      ok("Cache-Control: s-maxage=9, stale-if-error=5")
                          .after(10)
                          .servedOnError(true)))
              .butWeDeviate(
                  "RFC 5861 directives mean nothing else: an origin that writes both wants shared caches"
                      + " to use the window, as they all do."),
          must(
              "5.2.3",
              "Unknown directives are ignored",
              "with any value",
              ok("Cache-Control: foo, bar=\"max-age=1, no-store\", max-age=9").freshFor(9)),
          must(
              "5.3",
              "An Expires that is invalid, 0 above all, is a time in the past",
              "so it is",
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
              "An Expires may lie further ahead than 32 bits of seconds can say",
              "it is fresh until then, for 2^31 seconds at most",
              all(
                  ok("Expires: Sun, 21 Nov 2286 04:46:39 GMT")
                      .after(2_000_000_000L)
                      .decides("Serve HIT_FRESH"),
                  ok("Date: x", "Expires: {+9}").freshFor(9))),
          must(
              "5.3",
              "Expires is ignored beside max-age and s-maxage",
              "also where these are malformed",
              all(
                  ok("Cache-Control: max-age=9", "Expires: 0").freshFor(9),
                  ok("Cache-Control: s-maxage=9", "Expires: {+90}").freshFor(9))),
          text(
              "5.4",
              "Pragma: no-cache in a request means Cache-Control: no-cache where there is none",
              "where the route obeys clients; also in a list",
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
              "it only keeps a lifetime from being guessed where there is no Cache-Control",
              all(
                  ok("Pragma: no-cache", "Last-Modified: {-90}")
                      .notStored(Reason.NOT_STORED_NO_FRESHNESS),
                  ok("Pragma: no-cache", "Expires: {+9}").freshFor(9))),
          text(
              "5.5",
              "Warning is obsolete",
              "it is neither written nor read; what the origin sends is passed on",
              ok("Cache-Control: max-age=9", "Warning: 199 - x").keepsField("warning: 199 - x")),
          text(
              "7.1",
              "Differences in how messages are read must not let one client write what others get",
              "what could be read in two ways is refused; a fetch carries nothing that is not in the key",
              shownBy(
                  "Http1RefusalTest.refusesAndCloses",
                  "ServerPassTest.fillsSendNothingThatFitsOneClientOnly",
                  "KeyRecipeTest.oneTextMeansOneQuestionToTheOrigin")),
          text(
              "7.2",
              "More may stand in the key, so that times do not tell what others have asked for",
              "a route can put any field into it",
              shownBy("KeyRecipeTest.fieldsStandBehindTheUrlInTheRecipesOrder")));

  private Rfc9111Fields() {}
}
