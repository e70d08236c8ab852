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
              "Within stale-while-revalidate it may be served stale",
              "from the end of its freshness for so long",
              all(
                  ok("Cache-Control: max-age=9, stale-while-revalidate=5")
                      .after(13)
                      .decides("Serve HIT_STALE_WHILE_REVALIDATE"),
                  ok("Cache-Control: max-age=9, stale-while-revalidate=5")
                      .after(14)
                      .decides("Fetch STALE_EXPIRED"))),
          should(
              "3",
              "Meanwhile it is revalidated without anybody waiting for that",
              "one refresh at a time",
              shownBy("ServerFailureTest.staleIsServedAtOnceWhileItIsRefreshedOnce")),
          must(
              "3",
              "After the window it is not served stale",
              "it is revalidated first",
              ok("Cache-Control: max-age=9, stale-while-revalidate=5", "ETag: \"a\"")
                  .after(14)
                  .decides("Revalidate STALE_EXPIRED")),
          text(
              "3",
              "A response that says nothing permits nothing",
              "unless the route gives a window; 0 in the response goes before it",
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
              "The time that a cache may add by itself begins where freshness ends",
              "the windows of a route, and max-stale and stale-if-error of a request, apply only to a"
                  + " response with a lifetime above 0, of its own or of the route",
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
              "Malformed windows",
              "permit nothing; of two the least counts",
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
              "is stored, without a validator too",
              all(
                  ok("Cache-Control: max-age=0, stale-while-revalidate=5")
                      .decides("Serve HIT_STALE_WHILE_REVALIDATE"),
                  ok("Cache-Control: max-age=0").notStored(Reason.NOT_STORED_STALE),
                  ok("Cache-Control: max-age=0, stale-while-revalidate=5", "Age: 5")
                      .notStored(Reason.NOT_STORED_STALE))),
          may(
              "4",
              "Within stale-if-error it may be served where the origin fails",
              "no connection, no answer in time, a broken answer, 500, 502, 503 and 504",
              all(
                  ok("Cache-Control: max-age=9, stale-if-error=5").after(13).servedOnError(true),
                  ok("Cache-Control: max-age=9, stale-if-error=5").after(14).servedOnError(false),
                  shownBy(
                      "ServerFailureTest.staleIsServedWhileTheOriginFailsIfItMayBe",
                      "ServerRulesTest.staleIsServedWithoutAConnectionAndWithoutAnAnswerInTime",
                      "ServerRulesTest.aFailureThatCouldBeStoredDoesNotTakeThePlaceOfWhatIsStale"))),
          text(
              "4",
              "Each window is its own",
              "stale-while-revalidate says nothing about failures, and the other way round",
              all(
                  ok("Cache-Control: max-age=9, stale-while-revalidate=90")
                      .after(9)
                      .servedOnError(false),
                  ok("Cache-Control: max-age=9, stale-if-error=90")
                      .after(9)
                      .decides("Fetch STALE_EXPIRED"))),
          text(
              "4",
              "stale-if-error in a request is about that request",
              "it widens the window where the route obeys clients, unless the response forbids stale use",
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
