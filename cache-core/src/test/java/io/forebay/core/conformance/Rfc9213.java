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
import java.util.List;

/** RFC 9213, and Surrogate-Control of the Edge Architecture Specification. */
final class Rfc9213 {

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 9213: targeted fields",
          text(
              "2.1",
              "A targeted field is a dictionary of structured fields",
              "read by a parser for these; names in upper case are malformed",
              all(
                  ok("CDN-Cache-Control: max-age=9").freshFor(9),
                  ok("CDN-Cache-Control: MAX-AGE=9", "Cache-Control: max-age=5").freshFor(5),
                  ok("CDN-Cache-Control: max-age=9", "CDN-Cache-Control: no-store")
                      .notStored(Reason.NOT_STORED_NO_STORE),
                  ok("CDN-Cache-Control: max-age=9, max-age=5").freshFor(5))),
          should(
              "2.1",
              "Values of a wrong type are not used",
              "numbers only where numbers belong, not negative, no decimals, no strings",
              all(
                  ok("CDN-Cache-Control: max-age=\"9\"", "Cache-Control: max-age=5")
                      .notStored(Reason.NOT_STORED_NO_FRESHNESS),
                  ok("CDN-Cache-Control: max-age=9.5").notStored(Reason.NOT_STORED_NO_FRESHNESS),
                  ok("CDN-Cache-Control: max-age=-9").notStored(Reason.NOT_STORED_NO_FRESHNESS),
                  ok("CDN-Cache-Control: max-age").notStored(Reason.NOT_STORED_NO_FRESHNESS),
                  ok("CDN-Cache-Control: max-age=a").notStored(Reason.NOT_STORED_NO_FRESHNESS),
                  ok("CDN-Cache-Control: max-age=(9)").notStored(Reason.NOT_STORED_NO_FRESHNESS),
                  ok("CDN-Cache-Control: max-age=9, s-maxage=?1").freshFor(9))),
          should(
                  "2.1",
                  "That holds for directives that forbid something, too",
                  "no-store, private and no-cache count with any value but ?0",
                  all(
                      ok("CDN-Cache-Control: max-age=9, private=1")
                          .notStored(Reason.NOT_STORED_PRIVATE),
                      ok("CDN-Cache-Control: max-age=9, no-store=x")
                          .notStored(Reason.NOT_STORED_NO_STORE),
                      ok("CDN-Cache-Control: max-age=9, no-store=?0").freshFor(9)))
              .butWeDeviate(
                  "A restriction that is written wrongly is still one; to take no notice of it could show"
                      + " a response to others than it is meant for."),
          text(
              "2.1",
              "Parameters are ignored",
              "so they are",
              ok("CDN-Cache-Control: max-age=9;x=1, foo;max-age=5").freshFor(9)),
          must(
              "2.1",
              "A field that is empty or malformed is ignored whole",
              "the next one, or Cache-Control, decides; so does one of more than 512 bytes",
              all(
                  ok("CDN-Cache-Control: ", "Cache-Control: max-age=5").freshFor(5),
                  ok("CDN-Cache-Control: max-age=9,", "Cache-Control: max-age=5").freshFor(5),
                  ok("CDN-Cache-Control: max-age=9 s", "Cache-Control: max-age=5").freshFor(5),
                  ok("CDN-Cache-Control: max-age=9, a b", "Cache-Control: max-age=5").freshFor(5),
                  ok("CDN-Cache-Control: no-store, =", "Cache-Control: max-age=5").freshFor(5),
                  ok("CDN-Cache-Control: max-age = 9", "Cache-Control: max-age=5").freshFor(5),
                  ok(
                          "CDN-Cache-Control: max-age=9" + ", foo".repeat(120),
                          "Cache-Control: max-age=5")
                      .freshFor(5),
                  ok(
                          "Forebay-Cache-Control: ;",
                          "CDN-Cache-Control: max-age=9",
                          "Cache-Control: max-age=5")
                      .freshFor(9))),
          must(
              "2.2",
              "The first field of the list that is valid and not empty decides",
              "Forebay-Cache-Control, CDN-Cache-Control, Surrogate-Control; a route can have another list",
              all(
                  ok(
                          "CDN-Cache-Control: max-age=8",
                          "Forebay-Cache-Control: max-age=9",
                          "Surrogate-Control: max-age=7")
                      .freshFor(9),
                  ok("Surrogate-Control: max-age=7", "CDN-Cache-Control: max-age=8").freshFor(8),
                  ok("Surrogate-Control: max-age=7", "CDN-Cache-Control: max-age=8")
                      .on(route -> route.targetedFields(List.of("surrogate-control")))
                      .freshFor(7))),
          must(
              "2.2",
              "Then Cache-Control and Expires are ignored",
              "whatever they permit or forbid",
              all(
                  ok("CDN-Cache-Control: max-age=9", "Cache-Control: no-store").freshFor(9),
                  ok("CDN-Cache-Control: max-age=9", "Cache-Control: private").freshFor(9),
                  ok("CDN-Cache-Control: none", "Cache-Control: max-age=5", "Expires: {+9}")
                      .notStored(Reason.NOT_STORED_NO_FRESHNESS),
                  ok(
                          "CDN-Cache-Control: none",
                          "Cache-Control: no-store",
                          "Date: {+0}",
                          "Last-Modified: {-90}")
                      .freshFor(9),
                  ok("CDN-Cache-Control: max-age=9", "Cache-Control: must-revalidate, max-age=9")
                      .on(route -> route.staleIfError(java.time.Duration.ofHours(1)))
                      .after(10)
                      .servedOnError(true),
                  get("Authorization: x")
                      .answered(200, "CDN-Cache-Control: max-age=9", "Cache-Control: public")
                      .notStored(Reason.NOT_STORED_AUTHORIZATION))),
          must(
              "2.2",
              "Fields that are not on the list change nothing and are passed through",
              "so they are",
              all(
                  ok("Acme-Cache-Control: no-store", "Cache-Control: max-age=5").freshFor(5),
                  ok("Acme-Cache-Control: no-store", "Cache-Control: max-age=5")
                      .keepsField("acme-cache-control: no-store"),
                  ok("Surrogate-Control: no-store", "Cache-Control: max-age=5")
                      .on(route -> route.targetedFields(List.of()))
                      .keepsField("surrogate-control: no-store"))),
          must(
              "2.2",
              "max-age, must-revalidate, no-store, no-cache and private are implemented",
              "as in Cache-Control",
              all(
                  ok("CDN-Cache-Control: max-age=9").freshFor(9),
                  ok("CDN-Cache-Control: max-age=9, must-revalidate, stale-if-error=90")
                      .after(9)
                      .servedOnError(false),
                  ok("CDN-Cache-Control: no-store").notStored(Reason.NOT_STORED_NO_STORE),
                  ok("CDN-Cache-Control: no-cache, max-age=9", "ETag: \"a\"")
                      .decides("Revalidate STALE_NO_CACHE"),
                  ok("CDN-Cache-Control: private").notStored(Reason.NOT_STORED_PRIVATE),
                  ok("CDN-Cache-Control: private=\"x, y\", max-age=9", "X: 1").keepsNo("x"))),
          should(
              "2.2",
              "Other directives of Cache-Control are, too",
              "all of them",
              all(
                  ok("CDN-Cache-Control: max-age=9, s-maxage=5").freshFor(5),
                  ok("CDN-Cache-Control: max-age=9, stale-while-revalidate=5")
                      .after(9)
                      .decides("Serve HIT_STALE_WHILE_REVALIDATE"),
                  get("Authorization: x")
                      .answered(200, "CDN-Cache-Control: max-age=9, public")
                      .freshFor(9))),
          text(
              "2.3",
              "A longer lifetime here makes answers look stale to who does not know of it",
              "Age, Date and Expires are sent as they are all the same",
              ok("CDN-Cache-Control: max-age=90", "Cache-Control: max-age=5")
                  .after(9)
                  .agedSeconds(9)),
          may(
              "3.1",
              "CDN-Cache-Control may be removed; usually it is forwarded",
              "it is forwarded: caches nearer to the client may be of a CDN, too",
              ok("CDN-Cache-Control: max-age=9").keepsField("cdn-cache-control: max-age=9")),
          text(
              "2",
              "A field that is defined for one cache is for that cache",
              "Forebay-Cache-Control and Surrogate-Control end here, stored or not",
              all(
                  ok("Forebay-Cache-Control: max-age=9").keepsNo("forebay-cache-control"),
                  ok("Surrogate-Control: max-age=9").keepsNo("surrogate-control"),
                  shownBy("ServerRulesTest.whatIsMeantForThisCacheIsNotSentOn"))),
          text(
              "Surrogate-Control",
              "Its own syntax: max-age with a grace, no-store, content, parameters that name a surrogate",
              "the grace is both stale windows; content and what is meant for others is ignored",
              all(
                  ok("Surrogate-Control: max-age=9").freshFor(9),
                  ok("Surrogate-Control: max-age=9+5", "ETag: \"a\"")
                      .after(13)
                      .decides("Serve HIT_STALE_WHILE_REVALIDATE"),
                  ok("Surrogate-Control: max-age=9+5").after(13).servedOnError(true),
                  ok("Surrogate-Control: max-age=9+5").after(14).servedOnError(false),
                  ok("Surrogate-Control: max-age=9, content=\"ESI/1.0\"").freshFor(9),
                  ok("Surrogate-Control: no-store", "Cache-Control: max-age=5")
                      .notStored(Reason.NOT_STORED_NO_STORE),
                  ok("Surrogate-Control: no-store-remote").notStored(Reason.NOT_STORED_NO_STORE),
                  ok("Surrogate-Control: no-store;abc, max-age=9").freshFor(9),
                  ok("Surrogate-Control: content=\"ESI/1.0\"", "Cache-Control: max-age=5")
                      .freshFor(5),
                  ok("Surrogate-Control: max-age=9+", "Cache-Control: max-age=5").freshFor(5),
                  ok("Surrogate-Control: max-age=x", "Cache-Control: max-age=5").freshFor(5))));

  private Rfc9213() {}
}
