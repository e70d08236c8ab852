package io.forebay.core.conformance;

import static io.forebay.core.conformance.Case.ok;
import static io.forebay.core.conformance.Check.all;
import static io.forebay.core.conformance.Check.shownBy;
import static io.forebay.core.conformance.Row.may;
import static io.forebay.core.conformance.Row.must;
import static io.forebay.core.conformance.Row.should;

/** Requirements of RFC 9110 for a cache, except conditions and ranges. */
final class Rfc9110 {

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 9110: fields and methods",
          must(
              "5.6.7",
              "All three date formats are accepted",
              "a year of two digits is in the last or the next fifty years",
              all(
                  ok("Expires: Tuesday, 02-Jun-26 12:00:09 GMT", "Date: {+0}").freshFor(9),
                  ok("Expires: Tue Jun  2 12:00:09 2026", "Date: {+0}").freshFor(9),
                  shownBy("HttpDateTest.readsAllThreeForms"))),
          must(
              "6.6.1",
              "A recipient with a clock that stores or forwards a response without Date adds one",
              "the time of receipt; an invalid Date counts as absent when the age is calculated",
              all(
                  ok("Cache-Control: max-age=9").keepsField("date: Tue, 02 Jun 2026 12:00:00 GMT"),
                  ok("Cache-Control: max-age=9", "Date: x").after(5).agedSeconds(5))),
          must(
              "7.6.1",
              "Connection-specific fields are not forwarded",
              "they are neither stored nor forwarded",
              shownBy("ServerPassTest.dropsHopByHopFieldsOfTheResponseStoredOrNot")),
          must(
              "7.6.3",
              "A proxy adds itself to Via",
              "in requests and responses; a route with `via: off` adds none to requests"
                  + " to its origin",
              shownBy(
                  "ServerPassTest.saysToTheOriginWhoAskedAndBelievesNoStranger",
                  "ServerViaTest.aRouteWithoutItSendsNoneForFillsAndForPassedRequests")),
          must(
              "8.8.3",
              "An entity tag is opaque, in double quotes, with W/ in upper case if it is weak",
              "any other form is not a tag",
              shownBy("EntityTagTest.compares")),
          must(
              "8.8.2.2",
              "A Last-Modified is a strong validator only if it is at least a second"
                  + " earlier than Date",
              "this rule applies to If-Range and to joining parts",
              shownBy("PreconditionsTest.aYoungModificationDateIsWeak")),
          must(
              "15.4.5",
              "A 304 has those of Cache-Control, Content-Location, Date, ETag, Expires"
                  + " and Vary that a 200 would have",
              "these, and also CDN-Cache-Control, Last-Modified and Set-Cookie",
              shownBy("ServerRulesTest.aNotModifiedRepeatsThePolicies")),
          should(
              "15.4.5",
              "A 304 has no other fields that describe the content",
              "it has none",
              shownBy("FidelityIT.conditionalRequestsAreAnsweredFromTheCache")),
          may(
              "9.3.2",
              "A stored response to GET may answer a HEAD",
              "it does",
              shownBy("FidelityIT.headIsAnsweredFromTheCache")),
          must(
              "9.3.3",
              "A response to POST is stored only with explicit freshness and a Content-Location"
                  + " equal to its target URI",
              "and only a 200 without Set-Cookie to a request without Cookie and Authorization"
                  + " that tells the origin no more than a fetch for its key would; a lifetime"
                  + " of the route does not count",
              shownBy(
                  "PostResponsePolicyTest.isStoredByTheOriginsWordAlone",
                  "PostResponsePolicyTest.aRequestThatTellsTheOriginMoreThanAFillIsNone",
                  "storing/post.script")),
          may(
              "9.3.3",
              "A stored response to POST may answer a later GET or HEAD",
              "it does, unless the route says store-post: false; it takes the place of what its"
                  + " request invalidates, and of what fetches that began earlier bring",
              shownBy(
                  "storing/post.script",
                  "ServerPostTest.aBodyOfUnknownLengthIsStoredAsItCame",
                  "storing/post-varies.script",
                  "storing/post-off.script",
                  "invalidation/post-and-fetch.script",
                  "purge/during-the-post.script")),
          must(
              "9.3.3",
              "A POST is not answered from a stored response",
              "it is always forwarded",
              shownBy("storing/post.script")));

  private Rfc9110() {}
}
