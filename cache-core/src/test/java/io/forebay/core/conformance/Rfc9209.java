package io.forebay.core.conformance;

import static io.forebay.core.conformance.Check.all;
import static io.forebay.core.conformance.Check.same;
import static io.forebay.core.conformance.Check.shownBy;
import static io.forebay.core.conformance.Row.may;
import static io.forebay.core.conformance.Row.must;
import static io.forebay.core.conformance.Row.should;
import static io.forebay.core.conformance.Row.text;

import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.ProxyStatus;

/** RFC 9209. */
final class Rfc9209 {

  private static final ProxyStatus STATUS = new ProxyStatus("edge");

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 9209: Proxy-Status",
          text(
              "2",
              "An intermediary decides when it adds a member",
              "to answers of its own, and to no others",
              shownBy("proxying/proxy-status.script")),
          must(
              "2",
              "A member is a string or a token",
              "the node's name, as a token where it is one",
              all(
                  same("edge; error=dns_timeout", () -> STATUS.error(ProxyError.DNS_TIMEOUT, "")),
                  same(
                      "\"1st\"; error=dns_timeout",
                      () -> new ProxyStatus("1st").error(ProxyError.DNS_TIMEOUT, "")))),
          should(
              "2",
              "Members of those nearer to the origin are kept",
              "the field is passed on as it came",
              shownBy("proxying/proxy-status.script")),
          may(
              "2",
              "It may come as a trailer, where the head was sent and its member was in it",
              "it does not: what breaks off behind its head is broken off for the client, too",
              shownBy("ServerSharingTest.aFetchThatFailsBehindItsHeadIsSeenBrokenByAllWhoFollow")),
          should(
              "2.1.1",
              "error: the most specific type that fits",
              "each kind of failure has a registered type of its own",
              shownBy(
                  "OriginFailureTest.hasARegisteredType",
                  "OriginFailureTest.noKindIsMissingAbove")),
          should(
                  "2.1.1",
                  "An answer with an error has the status that is recommended for its type",
                  "404 where no route serves the host, 508 for a loop, 502 for an origin that can't be"
                      + " reached for other reasons than time; the others as recommended",
                  shownBy(
                      "proxying/proxy-status.script",
                      "proxying/cdn-loop.script",
                      "OriginFailureTest.hasARegisteredType"))
              .butWeDeviate(
                  "A host that is not served here is the request's fault, not the node's; 508 says what a"
                      + " loop is; and 503 is kept for a node that has too much to do, so that clients"
                      + " and balancers can tell the two apart."),
          may(
              "2.1.2",
              "next-hop and next-protocol may say where the answer comes from",
              "they are not sent: addresses of origins are the operator's business, and in the log",
              same(
                  "edge; error=connection_refused",
                  () -> STATUS.error(ProxyError.CONNECTION_REFUSED, ProxyStatus.NO_MORE))),
          must(
              "2.1.4",
              "received-status is an integer: what the next hop answered",
              "where our own answer is sent in place of it",
              same(
                  "edge; error=destination_unavailable; received-status=503",
                  () ->
                      STATUS.error(
                          ProxyError.DESTINATION_UNAVAILABLE, ProxyStatus.receivedStatus(503)))),
          text(
              "2.3.2",
              "dns_error may say what the name server answered",
              "rcode, as a string",
              same(
                  "edge; error=dns_error; rcode=\"NXDOMAIN\"",
                  () -> STATUS.error(ProxyError.DNS_ERROR, ProxyStatus.rcode("NXDOMAIN")))));

  private Rfc9209() {}
}
