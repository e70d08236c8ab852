package io.forebay.core.conformance;

import static io.forebay.core.conformance.Case.ok;
import static io.forebay.core.conformance.Check.all;
import static io.forebay.core.conformance.Check.shownBy;
import static io.forebay.core.conformance.Row.may;
import static io.forebay.core.conformance.Row.must;
import static io.forebay.core.conformance.Row.should;

/** What RFC 9110 asks of a cache, but for conditions and ranges. */
final class Rfc9110 {

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 9110: what concerns a cache",
          must(
              "5.6.7",
              "All three forms of a date are read",
              "two digits of a year are of the last or the next fifty years",
              all(
                  ok("Expires: Tuesday, 02-Jun-26 12:00:09 GMT", "Date: {+0}").freshFor(9),
                  ok("Expires: Tue Jun  2 12:00:09 2026", "Date: {+0}").freshFor(9),
                  shownBy("HttpDateTest.readsAllThreeForms"))),
          must(
              "6.6.1",
              "Who has a clock and stores or forwards a response without Date adds one",
              "when it came; a Date that is no date counts as none for its age",
              all(
                  ok("Cache-Control: max-age=9").keepsField("date: Tue, 02 Jun 2026 12:00:00 GMT"),
                  ok("Cache-Control: max-age=9", "Date: x").after(5).agedSeconds(5))),
          must(
              "7.6.1",
              "Fields of one connection are not forwarded",
              "neither stored nor passed on",
              shownBy("ServerPassTest.dropsHopByHopFieldsOfTheResponseStoredOrNot")),
          must(
              "7.6.3",
              "A proxy names itself in Via",
              "in requests and responses; a route with `via: off` sends its origin none",
              shownBy(
                  "ServerPassTest.saysToTheOriginWhoAskedAndBelievesNoStranger",
                  "ServerViaTest.aRouteWithoutItSendsNoneForFillsAndForPassedRequests")),
          must(
              "8.8.3",
              "An entity tag is opaque, in double quotes, with W/ in upper case if it is weak",
              "anything else is no tag",
              shownBy("EntityTagTest.compares")),
          must(
              "8.8.2.2",
              "A Last-Modified is strong only if it is at least a second older than Date",
              "so it is for If-Range and for joining parts",
              shownBy("PreconditionsTest.aYoungModificationDateIsWeak")),
          must(
              "15.4.5",
              "A 304 has Cache-Control, Content-Location, Date, ETag, Expires and Vary if a 200 had"
                  + " them",
              "and CDN-Cache-Control, Last-Modified and Set-Cookie",
              shownBy("ServerRulesTest.aNotModifiedRepeatsThePolicies")),
          should(
              "15.4.5",
              "A 304 has no other fields that describe the content",
              "it has none",
              shownBy("FidelityIT.conditionalRequestsAreAnsweredFromTheCache")),
          may(
              "9.3.2",
              "A HEAD may be answered from a stored GET",
              "it is",
              shownBy("FidelityIT.headIsAnsweredFromTheCache")));

  private Rfc9110() {}
}
