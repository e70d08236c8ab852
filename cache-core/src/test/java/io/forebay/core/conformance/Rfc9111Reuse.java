package io.forebay.core.conformance;

import static io.forebay.core.conformance.Case.by;
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

/** RFC 9111 §4 to §4.2. */
final class Rfc9111Reuse {

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 9111: reuse, freshness and age",
          must(
              "4",
              "A stored response is used only for its own target URI",
              "the key contains scheme, host, port, path and query; a hit compares its text",
              shownBy("StorabilityIT.hostsPortsAndSpellingsAreKeyedAsTheyShould")),
          must(
              "4",
              "The request method of the stored response must allow its use",
              "a stored GET answers GET and HEAD",
              all(
                  ok("Cache-Control: max-age=9").askedBy("HEAD").decides("Serve HIT_FRESH"),
                  ok("Cache-Control: max-age=9").askedBy("OPTIONS").decides("Pass PASS_METHOD"))),
          must(
              "4",
              "The selecting fields must match",
              "they are in the variant's key",
              shownBy("ServerVaryTest.twoEncodingsAreTwoFetchesHoweverClientsWordThem")),
          must(
              "4",
              "A response with no-cache is validated before each use",
              "even while it is fresh",
              ok("Cache-Control: no-cache, max-age=9", "ETag: \"a\"")
                  .decides("Revalidate STALE_NO_CACHE")),
          must(
              "4",
              "A reused response is fresh, may be served stale, or was validated",
              "no other response is reused",
              all(
                  ok("Cache-Control: max-age=9").after(8).decides("Serve HIT_FRESH"),
                  ok("Cache-Control: max-age=9", "ETag: \"a\"")
                      .after(9)
                      .decides("Revalidate STALE_EXPIRED"),
                  ok("Cache-Control: max-age=9").after(9).decides("Fetch STALE_EXPIRED"))),
          must(
              "4",
              "A response reused without validation carries a generated Age",
              "Age is computed for each response and replaces the stored field",
              all(
                  ok("Cache-Control: max-age=9", "Age: 3").keepsNo("age"),
                  ok("Cache-Control: max-age=9", "Age: 3").after(2).agedSeconds(5))),
          must(
              "4",
              "Unsafe methods are written through",
              "all methods except GET and HEAD are forwarded first",
              all(
                  ok("Cache-Control: max-age=9").askedBy("POST").decides("Pass PASS_METHOD"),
                  ok("Cache-Control: max-age=9").askedBy("PROPFIND").decides("Pass PASS_METHOD"))),
          may(
              "4",
              "Requests for the same resource may be collapsed into one",
              "one fetch per key and variant; a request of another variant repeats the lookup",
              shownBy(
                  "ServerFillTest.clientsOfBothLoopsShareOneFetch",
                  "coalescing/followers-stream.script",
                  "StorabilityIT.clientsThatWaitedForAPrivateAnswerGetTheirOwn")),
          text(
              "4",
              "One response answers several waiting requests only if each of them may reuse it",
              "a response that is stale on arrival, no-cache or not storable answers one request; a"
                  + " waiting request with no-cache (on a route that honours it) gets a fresh"
                  + " response",
              all(
                  ok("Cache-Control: max-age=9").isShared(true),
                  ok("Cache-Control: max-age=9", "Age: 9", "ETag: \"a\"").isShared(false),
                  ok("Cache-Control: max-age=9, no-cache", "ETag: \"a\"").isShared(false),
                  ok("Cache-Control: max-age=0, stale-while-revalidate=9").isShared(true),
                  asking("no-cache", "max-age=9").isShared(true),
                  asking("no-cache", "max-age=9, no-cache").isShared(false),
                  asking("max-age=0", "max-age=0, stale-while-revalidate=9").isShared(false),
                  asking("min-fresh=5", "no-cache").isShared(false),
                  asking("max-stale", "max-age=9").after(10).isShared(true),
                  asking("max-stale", "max-age=0").isShared(false),
                  shownBy(
                      "ServerSharingTest.whatIsStaleOnArrivalIsStoredForValidationAndNobodyWaitsForAnother",
                      "ServerUncacheableTest.isNeverStoredNorSharedNorQueuedFor",
                      "ServerUncacheableTest.answersToAuthorizedRequestsAreNeitherSharedNorQueuedFor",
                      "DifferentialTest.edgeAndModelAgreeOnRequestsThatOverlap"))),
          text(
              "4",
              "A waiting request that cannot use the response must be forwarded",
              "all at once, to their own variant or to the origin; none waits a second time",
              shownBy(
                  "ServerSharingTest.whoWaitedForWhatMayNotBeSharedAsksAtOnceAndTogether",
                  "ServerVaryTest.aFollowerOfAnotherVariantLeavesAndGetsItsOwn",
                  "sharing/uncacheable.script")),
          must(
              "4",
              "Of several suitable responses the most recent one by Date is used",
              "there is at most one per key and variant, replaced by newer ones; of it and the one"
                  + " without Vary the later is used",
              shownBy(
                  "ServerVaryTest.aUrlMayBeginAndCeaseToVary",
                  "ServerVaryTest.aResponseWithoutVaryStandsBesideThoseWithAndTheYoungerIsServed")),
          text(
              "4",
              "A request may be forwarded with no-cache to disambiguate",
              "the node adds no request directives",
              shownBy("ServerPassTest.saysToTheOriginWhoAskedAndBelievesNoStranger")),
          must(
              "4",
              "Without a clock everything is revalidated",
              "a clock earlier than the time of storing makes a response stale",
              ok("Cache-Control: max-age=9", "ETag: \"a\"")
                  .after(-1)
                  .decides("Revalidate STALE_CLOCK")),
          must(
              "4.1",
              "With Vary a response is used only if all fields that it names match",
              "an absent field matches only an absent one",
              shownBy("ServerVaryTest.fieldsOfTheOriginsChoiceSelectAndTheirSetMayGrow")),
          must(
              "4.1",
              "Vary: * never matches",
              "a response with * in any line of Vary is not stored",
              all(
                  ok("Cache-Control: max-age=9", "Vary: *").notStored(Reason.NOT_STORED_VARY_ANY),
                  ok("Cache-Control: max-age=9", "Vary: a", "Vary: b, *")
                      .notStored(Reason.NOT_STORED_VARY_ANY))),
          text(
              "4.1",
              "Case, order and repetition of names in Vary are irrelevant",
              "they are sorted, lower-cased and deduplicated",
              ok("Cache-Control: max-age=9", "Vary: B, a,,b", "Vary: A").variesBy("a", "b")),
          text(
              "4.1",
              "Whitespace and the division into field lines are irrelevant",
              "lines are joined, and blanks are folded, and removed around commas, before values are"
                  + " compared",
              shownBy(
                  "KeyBuilderTest.selectingFieldsAreFoldedAndJoined",
                  "KeyBuilderTest.aSelectingFieldIsComparedWithoutTheBlanksOfItsList",
                  "vary/spellings.script",
                  "KeyBuilderTest.severalLinesOfAcceptEncodingCountTogether")),
          text(
              "4.1",
              "Values may be converted to an equivalent normal form",
              "Accept-Encoding to the accepted codings, Accept-Language to lower case and an"
                  + " order by weight and then by name; other fields are unchanged. On routes of"
                  + " images Accept counts as the formats that the operator lists, and the"
                  + " origin is asked with these",
              shownBy(
                  "ServerAcceptClassesTest.anImageIsStoredOnceForEachClassOverEveryProtocol",
                  "AcceptLanguageTest.bringsWhatMeansTheSameIntoOneForm",
                  "KeyBuilderTest.junkAndSpellingsOfAcceptEncodingFallIntoSixteenClasses",
                  "ServerVaryTest.spellingsOfAcceptLanguageAreOneVariantAndTheOriginSeesOne")),
          may(
              "4.1",
              "Of several responses that match, a ranking such as q-values may choose one",
              "one variant at most matches; languages with other weights are another variant,"
                  + " whatever its Content-Language",
              shownBy("vary/weights.script")),
          text(
              "4.1",
              "Vary by Cookie makes a variant of each set of cookies",
              "requests without cookies, after the route's recipe, are one variant; with cookies"
                  + " nothing is stored, and nothing that varies by them is reused",
              all(
                  ok("Cache-Control: max-age=9", "Vary: Cookie").variesBy("cookie"),
                  get("Cookie: a=b")
                      .answered(200, "Cache-Control: public, s-maxage=9", "Vary: Cookie")
                      .notStored(Reason.NOT_STORED_VARY_COOKIE),
                  shownBy("vary/cookie.script"))),
          text(
              "4.1",
              "Vary by User-Agent makes a variant of each program",
              "it is not stored, unless the route's key has the device class or the field",
              all(
                  ok("Cache-Control: max-age=9", "Vary: User-Agent")
                      .notStored(Reason.NOT_STORED_VARY_USER),
                  shownBy("vary/device.script"))),
          text(
              "4.1",
              "An absent field matches only an absent one",
              "an empty field and an absent one are different variants",
              shownBy("KeyBuilderTest.absentAndEmptyAndQuotedValuesAreDifferentVariants")),
          should(
              "4.1",
              "If only some responses of a URL have Vary, the latest Vary applies",
              "names once received stay until no response is stored under them",
              shownBy("ServerVaryTest.aUrlMayBeginAndCeaseToVary")),
          should(
                  "4.1",
                  "If some have no Vary, the most recent response with Vary is selected",
                  "the matching variant or the response without Vary, whichever is more recent",
                  shownBy(
                      "ServerVaryTest.aResponseWithoutVaryStandsBesideThoseWithAndTheYoungerIsServed"))
              .butWeDeviate(
                  "§4 requires (MUST) the most recent one; after an origin stops sending Vary, its"
                      + " old variants would otherwise be served until they expire."),
          text(
              "4.1",
              "If none matches, the request is forwarded and may name the stored variants",
              "it sends the strong tags of other variants",
              shownBy(
                  "ServerVariantTagsTest.aVariantWithTheBytesOfAnotherOneIsNotSentAgain",
                  "vary/tags-of-others.script")),
          may(
              "4.1",
              "If several match, the one that the request prefers may be selected",
              "a request selects one: its accepted values are reduced to a class first",
              shownBy("ServerVaryTest.twoEncodingsAreTwoFetchesHoweverClientsWordThem")),
          text(
              "4.2",
              "A response is fresh if its lifetime is greater than its age",
              "an age equal to the lifetime is stale",
              all(
                  ok("Cache-Control: max-age=9").after(8).decides("Serve HIT_FRESH"),
                  ok("Cache-Control: max-age=9").after(9).decides("Fetch STALE_EXPIRED"),
                  ok("Cache-Control: max-age=0", "ETag: \"a\"")
                      .decides("Revalidate STALE_EXPIRED"))),
          should(
              "4.2",
              "Dates are case-insensitive",
              "day, month and GMT in any case",
              all(
                  ok("Date: tue, 02 JUN 2026 12:00:00 gmt", "Expires: {+9}").freshFor(9),
                  shownBy("HttpDateTest.readsAllThreeForms"))),
          must(
              "4.2",
              "A clock of lower resolution rounds Expires down",
              "times are stored in milliseconds",
              ok("Date: {+0}", "Expires: {+1}").freshFor(1)),
          must(
              "4.2",
              "The local time zone has no influence",
              "it is never read",
              shownBy("HttpDateTest.readsAllThreeForms")),
          should(
              "4.2",
              "A date in a zone other than GMT is invalid",
              "it counts as a time in the past",
              ok("Expires: Tue, 02 Jun 2026 13:00:00 UTC", "ETag: \"a\"").freshFor(0)),
          text(
              "4.2.1",
              "s-maxage applies first, then max-age, then Expires minus Date",
              "in this order",
              all(
                  ok("Cache-Control: max-age=9, s-maxage=5", "Expires: {+90}").freshFor(5),
                  ok("Cache-Control: s-maxage=90, max-age=5").freshFor(90),
                  ok("Cache-Control: max-age=9", "Date: {+0}", "Expires: {+90}").freshFor(9),
                  ok("Cache-Control: public", "Date: {-5}", "Expires: {+9}").freshFor(14),
                  ok("Expires: {+9}").freshFor(9))),
          text(
              "4.2.1",
              "Expires minus Date does not depend on our clock",
              "a Date one hour ahead or behind does not change the lifetime",
              all(
                  ok("Date: {+3600}", "Expires: {+3609}").freshFor(9),
                  ok("Date: {-3600}", "Expires: {-3591}", "ETag: \"a\"").freshFor(9))),
          should(
              "4.2.1",
              "For a repeated value, the first applies or the response is stale",
              "the smallest applies, so a response is never fresh longer than the first allows",
              all(
                  ok("Cache-Control: max-age=9, max-age=5").freshFor(5),
                  ok("Cache-Control: max-age=5", "Cache-Control: max-age=9").freshFor(5),
                  ok("Cache-Control: max-age=5, max-age=5").freshFor(5),
                  ok("Cache-Control: max-age=5, max-age=x", "ETag: \"a\"").freshFor(0),
                  ok("Expires: {+9}", "Expires: {+5}", "Date: {+0}").freshFor(5),
                  ok("Expires: {+5}", "Expires: {+9}", "Date: {+0}").freshFor(5),
                  ok("Expires: {+9}", "Expires: 0", "ETag: \"a\"").freshFor(0),
                  ok("Date: {+0}", "Date: {+3600}", "Expires: {+3609}").freshFor(9),
                  ok("Date: {+3600}", "Date: {-5}", "Expires: {+3609}").freshFor(9),
                  ok("Cache-Control: max-age=90", "Date: {+0}", "Date: {-9}").agedSeconds(9),
                  ok("Cache-Control: max-age=90", "Date: {-9}", "Date: x").agedSeconds(9))),
          should(
              "4.2.1",
              "If directives conflict, the most restrictive applies",
              "no-store before no-cache before any lifetime; private before public",
              all(
                  ok("Cache-Control: max-age=9, no-cache", "ETag: \"a\"")
                      .decides("Revalidate STALE_NO_CACHE"),
                  ok("Cache-Control: no-cache, no-store", "ETag: \"a\"")
                      .notStored(Reason.NOT_STORED_NO_STORE),
                  ok("Cache-Control: public, private, max-age=9")
                      .notStored(Reason.NOT_STORED_PRIVATE))),
          should(
              "4.2.1",
              "Invalid freshness makes a response stale",
              "a value other than one or more digits counts as 0",
              all(
                  ok("Cache-Control: max-age=x", "ETag: \"a\"").freshFor(0),
                  ok("Cache-Control: max-age=-1", "ETag: \"a\"").freshFor(0),
                  ok("Cache-Control: max-age=1.5", "ETag: \"a\"").freshFor(0),
                  ok("Cache-Control: max-age=1e3", "ETag: \"a\"").freshFor(0),
                  ok("Cache-Control: max-age", "ETag: \"a\"").freshFor(0),
                  ok("Cache-Control: max-age=", "ETag: \"a\"").freshFor(0),
                  ok("Cache-Control: max-age = 9", "ETag: \"a\"").freshFor(0),
                  ok("Cache-Control: max-age=9 s", "ETag: \"a\"").freshFor(0),
                  ok("Cache-Control: max-age=9;x", "ETag: \"a\"").freshFor(0),
                  ok("Cache-Control: s-maxage=x, max-age=9", "ETag: \"a\"").freshFor(0),
                  ok("Cache-Control: max-age=9\"", "ETag: \"a\"")
                      .notStored(Reason.NOT_STORED_CACHE_CONTROL))),
          may(
              "4.2.2",
              "A heuristic lifetime may be used if none is given",
              "a tenth of the time since Last-Modified, at most a day; a route can disable it; not"
                  + " for requests with cookies, unless the route enables it or the cookies are in"
                  + " the key",
              all(
                  ok("Date: {+0}", "Last-Modified: {-90}").freshFor(9),
                  ok("Date: {+0}", "Last-Modified: {-90000000}").freshFor(86_400),
                  ok("Date: {+0}", "Last-Modified: {+90}").freshFor(0),
                  ok("Last-Modified: {-90}")
                      .on(route -> route.heuristic(false))
                      .notStored(Reason.NOT_STORED_NO_FRESHNESS),
                  get("Cookie: a=b")
                      .answered(200, "Date: {+0}", "Last-Modified: {-90}")
                      .notStored(Reason.NOT_STORED_COOKIE),
                  get("Cookie: a=b")
                      .answered(200, "Date: {+0}", "Last-Modified: {-90}")
                      .on(route -> route.heuristicWithCookies(true))
                      .freshFor(9),
                  get("Cookie: a=b")
                      .answered(200, "Cache-Control: max-age=9", "Last-Modified: {-90}")
                      .freshFor(9),
                  get("Cookie: a=b")
                      .answered(200, "Cache-Control: no-cache", "Last-Modified: {-90}")
                      .freshFor(0),
                  get("Cookie: a=b")
                      .answered(200, "Last-Modified: {-90}")
                      .on(route -> route.defaultTtl(Duration.ofSeconds(5)))
                      .freshFor(5),
                  shownBy("ServerPersonalAnswerTest.nothingIsGuessedForARequestWithACookie"))),
          must(
              "4.2.2",
              "No heuristic lifetime is used if an explicit one is given",
              "an invalid lifetime counts as given",
              all(
                  ok("Cache-Control: max-age=5", "Last-Modified: {-900}").freshFor(5),
                  ok("Expires: 0", "Last-Modified: {-900}").freshFor(0),
                  ok("Cache-Control: max-age=x", "Last-Modified: {-900}").freshFor(0))),
          must(
              "4.2.2",
              "Only heuristically cacheable statuses and public responses get a heuristic lifetime",
              "200, 203, 204, 300, 301, 308, the errors of heuristic-errors, and public unless the"
                  + " status depends on the client",
              all(
                  get()
                      .answered(500, "Cache-Control: public", "Date: {+0}", "Last-Modified: {-90}")
                      .freshFor(9),
                  get()
                      .answered(403, "Cache-Control: public", "Date: {+0}", "Last-Modified: {-90}")
                      .notStored(Reason.NOT_STORED_ERROR_WITHOUT_FRESHNESS),
                  get().answered(203, "Date: {+0}", "Last-Modified: {-90}").freshFor(9),
                  get().answered(301, "Date: {+0}", "Last-Modified: {-90}").freshFor(9),
                  get().answered(308, "Date: {+0}", "Last-Modified: {-90}").freshFor(9),
                  get()
                      .answered(307, "Date: {+0}", "Last-Modified: {-90}")
                      .notStored(Reason.NOT_STORED_NO_FRESHNESS),
                  get()
                      .answered(307, "Cache-Control: public", "Date: {+0}", "Last-Modified: {-90}")
                      .freshFor(9))),
          text(
              "4.2.3",
              "The age is the greater of the time since Date and of Age plus the time of the fetch,"
                  + " plus the time since",
              "over several hops, with skewed clocks, without a Date",
              all(
                  ok("Cache-Control: max-age=90").after(5).agedSeconds(5),
                  ok("Cache-Control: max-age=90", "Age: 7").after(5).agedSeconds(12),
                  ok("Cache-Control: max-age=90", "Date: {-9}").after(5).agedSeconds(14),
                  ok("Cache-Control: max-age=90", "Date: {-9}", "Age: 7").after(5).agedSeconds(14),
                  ok("Cache-Control: max-age=90", "Date: {-9}", "Age: 17").after(5).agedSeconds(22),
                  ok("Cache-Control: max-age=90", "Date: {+3600}").after(5).agedSeconds(5))),
          must(
              "4.2.3",
              "Age is computed from the time the request was sent",
              "the response delay is included",
              ok("Cache-Control: max-age=90", "Age: 7").delayed(3000).after(5).agedSeconds(15)),
          may(
              "4.2.3",
              "A cache that trusts Age may ignore Date",
              "Date is not ignored",
              ok("Cache-Control: max-age=90", "Date: {-30}", "Age: 1").agedSeconds(30)),
          must(
              "4.2.4",
              "A response is not served stale if a directive forbids it",
              "no-cache, must-revalidate, proxy-revalidate, and s-maxage alone do, whatever the"
                  + " route says",
              all(
                  grace("Cache-Control: max-age=9, must-revalidate")
                      .decides("Revalidate STALE_EXPIRED"),
                  grace("Cache-Control: max-age=9, proxy-revalidate")
                      .decides("Revalidate STALE_EXPIRED"),
                  grace("Cache-Control: s-maxage=9").decides("Revalidate STALE_EXPIRED"),
                  grace("Cache-Control: max-age=9, no-cache").decides("Revalidate STALE_NO_CACHE"),
                  grace("Cache-Control: max-age=9, must-revalidate").servedOnError(false),
                  grace("Cache-Control: s-maxage=9").servedOnError(false),
                  grace("Cache-Control: max-age=9, no-cache").servedOnError(false),
                  grace("Cache-Control: max-age=9").servedOnError(true))),
          must(
              "4.2.4",
              "Nothing is served stale unless disconnected, or the client, the origin or the"
                  + " configuration permits it",
              "only by a window of the response or the route, or max-stale; being disconnected"
                  + " alone permits nothing",
              all(
                  ok("Cache-Control: max-age=9", "ETag: \"a\"").after(9).servedOnError(false),
                  grace("Cache-Control: max-age=9").decides("Serve HIT_STALE_WHILE_REVALIDATE"),
                  shownBy("ServerFailureTest.staleIsNotServedWhereTheOriginForbidsIt"))),
          text(
              "4.3.3",
              "A request that nothing selectable is stored for goes to the origin",
              "a GET as a fetch, a HEAD as it is",
              all(
                  by("GET")
                      .answered(200, "Cache-Control: max-age=9")
                      .after(9)
                      .decides("Fetch STALE_EXPIRED"),
                  by("GET")
                      .answered(200, "Cache-Control: max-age=9")
                      .after(9)
                      .askedBy("HEAD")
                      .decides("Pass PASS_HEAD"))));

  private static Case grace(String control) {
    return ok(control, "ETag: \"a\"")
        .on(route ->
            route.staleWhileRevalidate(Duration.ofHours(1)).staleIfError(Duration.ofHours(1)))
        .after(10);
  }

  private static Case asking(String wish, String control) {
    return ok("Cache-Control: " + control, "ETag: \"a\"")
        .honouring()
        .asked("Cache-Control: " + wish);
  }

  private Rfc9111Reuse() {}
}
