package io.forebay.core.conformance;

import static io.forebay.core.conformance.Check.all;
import static io.forebay.core.conformance.Check.same;
import static io.forebay.core.conformance.Check.shownBy;
import static io.forebay.core.conformance.Row.may;
import static io.forebay.core.conformance.Row.must;
import static io.forebay.core.conformance.Row.text;

import io.forebay.core.policy.InvalidationPolicy;
import java.util.List;

/** RFC 10008. */
final class Rfc10008 {

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 10008: QUERY",
          text(
              "2",
              "QUERY is safe",
              "it invalidates nothing, and neither does a Location in its answer",
              all(
                  same(
                      List.of(),
                      () ->
                          InvalidationPolicy.invalidated(
                              Case.request("QUERY"), 200, Case.fields("Location: /b"))),
                  shownBy("ServerQueryTest.isSafeAndIsInvalidatedWithItsUrl"))),
          must(
              "2",
              "A request without a Content-Type, or with a wrong one, is to be failed by the server",
              "that is the origin's to say; such a request has a key of its own",
              shownBy("ServerQueryTest.theKeyHasUrlTypeAndContent")),
          text(
              "2.6",
              "Conditions mean what they mean for a GET of the same result",
              "they are evaluated on what is stored, and validations carry the content again",
              shownBy("ServerQueryTest.aStaleAnswerIsConfirmedWithTheSameContent")),
          may(
              "2.7",
              "An answer may be stored and used for later QUERY requests",
              "where the route says query-method: cache, by the rules for a GET; else it is passed",
              shownBy(
                  "ServerQueryTest.theKeyHasUrlTypeAndContent",
                  "ServerQueryTest.isPassedWhereTheRouteDoesNotSayOtherwise",
                  "ServerQueryTest.whatMayNotBeStoredIsPassedWithItsContent")),
          must(
              "2.7",
              "The key has the request's content and what describes it",
              "a SHA-256 of content, type, encoding and language; what is longer than 64 KiB is passed",
              shownBy(
                  "ServerQueryTest.theKeyHasUrlTypeAndContent",
                  "ServerQueryTest.contentBeyondTheBoundIsPassedAsItCame")),
          may(
              "2.7",
              "Differences in the content that mean nothing may be removed first",
              "none are: what they mean is for the origin to know",
              shownBy("ServerQueryTest.theKeyHasUrlTypeAndContent")),
          text(
              "2.7",
              "Whoever caches has to have read all of the content",
              "it is read before anything is looked up, within a bound for each and for all",
              shownBy(
                  "ServerQueryTest.contentMayComeInChunksAndInPieces",
                  "ServerQueryTest.aClientThatLeavesWhileItsContentIsReadLeavesNothingBehind")));

  private Rfc10008() {}
}
