package io.forebay.core.conformance;

import static io.forebay.core.conformance.Case.ok;
import static io.forebay.core.conformance.Check.all;
import static io.forebay.core.conformance.Check.shownBy;
import static io.forebay.core.conformance.Row.may;
import static io.forebay.core.conformance.Row.must;
import static io.forebay.core.conformance.Row.should;
import static io.forebay.core.conformance.Row.text;

import io.forebay.core.policy.Reason;
import java.time.Duration;

/** RFC 5861. */
final class Rfc5861 {

  private static final Duration HOUR = Duration.ofHours(1);

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 5861: stale-while-revalidate and stale-if-error",
          may(
              "3",
              "A response may be served stale within stale-while-revalidate",
              "for that long after its freshness ends",
              all(
                  ok("Cache-Control: max-age=9, stale-while-revalidate=5")
                      .after(13)
                      .decides("Serve HIT_STALE_WHILE_REVALIDATE"),
                  ok("Cache-Control: max-age=9, stale-while-revalidate=5")
                      .after(14)
                      .decides("Fetch STALE_EXPIRED"))),
          should(
              "3",
              "Meanwhile the cache revalidates it without blocking the response",
              "with one refresh at a time",
              shownBy("ServerFailureTest.staleIsServedAtOnceWhileItIsRefreshedOnce")),
          must(
              "3",
              "A response is not served stale after the window",
              "it is revalidated first",
              ok("Cache-Control: max-age=9, stale-while-revalidate=5", "ETag: \"a\"")
                  .after(14)
                  .decides("Revalidate STALE_EXPIRED")),
          text(
              "3",
              "A response without the directive permits no stale use",
              "unless the route sets a window; 0 in the response overrides the route",
              all(
                  ok("Cache-Control: max-age=9").after(9).decides("Fetch STALE_EXPIRED"),
                  ok("Cache-Control: max-age=9")
                      .on(route -> route.staleWhileRevalidate(HOUR))
                      .after(9)
                      .decides("Serve HIT_STALE_WHILE_REVALIDATE"),
                  ok("Cache-Control: max-age=9, stale-while-revalidate=0")
                      .on(route -> route.staleWhileRevalidate(HOUR))
                      .after(9)
                      .decides("Fetch STALE_EXPIRED"))),
          text(
              "3",
              "A window set by the cache begins when freshness ends",
              "the windows of a route, and max-stale and stale-if-error of a request,"
                  + " apply only to a response with a lifetime above 0, its own or the route's",
              all(
                  never("Cache-Control: max-age=0").decides("Revalidate STALE_EXPIRED"),
                  never("Cache-Control: max-age=x").decides("Revalidate STALE_EXPIRED"),
                  never("Expires: 0").decides("Revalidate STALE_EXPIRED"),
                  never("Expires: {-5}").decides("Revalidate STALE_EXPIRED"),
                  never("Cache-Control: max-age=0").servedOnError(false),
                  never("Expires: 0").servedOnError(false),
                  never("Expires: 0")
                      .honouring()
                      .asked("Cache-Control: stale-if-error=99")
                      .servedOnError(false),
                  never("Expires: 0")
                      .honouring()
                      .asked("Cache-Control: max-stale")
                      .decides("Revalidate STALE_EXPIRED"),
                  ok("Expires: 0")
                      .on(route -> route.staleWhileRevalidate(HOUR))
                      .notStored(Reason.NOT_STORED_STALE),
                  never("Cache-Control: max-age=0, stale-while-revalidate=9, stale-if-error=9")
                      .decides("Serve HIT_STALE_WHILE_REVALIDATE"),
                  never("Cache-Control: max-age=0, stale-while-revalidate=9, stale-if-error=9")
                      .servedOnError(true),
                  never("Expires: 0")
                      .on(route -> route.ttlOverride(Duration.ofSeconds(1)))
                      .after(2)
                      .decides("Serve HIT_STALE_WHILE_REVALIDATE"),
                  shownBy(
                      "ServerPersonalAnswerTest.anAnswerWithoutALifetimeIsNotServedStaleToAnotherUser",
                      "ServerPersonalAnswerTest.aClientCannotAskForTheStaleAnswerOfAnotherUser"))),
          text(
              "3",
              "A malformed window",
              "permits nothing; the smallest of several values applies",
              all(
                  ok("Cache-Control: max-age=9, stale-while-revalidate=x")
                      .on(route -> route.staleWhileRevalidate(HOUR))
                      .after(9)
                      .decides("Fetch STALE_EXPIRED"),
                  ok("Cache-Control: max-age=9, stale-while-revalidate=9, stale-while-revalidate=2")
                      .after(12)
                      .decides("Fetch STALE_EXPIRED"))),
          text(
              "3",
              "A response that is stale on arrival but has a window",
              "it is stored, also without a validator",
              all(
                  ok("Cache-Control: max-age=0, stale-while-revalidate=5")
                      .decides("Serve HIT_STALE_WHILE_REVALIDATE"),
                  ok("Cache-Control: max-age=0").notStored(Reason.NOT_STORED_STALE),
                  ok("Cache-Control: max-age=0, stale-while-revalidate=5", "Age: 5")
                      .notStored(Reason.NOT_STORED_STALE))),
          may(
              "4",
              "A response may be served stale within stale-if-error when the origin fails",
              "on a failed connection, a timeout, an invalid response, and 500, 502, 503 and 504",
              all(
                  ok("Cache-Control: max-age=9, stale-if-error=5").after(13).servedOnError(true),
                  ok("Cache-Control: max-age=9, stale-if-error=5").after(14).servedOnError(false),
                  shownBy(
                      "ServerFailureTest.staleIsServedWhileTheOriginFailsIfItMayBe",
                      "ServerRulesTest.staleIsServedWithoutAConnectionAndWithoutAnAnswerInTime",
                      "ServerRulesTest.aFailureThatCouldBeStoredDoesNotTakeThePlaceOfWhatIsStale"))),
          text(
              "4",
              "The two windows are independent",
              "stale-while-revalidate does not apply to failures, nor stale-if-error without one",
              all(
                  ok("Cache-Control: max-age=9, stale-while-revalidate=90")
                      .after(9)
                      .servedOnError(false),
                  ok("Cache-Control: max-age=9, stale-if-error=90")
                      .after(9)
                      .decides("Fetch STALE_EXPIRED"))),
          text(
              "4",
              "stale-if-error in a request applies to that request",
              "it extends the window if the route obeys client directives, unless the"
                  + " response forbids stale use",
              all(
                  ok("Cache-Control: max-age=9")
                      .honouring()
                      .after(10)
                      .asked("Cache-Control: stale-if-error=5")
                      .servedOnError(true),
                  ok("Cache-Control: max-age=9")
                      .after(10)
                      .asked("Cache-Control: stale-if-error=5")
                      .servedOnError(false),
                  ok("Cache-Control: max-age=9, must-revalidate")
                      .honouring()
                      .after(10)
                      .asked("Cache-Control: stale-if-error=5")
                      .servedOnError(false))));

  /** A response on a route with both windows, with a validator. */
  private static Case never(String field) {
    return ok(field, "ETag: \"a\"")
        .on(route -> route.staleWhileRevalidate(HOUR).staleIfError(HOUR))
        .after(1);
  }

  private Rfc5861() {}
}
