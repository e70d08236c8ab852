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
              "it invalidates nothing; a Location in its response does not either",
              all(
                  same(
                      List.of(),
                      () ->
                          InvalidationPolicy.invalidated(
                              Case.request("QUERY"), 200, Case.fields("Location: /b"))),
                  shownBy("ServerQueryTest.isSafeAndIsInvalidatedWithItsUrl"))),
          must(
              "2",
              "The server fails a request without a Content-Type or with a wrong one",
              "the origin decides this; a request without one has its own key",
              shownBy("ServerQueryTest.theKeyHasUrlTypeAndContent")),
          text(
              "2.6",
              "Conditions have the same meaning as for a GET of the same result",
              "they are evaluated on the stored response; validations repeat the content",
              shownBy("ServerQueryTest.aStaleAnswerIsConfirmedWithTheSameContent")),
          may(
              "2.7",
              "A response may be stored and used for later QUERY requests",
              "it is, by the rules for GET, if the route sets query-method: cache;"
                  + " otherwise the request is passed",
              shownBy(
                  "ServerQueryTest.theKeyHasUrlTypeAndContent",
                  "ServerQueryTest.isPassedWhereTheRouteDoesNotSayOtherwise",
                  "ServerQueryTest.whatMayNotBeStoredIsPassedWithItsContent")),
          must(
              "2.7",
              "The key includes the request's content and related metadata",
              "a SHA-256 of content, type, encoding and language; a request with more"
                  + " than 64 KiB is passed",
              shownBy(
                  "ServerQueryTest.theKeyHasUrlTypeAndContent",
                  "ServerQueryTest.contentBeyondTheBoundIsPassedAsItCame")),
          may(
              "2.7",
              "Semantically insignificant differences may be removed from the content first",
              "none are removed, because only the origin knows which are insignificant",
              shownBy("ServerQueryTest.theKeyHasUrlTypeAndContent")),
          text(
              "2.7",
              "A cache has to read the whole content first",
              "it is read before the lookup, within a limit per request and for all requests",
              shownBy(
                  "ServerQueryTest.contentMayComeInChunksAndInPieces",
                  "ServerQueryTest.aClientThatLeavesWhileItsContentIsReadLeavesNothingBehind")));

  private Rfc10008() {}
}
