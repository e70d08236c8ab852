package io.forebay.core.conformance;

import static io.forebay.core.conformance.Check.all;
import static io.forebay.core.conformance.Check.same;
import static io.forebay.core.conformance.Check.shownBy;
import static io.forebay.core.conformance.Row.may;
import static io.forebay.core.conformance.Row.must;
import static io.forebay.core.conformance.Row.should;
import static io.forebay.core.conformance.Row.text;

import io.forebay.core.policy.CacheStatus;
import io.forebay.core.policy.Reason;

/** RFC 9211. */
final class Rfc9211 {

  private static final CacheStatus STATUS = new CacheStatus("edge");

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 9211: Cache-Status",
          should(
              "2",
              "A cache keeps what is in the field and puts its own member behind it",
              "a line of its own behind those that came",
              same("o; hit, edge; hit", () -> CacheStatus.append("o; hit", "edge; hit"))),
          must(
              "2",
              "A member is a token or a string",
              "the node's name, a token",
              same("edge; hit; ttl=5", () -> STATUS.hit(Reason.HIT_FRESH, 5))),
          should(
                  "2",
                  "Nothing is added to answers that the cache made itself",
                  "its errors have a member, too",
                  shownBy("proxying/proxy-status.script"))
              .butWeDeviate(
                  "Why there was nothing to send in place of an error is what an operator wants to"
                      + " know of it first."),
          text(
              "2.1",
              "hit: the answer came from the cache",
              "for what is fresh and what is served stale",
              all(
                  same("edge; hit; ttl=5", () -> STATUS.hit(Reason.HIT_FRESH, 5)),
                  same(
                      "edge; hit; ttl=-5; detail=stale-while-revalidate",
                      () -> STATUS.hit(Reason.HIT_STALE_WHILE_REVALIDATE, -5)))),
          text(
              "2.2",
              "fwd: why the request went forward",
              "the token of the reason by which it was decided",
              all(
                  fwd("uri-miss", Reason.MISS_URI),
                  fwd("vary-miss", Reason.MISS_VARY),
                  fwd("stale", Reason.STALE_EXPIRED),
                  fwd("request", Reason.REQUEST_MAX_AGE),
                  fwd("method", Reason.PASS_METHOD),
                  fwd("bypass", Reason.PASS_ROUTE),
                  fwd("partial", Reason.MISS_PARTIAL),
                  fwd("stale", Reason.MISS_NOT_KEPT))),
          should(
              "2.2",
              "The most specific reason is given; hit and fwd exclude each other",
              "vary-miss before uri-miss, request and partial where they are why; a member has one"
                  + " of both",
              all(
                  fwd("vary-miss", Reason.MISS_VARY),
                  same(false, () -> STATUS.hit(Reason.HIT_FRESH, 5).contains("fwd")),
                  same(
                      false,
                      () ->
                          STATUS
                              .forwarded(Reason.MISS_URI, 200, true, true, null)
                              .contains("hit")))),
          text(
              "2.3",
              "fwd-status: what the origin answered",
              "where it answered",
              same(
                  "edge; fwd=stale; fwd-status=304; stored",
                  () -> STATUS.forwarded(Reason.STALE_EXPIRED, 304, true, false, null))),
          text(
              "2.4",
              "ttl: how long it stays fresh, negative if it is stale",
              "with lifetimes that the route or a guess gave; -1 where a soft purge made it stale"
                  + " before",
              Check.all(
                  same(
                      "edge; hit; ttl=-412; detail=stale-if-error",
                      () -> STATUS.hit(Reason.HIT_STALE_IF_ERROR, -412)),
                  same(
                      "edge; hit; ttl=-1; detail=stale-while-revalidate",
                      () -> STATUS.hit(Reason.HIT_STALE_WHILE_REVALIDATE, 2_591_999)),
                  Check.shownBy("purge/soft-ttl.script"))),
          text(
              "2.5",
              "stored: whether the answer was stored",
              "where it was",
              same(
                  "edge; fwd=uri-miss; fwd-status=200; stored",
                  () -> STATUS.forwarded(Reason.MISS_URI, 200, true, false, null))),
          text(
              "2.6",
              "collapsed: whether it waited for another request's fetch",
              "where it did",
              same(
                  "edge; fwd=uri-miss; fwd-status=200; stored; collapsed",
                  () -> STATUS.forwarded(Reason.MISS_URI, 200, true, true, null))),
          text(
              "2.7",
              "key: what the cache calls it",
              "not sent: keys can have cookies in them; forebay explain tells it to who may ask",
              same("edge; hit; ttl=5", () -> STATUS.hit(Reason.HIT_FRESH, 5))),
          may(
              "2.8",
              "detail: more, in words of the cache's own",
              "why it was not stored, or more of why it went forward",
              same(
                  "edge; fwd=uri-miss; fwd-status=200; detail=no-store",
                  () ->
                      STATUS.forwarded(
                          Reason.MISS_URI, 200, false, false, Reason.NOT_STORED_NO_STORE))));

  private static Check fwd(String token, Reason reason) {
    return same(token, reason::fwd);
  }

  private Rfc9211() {}
}
