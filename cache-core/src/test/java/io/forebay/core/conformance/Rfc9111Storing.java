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
import java.util.Set;

/** RFC 9111 §1.2.2 and §3. */
final class Rfc9111Storing {

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 9111: storing",
          must(
              "1.2.2",
              "A number of seconds too large to represent counts as 2^31 or the largest"
                  + " representable value",
              "it counts as 2^31 in every calculation",
              all(
                  ok("Cache-Control: max-age=99999999999999999999").freshFor(1L << 31),
                  ok("Cache-Control: max-age=2147483649").freshFor(1L << 31),
                  ok("Cache-Control: max-age=9", "ETag: \"a\"", "Age: 99999999999999999999")
                      .agedSeconds(1L << 31))),
          text(
              "2",
              "A cache key contains at least the method and the target URI",
              "the key is the URI: only GET and HEAD use a stored GET or POST; the key of a QUERY"
                  + " includes its content",
              shownBy(
                  "StorabilityIT.hostsPortsAndSpellingsAreKeyedAsTheyShould",
                  "ServerQueryTest.theKeyHasUrlTypeAndContent")),
          text(
              "3",
              "A cache understands a method or status if it implements all specified caching rules"
                  + " for it",
              "GET, and QUERY where the route enables it; the statuses for which RFC 9110 has such"
                  + " rules",
              all(
                  get().answered(301, "Cache-Control: must-understand, max-age=9").freshFor(9),
                  get().answered(451, "Cache-Control: must-understand, max-age=9").freshFor(9),
                  get()
                      .answered(402, "Cache-Control: must-understand, max-age=9")
                      .notStored(Reason.NOT_STORED_MUST_UNDERSTAND))),
          must(
              "3",
              "A response is stored only if the cache understands the request method",
              "responses to GET without a body, and to POST as RFC 9110 §9.3.3 allows, are stored",
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
              "A response is stored only if its status is final",
              "interim responses are never stored",
              get().answered(100, "Cache-Control: max-age=9").notStored(Reason.NOT_STORED_STATUS)),
          must(
              "3",
              "A 206 or 304 is stored only if the cache understands it",
              "a 304 only updates a stored response; a 206 is stored as slices of the complete"
                  + " representation",
              all(
                  get()
                      .answered(304, "Cache-Control: max-age=9")
                      .notStored(Reason.NOT_STORED_STATUS),
                  get()
                      .answered(206, "Cache-Control: max-age=9", "Content-Range: bytes 0-1/2")
                      .notStored(Reason.NOT_STORED_PARTIAL))),
          must(
              "3",
              "A response with must-understand is stored only if the cache understands its status",
              "a list names the statuses whose caching rules are implemented; others are not"
                  + " stored",
              all(
                  get()
                      .answered(299, "Cache-Control: must-understand, max-age=9")
                      .notStored(Reason.NOT_STORED_MUST_UNDERSTAND),
                  get().answered(404, "Cache-Control: must-understand, max-age=9").freshFor(9))),
          must(
              "3",
              "A response with no-store is not stored",
              "in any case, in any field line, with or without a value, regardless of other"
                  + " directives",
              all(
                  ok("Cache-Control: no-store").notStored(Reason.NOT_STORED_NO_STORE),
                  ok("Cache-Control: max-age=9", "Cache-Control: public, NO-STORE")
                      .notStored(Reason.NOT_STORED_NO_STORE),
                  ok("Cache-Control: no-store=x, s-maxage=9").notStored(Reason.NOT_STORED_NO_STORE),
                  ok("Cache-Control: max-age=9, foo=\"no-store\"").freshFor(9))),
          must(
              "3",
              "A shared cache does not store a private response, unless private names only fields",
              "private without names forbids storing; with names, only those fields are not stored",
              all(
                  ok("Cache-Control: private, max-age=9").notStored(Reason.NOT_STORED_PRIVATE),
                  ok("Cache-Control: private=\"x\", max-age=9", "X: 1").keepsNo("x"))),
          must(
              "3",
              "A response to a request with Authorization is stored only if a directive of the"
                  + " response allows it",
              "public, s-maxage or must-revalidate",
              get("Authorization: Basic eA==")
                  .answered(200, "Cache-Control: max-age=9")
                  .notStored(Reason.NOT_STORED_AUTHORIZATION)),
          must(
              "3",
              "A response is storable only with public, Expires, max-age, s-maxage, or a"
                  + " status that is heuristically cacheable",
              "an explicit lifetime, or Last-Modified for a heuristic one, or no-cache with a"
                  + " validator",
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
              "A response with neither a validator nor an explicit lifetime need not be stored",
              "it is not stored",
              ok("X: y").notStored(Reason.NOT_STORED_NO_FRESHNESS)),
          must(
              "3.1",
              "All fields are stored, including unknown ones",
              "all except those named below",
              all(
                  ok("Cache-Control: max-age=9", "X-New: 1").keepsField("x-new: 1"),
                  ok("Cache-Control: max-age=9", "Set: a", "Set: b").keepsField("set: b"))),
          must(
              "3.1",
              "Connection and the fields it lists are removed before forwarding, so they need not"
                  + " be stored",
              "they are removed before storing",
              all(
                  ok("Cache-Control: max-age=9", "Connection: x, close", "X: 1").keepsNo("x"),
                  ok("Cache-Control: max-age=9", "Connection: x", "Keep-Alive: 5")
                      .keepsNo("keep-alive"),
                  ok("Cache-Control: max-age=9", "Connection: close").keepsNo("connection"))),
          must(
                  "3.1",
                  "Every field that Connection lists is removed",
                  "fields that determine framing, key or storability stay although they are listed",
                  ok("Cache-Control: max-age=9", "Connection: etag", "ETag: \"a\"")
                      .keepsField("etag: \"a\""))
              .butWeDeviate(
                  "Otherwise an origin, or a proxy in front of it, could remove Vary, Set-Cookie or"
                      + " Cache-Control from the responses that clients of this node receive."),
          may(
              "3.1",
              "Other hop-by-hop fields may be removed before storing",
              "TE, Trailer, Transfer-Encoding, Upgrade, Proxy-Connection and Keep-Alive are"
                  + " removed",
              all(
                  ok("Cache-Control: max-age=9", "Upgrade: h2c").keepsNo("upgrade"),
                  ok("Cache-Control: max-age=9", "TE: x", "Trailer: y").keepsNo("te"),
                  ok("Cache-Control: max-age=9", "Trailer: y").keepsNo("trailer"),
                  shownBy("ServerPassTest.dropsHopByHopFieldsOfTheResponseStoredOrNot"))),
          must(
              "3.1",
              "Proxy authentication fields are not stored",
              "Proxy-Authenticate, Proxy-Authentication-Info and Proxy-Authorization are removed",
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
              "they are discarded",
              shownBy("BrokenOriginIT.trailersAreDroppedAndNotKept")),
          must(
              "3.1",
              "Trailers are never merged into the fields",
              "they are discarded",
              shownBy("BrokenOriginIT.trailersAreDroppedAndNotKept")),
          must(
              "3.2",
              "An update replaces the stored fields by the new fields of the same name",
              "the fields of a 304 or a response to HEAD replace the stored ones; others stay",
              shownBy("RevalidationTest.a304ReplacesFieldsButNotThoseOfTheBody")),
          must(
              "3.2",
              "An update changes neither Content-Length nor fields that must not be stored",
              "they are skipped",
              shownBy("RevalidationTest.a304ReplacesFieldsButNotThoseOfTheBody")),
          may(
              "3.2",
              "An update may omit fields on which the stored body depends",
              "Content-Encoding, Content-Range, Content-MD5 and ETag are omitted: they describe the"
                  + " stored bytes",
              shownBy("RevalidationTest.a304ReplacesFieldsButNotThoseOfTheBody")),
          should(
              "3.2",
              "A cache limits this to the fields that integrity requires",
              "Content-Type is updated",
              shownBy("RevalidationTest.a304ReplacesFieldsButNotThoseOfTheBody")),
          may(
              "3.3",
              "An incomplete 200 may be stored if it is marked as incomplete",
              "received slices of a large body are kept if the response has a strong validator",
              shownBy("ServerPartialTest.whatIsMissingIsFetchedByOneRangeAndIsStored")),
          must(
              "3.3",
              "An incomplete response is never used as a complete one",
              "a truncated response is not stored, and the response to the client is aborted",
              shownBy(
                  "BrokenOriginIT.aCutBodyIsABrokenTransferAndNotKept",
                  "ServerBasicsTest.aResponseThatBreaksOffIsSeenBrokenAndNotStored")),
          may(
              "3.3",
              "A 206 may be stored as if it were an incomplete 200",
              "it is, if the node requested that range for the store and it has a strong validator",
              all(
                  get()
                      .answered(206, "Cache-Control: max-age=9", "Content-Range: bytes 0-4/9")
                      .notStored(Reason.NOT_STORED_PARTIAL),
                  shownBy(
                      "ServerRangeMissTest.aFarRangeIsFetchedBySliceAndStoredAndLaterRangesCompleteIt"))),
          must(
              "3.3",
              "A partial response in a range unit that is not understood is not stored",
              "only parts in bytes with a valid Content-Range are stored",
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
              "missing slices are fetched by range",
              shownBy("ServerPartialTest.whatIsMissingIsFetchedByOneRangeAndIsStored")),
          must(
              "3.3",
              "A partial response is sent only as 206",
              "it is",
              shownBy("ServerBasicsTest.answersHeadConditionsAndRangesFromWhatIsStored")),
          must(
              "3.4",
              "Parts are combined only if they share a strong validator",
              "the same strong entity tag or strong Last-Modified, and the same length",
              shownBy(
                  "ServerPartialTest.anAnswerThatDoesNotFitIsNotMixedIn",
                  "ServerPartialTest.withoutAStrongValidatorTheWholeIsFetched")),
          must(
                  "3.4",
                  "When parts are combined, the fields of the new part replace the stored ones",
                  "the stored ones stay until a 304, a HEAD or a whole response; a part"
                      + " with no-store or private is not stored",
                  shownBy(
                      "ServerPartialTest.whatIsMissingIsFetchedByOneRangeAndIsStored",
                      "ServerPartialTest.anAnswerThatMayNotBeStoredIsNot"))
              .butWeDeviate(
                  "A part is fetched because it is missing from memory, not to validate"
                      + " the whole. It extends no lifetime, so no response is served for longer"
                      + " than the stored whole response allows."),
          must(
              "3.5",
              "A response to a request with Authorization is reused only if it allows"
                  + " that to a shared cache",
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
              "Such a response is reused only as the directive that allowed it requires",
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
                  "Set-Cookie does not prevent a response from being stored",
                  "it does, unless the route sets store or strip, or the response names"
                      + " it in private or no-cache",
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
                  "If one session cookie reached every client, the damage would exceed"
                      + " the benefit of all such hits."),
          text(
                  "3",
                  "An error is heuristically cacheable by its status (404, 405, 410, 414, 501)",
                  "404, 410 and 501 for at most five minutes, or the statuses in"
                      + " heuristic-errors; 405 and 414 only if listed there",
                  all(
                      get().answered(404, "Date: {+0}", "Last-Modified: {-90}").freshFor(9),
                      get().answered(501, "Date: {+0}", "Last-Modified: {-90000}").freshFor(300),
                      get()
                          .answered(405, "Date: {+0}", "Last-Modified: {-90}")
                          .notStored(Reason.NOT_STORED_ERROR_WITHOUT_FRESHNESS),
                      get()
                          .answered(405, "Date: {+0}", "Last-Modified: {-90}")
                          .on(route -> route.heuristicErrors(Set.of(405)))
                          .freshFor(9),
                      get()
                          .answered(404, "Date: {+0}", "Last-Modified: {-90}")
                          .on(route -> route.heuristicErrors(Set.of()))
                          .notStored(Reason.NOT_STORED_ERROR_WITHOUT_FRESHNESS),
                      get().answered(404, "Cache-Control: max-age=9").freshFor(9),
                      shownBy("freshness/heuristic-errors.script")))
              .butWeDeviate(
                  "405 and 414 depend on the client's request. A long heuristic lifetime"
                      + " of an error prolongs an outage."),
          text(
                  "3",
                  "Any final status can be stored with explicit cache directives",
                  "not 400, unless the route says store-bad-request, nor 408, 411–413, 415–417,"
                      + " 421, 422, 425, 426, 428, 429, 431 and 511",
                  all(
                      get()
                          .answered(400, "Cache-Control: max-age=9")
                          .notStored(Reason.NOT_STORED_STATUS),
                      get()
                          .answered(400, "Cache-Control: max-age=9")
                          .on(route -> route.storesBadRequests(true))
                          .freshFor(9),
                      get("Cookie: a=b")
                          .answered(400, "Cache-Control: max-age=9")
                          .on(route -> route.storesBadRequests(true))
                          .notStored(Reason.NOT_STORED_STATUS),
                      get()
                          .answered(429, "Cache-Control: max-age=9")
                          .notStored(Reason.NOT_STORED_STATUS),
                      shownBy("storing/bad-request.script")))
              .butWeDeviate(
                  "These statuses describe a request, not its URL: if they were stored,"
                      + " one client could break a URL for all."));

  private static Check part(boolean expected, String... fields) {
    return same(expected, () -> ContentRange.of(Case.fields(fields)) != null);
  }

  private Rfc9111Storing() {}
}
