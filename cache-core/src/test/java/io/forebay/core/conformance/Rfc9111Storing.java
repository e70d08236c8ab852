package io.forebay.core.conformance;

import static io.forebay.core.conformance.Case.by;
import static io.forebay.core.conformance.Case.get;
import static io.forebay.core.conformance.Case.ok;
import static io.forebay.core.conformance.Check.all;
import static io.forebay.core.conformance.Check.same;
import static io.forebay.core.conformance.Check.shownBy;
import static io.forebay.core.conformance.Row.may;
import static io.forebay.core.conformance.Row.must;
import static io.forebay.core.conformance.Row.should;
import static io.forebay.core.conformance.Row.text;

import io.forebay.core.http.ContentRange;
import io.forebay.core.policy.Reason;
import io.forebay.core.route.CookieSettings.SetCookie;

/** RFC 9111 §1.2.2 and §3. */
final class Rfc9111Storing {

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 9111: storing",
          must(
              "1.2.2",
              "A number of seconds too large to represent counts as 2^31 or as the largest that can be",
              "it counts as 2^31, whatever it is calculated with",
              all(
                  ok("Cache-Control: max-age=99999999999999999999").freshFor(1L << 31),
                  ok("Cache-Control: max-age=2147483649").freshFor(1L << 31),
                  ok("Cache-Control: max-age=9", "ETag: \"a\"", "Age: 99999999999999999999")
                      .agedSeconds(1L << 31))),
          text(
              "2",
              "A key is made of the method and the target URI at least",
              "of the URI: a stored GET answers GET and HEAD alone; a QUERY has its content in it besides",
              shownBy(
                  "StorabilityIT.hostsPortsAndSpellingsAreKeyedAsTheyShould",
                  "ServerQueryTest.theKeyHasUrlTypeAndContent")),
          text(
              "3",
              "A method or a status is understood by who does all that is specified of its caching",
              "GET, and QUERY where the route says so; of statuses those of RFC 9110 that have such rules",
              all(
                  get().answered(301, "Cache-Control: must-understand, max-age=9").freshFor(9),
                  get().answered(451, "Cache-Control: must-understand, max-age=9").freshFor(9),
                  get()
                      .answered(402, "Cache-Control: must-understand, max-age=9")
                      .notStored(Reason.NOT_STORED_MUST_UNDERSTAND))),
          must(
              "3",
              "Nothing is stored whose request method is not understood",
              "only GET is stored; a GET with a body is none",
              all(
                  by("X")
                      .answered(200, "Cache-Control: max-age=9")
                      .notStored(Reason.NOT_STORED_METHOD),
                  by("POST")
                      .answered(200, "Cache-Control: public, max-age=9")
                      .notStored(Reason.NOT_STORED_METHOD),
                  by("get")
                      .answered(200, "Cache-Control: max-age=9")
                      .notStored(Reason.NOT_STORED_METHOD))),
          must(
              "3",
              "Nothing is stored whose status is not final",
              "interim responses never are",
              get().answered(100, "Cache-Control: max-age=9").notStored(Reason.NOT_STORED_STATUS)),
          must(
              "3",
              "A 206 or 304 is stored only by who understands it",
              "a 304 only updates what is stored; a 206 is stored as slices of what it is a part of",
              all(
                  get()
                      .answered(304, "Cache-Control: max-age=9")
                      .notStored(Reason.NOT_STORED_STATUS),
                  get()
                      .answered(206, "Cache-Control: max-age=9", "Content-Range: bytes 0-1/2")
                      .notStored(Reason.NOT_STORED_PARTIAL))),
          must(
              "3",
              "With must-understand nothing is stored whose status is not understood",
              "statuses whose caching is implemented are listed; others are not stored then",
              all(
                  get()
                      .answered(299, "Cache-Control: must-understand, max-age=9")
                      .notStored(Reason.NOT_STORED_MUST_UNDERSTAND),
                  get().answered(404, "Cache-Control: must-understand, max-age=9").freshFor(9))),
          must(
              "3",
              "Nothing is stored that says no-store",
              "in any spelling, in any line, with a value or without, whatever else it says",
              all(
                  ok("Cache-Control: no-store").notStored(Reason.NOT_STORED_NO_STORE),
                  ok("Cache-Control: max-age=9", "Cache-Control: public, NO-STORE")
                      .notStored(Reason.NOT_STORED_NO_STORE),
                  ok("Cache-Control: no-store=x, s-maxage=9").notStored(Reason.NOT_STORED_NO_STORE),
                  ok("Cache-Control: max-age=9, foo=\"no-store\"").freshFor(9))),
          must(
              "3",
              "A shared cache stores nothing private, unless a part of it is meant",
              "private alone forbids storing, with names only those fields",
              all(
                  ok("Cache-Control: private, max-age=9").notStored(Reason.NOT_STORED_PRIVATE),
                  ok("Cache-Control: private=\"x\", max-age=9", "X: 1").keepsNo("x"))),
          must(
              "3",
              "A response to a request with Authorization is stored only if it says so itself",
              "by public, s-maxage or must-revalidate",
              get("Authorization: Basic eA==")
                  .answered(200, "Cache-Control: max-age=9")
                  .notStored(Reason.NOT_STORED_AUTHORIZATION)),
          must(
              "3",
              "Something has to say that it may be stored: public, Expires, max-age, s-maxage, or a"
                  + " status that is heuristically cacheable",
              "a time of its own, or a Last-Modified to guess one from, or a validator with no-cache",
              all(
                  get().answered(302, "X: y").notStored(Reason.NOT_STORED_NO_FRESHNESS),
                  get().answered(302, "Cache-Control: max-age=9").freshFor(9),
                  get().answered(302, "Expires: {+9}", "Date: {+0}").freshFor(9),
                  get().answered(299, "Cache-Control: s-maxage=9").freshFor(9),
                  get().answered(302, "Cache-Control: public", "Last-Modified: {-90}").freshFor(9),
                  get()
                      .answered(302, "Last-Modified: {-90}")
                      .notStored(Reason.NOT_STORED_NO_FRESHNESS))),
          text(
              "3",
              "A response with neither a validator nor a time of its own need not be stored",
              "it is not stored",
              ok("X: y").notStored(Reason.NOT_STORED_NO_FRESHNESS)),
          must(
              "3.1",
              "All fields are stored, unknown ones too",
              "all but those named below",
              all(
                  ok("Cache-Control: max-age=9", "X-New: 1").keepsField("x-new: 1"),
                  ok("Cache-Control: max-age=9", "Set: a", "Set: b").keepsField("set: b"))),
          must(
              "3.1",
              "Connection, and what it lists, is removed before forwarding, so it may be left out",
              "left out before it is stored",
              all(
                  ok("Cache-Control: max-age=9", "Connection: x, close", "X: 1").keepsNo("x"),
                  ok("Cache-Control: max-age=9", "Connection: x", "Keep-Alive: 5")
                      .keepsNo("keep-alive"),
                  ok("Cache-Control: max-age=9", "Connection: close").keepsNo("connection"))),
          must(
                  "3.1",
                  "What Connection lists is removed, whatever it is",
                  "fields that messages are framed, keyed or judged by stay although they are listed",
                  ok("Cache-Control: max-age=9", "Connection: etag", "ETag: \"a\"")
                      .keepsField("etag: \"a\""))
              .butWeDeviate(
                  "An origin, or who stands before it, could otherwise take Vary, Set-Cookie or"
                      + " Cache-Control out of what clients behind us see."),
          may(
              "3.1",
              "Other fields that end at this hop may be left out before storing",
              "TE, Trailer, Transfer-Encoding, Upgrade, Proxy-Connection, Keep-Alive are",
              all(
                  ok("Cache-Control: max-age=9", "Upgrade: h2c").keepsNo("upgrade"),
                  ok("Cache-Control: max-age=9", "TE: x", "Trailer: y").keepsNo("te"),
                  ok("Cache-Control: max-age=9", "Trailer: y").keepsNo("trailer"),
                  shownBy("ServerPassTest.dropsHopByHopFieldsOfTheResponseStoredOrNot"))),
          must(
              "3.1",
              "Fields of a proxy's own authentication are not stored",
              "Proxy-Authenticate, Proxy-Authentication-Info and Proxy-Authorization are not",
              all(
                  ok("Cache-Control: max-age=9", "Proxy-Authenticate: Basic")
                      .keepsNo("proxy-authenticate"),
                  ok("Cache-Control: max-age=9", "Proxy-Authentication-Info: x")
                      .keepsNo("proxy-authentication-info"),
                  ok("Cache-Control: max-age=9", "Proxy-Authorization: x")
                      .keepsNo("proxy-authorization"))),
          may(
              "3.1",
              "Trailers may be stored apart from fields, or discarded",
              "discarded",
              shownBy("BrokenOriginIT.trailersAreDroppedAndNotKept")),
          must(
              "3.1",
              "Trailers are never merged into the fields",
              "they never are",
              shownBy("BrokenOriginIT.trailersAreDroppedAndNotKept")),
          must(
              "3.2",
              "An update puts each new field in place of the stored ones of that name",
              "a 304's and a HEAD's fields take the place of the stored ones; others stay",
              shownBy("RevalidationTest.a304ReplacesFieldsButNotThoseOfTheBody")),
          must(
              "3.2",
              "An update leaves Content-Length alone, and what may not be stored",
              "they are skipped",
              shownBy("RevalidationTest.a304ReplacesFieldsButNotThoseOfTheBody")),
          may(
              "3.2",
              "Fields that the stored form hangs on may be left out of an update",
              "Content-Encoding, Content-Range, Content-MD5 and ETag are: they name the stored bytes",
              shownBy("RevalidationTest.a304ReplacesFieldsButNotThoseOfTheBody")),
          should(
              "3.2",
              "That is to be limited to what integrity needs",
              "Content-Type follows the origin",
              shownBy("RevalidationTest.a304ReplacesFieldsButNotThoseOfTheBody")),
          may(
              "3.3",
              "An incomplete 200 may be stored if it is marked as incomplete",
              "slices of a large body that came are kept if a strong validator says of what they are",
              shownBy("ServerPartialTest.whatIsMissingIsFetchedByOneRangeAndIsStored")),
          must(
              "3.3",
              "An incomplete response never answers for the whole",
              "what breaks off is not installed; the transfer is broken off for clients, too",
              shownBy(
                  "BrokenOriginIT.aCutBodyIsABrokenTransferAndNotKept",
                  "ServerBasicsTest.aResponseThatBreaksOffIsSeenBrokenAndNotStored")),
          may(
              "3.3",
              "A 206 may be stored as if it were an incomplete 200",
              "where it answers a range that was asked for to be stored, and has a strong validator",
              all(
                  get()
                      .answered(206, "Cache-Control: max-age=9", "Content-Range: bytes 0-4/9")
                      .notStored(Reason.NOT_STORED_PARTIAL),
                  shownBy(
                      "ServerRangeMissTest.aFarRangeIsFetchedBySliceAndStoredAndLaterRangesCompleteIt"))),
          must(
              "3.3",
              "Nothing partial is stored in units that are not understood",
              "bytes are; a part in other units, or that does not say what it is, is none",
              all(
                  part(true, "Content-Range: bytes 0-4/9"),
                  part(false, "Content-Range: items 0-4/9"),
                  part(false, "Content-Range: bytes 0-4/*"),
                  part(false, "Content-Range: bytes 5-4/9"),
                  part(false, "Content-Range: bytes 0-9/9"),
                  part(false, "Content-Range: bytes 0-4/9", "Content-Range: bytes 0-4/9"))),
          may(
              "3.3",
              "A stored part may be completed by a range request",
              "what slices are missing is fetched by range",
              shownBy("ServerPartialTest.whatIsMissingIsFetchedByOneRangeAndIsStored")),
          must(
              "3.3",
              "A part is sent as 206 only",
              "parts are sent as 206",
              shownBy("ServerBasicsTest.answersHeadConditionsAndRangesFromWhatIsStored")),
          must(
              "3.4",
              "Parts are joined only under one strong validator",
              "the same strong entity tag, or a Last-Modified that is strong, and the same length",
              shownBy(
                  "ServerPartialTest.anAnswerThatDoesNotFitIsNotMixedIn",
                  "ServerPartialTest.withoutAStrongValidatorTheWholeIsFetched")),
          must(
                  "3.4",
                  "When parts are joined the fields of the new part take the place of the stored ones",
                  "the stored ones stay until a 304, a HEAD or a whole response; a part that says no-store or"
                      + " private is not stored",
                  shownBy(
                      "ServerPartialTest.whatIsMissingIsFetchedByOneRangeAndIsStored",
                      "ServerPartialTest.anAnswerThatMayNotBeStoredIsNot"))
              .butWeDeviate(
                  "A part is fetched because memory lost it, not because anybody asked whether the whole is"
                      + " still so: it makes nothing fresher, and so nothing is ever served for longer than"
                      + " the response that was stored as a whole allows."),
          must(
              "3.5",
              "What answered a request with Authorization is reused only if the response allows that"
                  + " to a shared cache",
              "public, s-maxage and must-revalidate do; proxy-revalidate and max-age do not",
              all(
                  get("Authorization: x")
                      .answered(200, "Cache-Control: public, max-age=9")
                      .freshFor(9),
                  get("Authorization: x").answered(200, "Cache-Control: s-maxage=9").freshFor(9),
                  get("Authorization: x")
                      .answered(200, "Cache-Control: must-revalidate, max-age=9")
                      .freshFor(9),
                  get("Authorization: x")
                      .answered(200, "Cache-Control: proxy-revalidate, max-age=9")
                      .notStored(Reason.NOT_STORED_AUTHORIZATION),
                  get("Authorization: x")
                      .answered(200, "Expires: {+9}")
                      .notStored(Reason.NOT_STORED_AUTHORIZATION))),
          must(
              "3.5",
              "Such a response is reused only as the directive that allowed it asks",
              "must-revalidate and s-maxage forbid stale use",
              all(
                  get("Authorization: x")
                      .answered(200, "Cache-Control: must-revalidate, max-age=9", "ETag: \"a\"")
                      .on(route -> route.staleWhileRevalidate(java.time.Duration.ofHours(1)))
                      .after(10)
                      .decides("Revalidate STALE_EXPIRED"),
                  get("Authorization: x")
                      .answered(200, "Cache-Control: s-maxage=9", "ETag: \"a\"")
                      .on(route -> route.staleWhileRevalidate(java.time.Duration.ofHours(1)))
                      .after(10)
                      .decides("Revalidate STALE_EXPIRED"))),
          text(
                  "7.3",
                  "Set-Cookie does not keep a response from being stored",
                  "it does, unless the route says store or strip, or the response names it in private or"
                      + " no-cache",
                  all(
                      ok("Cache-Control: max-age=9", "Set-Cookie: a=b")
                          .notStored(Reason.NOT_STORED_SET_COOKIE),
                      ok("Cache-Control: max-age=9, private=\"set-cookie\"", "Set-Cookie: a=b")
                          .keepsNo("set-cookie"),
                      ok("Cache-Control: max-age=9", "Set-Cookie: a=b")
                          .on(route -> route.setCookie(SetCookie.STORE))
                          .keepsField("set-cookie: a=b"),
                      ok("Cache-Control: max-age=9", "Set-Cookie: a=b")
                          .on(route -> route.setCookie(SetCookie.STRIP))
                          .keepsNo("set-cookie")))
              .butWeDeviate(
                  "One session cookie served to everybody costs more than every hit that storing such"
                      + " responses would bring."),
          text(
                  "3",
                  "An error is heuristically cacheable by its status (404, 405, 410, 414, 501)",
                  "errors are stored by their own explicit time or the route's negative-ttl only",
                  all(
                      get()
                          .answered(404, "Last-Modified: {-90}")
                          .notStored(Reason.NOT_STORED_ERROR_WITHOUT_FRESHNESS),
                      get().answered(404, "Cache-Control: max-age=9").freshFor(9)))
              .butWeDeviate("A guess that keeps an error is a guess that keeps a site down."),
          text(
                  "3",
                  "Any final status can be stored by its own word",
                  "not 400, 408, 411–413, 415–417, 421, 422, 425, 426, 428, 429, 431 and 511",
                  all(
                      get()
                          .answered(400, "Cache-Control: max-age=9")
                          .notStored(Reason.NOT_STORED_STATUS),
                      get()
                          .answered(429, "Cache-Control: max-age=9")
                          .notStored(Reason.NOT_STORED_STATUS)))
              .butWeDeviate(
                  "They say something of a request, not of its URL: by storing them one client could"
                      + " spoil a URL for all."));

  private static Check part(boolean expected, String... fields) {
    return same(expected, () -> ContentRange.of(Case.fields(fields)) != null);
  }

  private Rfc9111Storing() {}
}
