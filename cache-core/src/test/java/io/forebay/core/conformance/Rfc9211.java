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
              "A cache keeps the field and appends its own member",
              "on a separate line after the received ones",
              same("o; hit, edge; hit", () -> CacheStatus.append("o; hit", "edge; hit"))),
          must(
              "2",
              "A member is a token or a string",
              "the node's name, a token",
              same("edge; hit; ttl=5", () -> STATUS.hit(Reason.HIT_FRESH, 5))),
          should(
                  "2",
                  "A cache adds no member to responses that it generates",
                  "its error replies have a member",
                  shownBy("proxying/proxy-status.script"))
              .butWeDeviate(
                  "When the node replies with an error, the operator first needs to know"
                      + " why no stored response was used."),
          text(
              "2.1",
              "hit: the response came from the cache",
              "for fresh responses and those served stale",
              all(
                  same("edge; hit; ttl=5", () -> STATUS.hit(Reason.HIT_FRESH, 5)),
                  same(
                      "edge; hit; ttl=-5; detail=stale-while-revalidate",
                      () -> STATUS.hit(Reason.HIT_STALE_WHILE_REVALIDATE, -5)))),
          text(
              "2.2",
              "fwd: why the request was forwarded",
              "the token of the reason for the decision",
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
              "The most specific reason is given; hit and fwd are mutually exclusive",
              "vary-miss before uri-miss; request and partial where they are the reason;"
                  + " a member has either hit or fwd",
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
              "fwd-status: the status from the origin",
              "if the origin responded",
              same(
                  "edge; fwd=stale; fwd-status=304; stored",
                  () -> STATUS.forwarded(Reason.STALE_EXPIRED, 304, true, false, null))),
          text(
              "2.4",
              "ttl: the remaining freshness lifetime, negative if stale",
              "includes lifetimes from the route and heuristic ones; -1 for a response"
                  + " made stale by a soft purge",
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
              "stored: whether the response was stored",
              "set if it was",
              same(
                  "edge; fwd=uri-miss; fwd-status=200; stored",
                  () -> STATUS.forwarded(Reason.MISS_URI, 200, true, false, null))),
          text(
              "2.6",
              "collapsed: whether the request waited for the fetch of another",
              "set if it did",
              same(
                  "edge; fwd=uri-miss; fwd-status=200; stored; collapsed",
                  () -> STATUS.forwarded(Reason.MISS_URI, 200, true, true, null))),
          text(
              "2.7",
              "key: the cache key",
              "not sent, because keys can contain cookies; forebay explain shows the key"
                  + " to authorized users",
              same("edge; hit; ttl=5", () -> STATUS.hit(Reason.HIT_FRESH, 5))),
          may(
              "2.8",
              "detail: implementation-specific information",
              "why the response was not stored, or more about why the request was forwarded",
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
