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
              "A targeted field is a Structured Fields dictionary",
              "it is parsed as one; names in upper case are malformed",
              all(
                  ok("CDN-Cache-Control: max-age=9").freshFor(9),
                  ok("CDN-Cache-Control: MAX-AGE=9", "Cache-Control: max-age=5").freshFor(5),
                  ok("CDN-Cache-Control: max-age=9", "CDN-Cache-Control: no-store")
                      .notStored(Reason.NOT_STORED_NO_STORE),
                  ok("CDN-Cache-Control: max-age=9, max-age=5").freshFor(5))),
          should(
              "2.1",
              "Values of a wrong type are ignored",
              "a number of seconds is a non-negative integer, not a decimal or a string",
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
                  "Restrictive directives with a value of a wrong type are ignored",
                  "no-store, private and no-cache apply with any value except ?0",
                  all(
                      ok("CDN-Cache-Control: max-age=9, private=1")
                          .notStored(Reason.NOT_STORED_PRIVATE),
                      ok("CDN-Cache-Control: max-age=9, no-store=x")
                          .notStored(Reason.NOT_STORED_NO_STORE),
                      ok("CDN-Cache-Control: max-age=9, no-store=?0").freshFor(9)))
              .butWeDeviate(
                  "A malformed restriction is still a restriction. Ignoring it could send"
                      + " a response to clients that must not receive it."),
          text(
              "2.1",
              "Parameters are ignored",
              "they are",
              ok("CDN-Cache-Control: max-age=9;x=1, foo;max-age=5").freshFor(9)),
          must(
              "2.1",
              "An empty or malformed field is ignored entirely",
              "the next field, or Cache-Control, applies; a field of more than 512 bytes"
                  + " is also ignored",
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
              "The first valid, non-empty field of the target list applies",
              "Forebay-Cache-Control, CDN-Cache-Control, Surrogate-Control; a route can"
                  + " set another list",
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
              "If such a field applies, Cache-Control and Expires are ignored",
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
              "Fields that are not on the target list have no effect and are forwarded",
              "they are",
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
              "Other directives of Cache-Control are implemented",
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
              "With a longer targeted lifetime, responses can look stale to other recipients",
              "Age, Date and Expires are sent unchanged in this case",
              ok("CDN-Cache-Control: max-age=90", "Cache-Control: max-age=5")
                  .after(9)
                  .agedSeconds(9)),
          may(
              "3.1",
              "CDN-Cache-Control may be removed; normally it is forwarded",
              "it is forwarded, since caches nearer to the client can belong to a CDN",
              ok("CDN-Cache-Control: max-age=9").keepsField("cdn-cache-control: max-age=9")),
          text(
              "2",
              "A field that targets one cache applies to that cache",
              "Forebay-Cache-Control and Surrogate-Control are removed, whether the"
                  + " response is stored or not",
              all(
                  ok("Forebay-Cache-Control: max-age=9").keepsNo("forebay-cache-control"),
                  ok("Surrogate-Control: max-age=9").keepsNo("surrogate-control"),
                  shownBy("ServerRulesTest.whatIsMeantForThisCacheIsNotSentOn"))),
          text(
              "Surrogate-Control",
              "It has its own syntax: max-age with a grace period, no-store, content,"
                  + " parameters that name a surrogate",
              "the grace period sets both stale windows; content and directives for other"
                  + " surrogates are ignored",
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
