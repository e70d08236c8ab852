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
              "An intermediary chooses when to add a member",
              "it adds one to its local replies only",
              shownBy("proxying/proxy-status.script")),
          must(
              "2",
              "A member is a string or a token",
              "the node's name, as a token where its characters allow it",
              all(
                  same("edge; error=dns_timeout", () -> STATUS.error(ProxyError.DNS_TIMEOUT, "")),
                  same(
                      "\"1st\"; error=dns_timeout",
                      () -> new ProxyStatus("1st").error(ProxyError.DNS_TIMEOUT, "")))),
          should(
              "2",
              "Members from intermediaries nearer to the origin are kept",
              "the field is forwarded unchanged",
              shownBy("proxying/proxy-status.script")),
          may(
              "2",
              "The field may be sent as a trailer if the header section had the member",
              "it is not: a response that fails after its header section is aborted for"
                  + " the client",
              shownBy("ServerSharingTest.aFetchThatFailsBehindItsHeadIsSeenBrokenByAllWhoFollow")),
          should(
              "2.1.1",
              "error: the most specific applicable type",
              "each kind of failure has its own registered type",
              shownBy(
                  "OriginFailureTest.hasARegisteredType",
                  "OriginFailureTest.noKindIsMissingAbove")),
          should(
                  "2.1.1",
                  "A response with an error has the status recommended for its type",
                  "404 if no route serves the host, 508 for a loop, 502 for an origin"
                      + " that is unreachable except by timeout; otherwise the recommended"
                      + " status",
                  shownBy(
                      "proxying/proxy-status.script",
                      "proxying/cdn-loop.script",
                      "OriginFailureTest.hasARegisteredType"))
              .butWeDeviate(
                  "A host that this node does not serve is an error of the request, not"
                      + " of the node. 508 means a loop. 503 is reserved for an overloaded node,"
                      + " so that clients and load balancers can tell the two apart."),
          may(
              "2.1.2",
              "next-hop and next-protocol may identify the next hop",
              "they are not sent, because clients must not learn addresses of origins;"
                  + " the log has them",
              same(
                  "edge; error=connection_refused",
                  () -> STATUS.error(ProxyError.CONNECTION_REFUSED, ProxyStatus.NO_MORE))),
          must(
              "2.1.4",
              "received-status is an integer: the status from the next hop",
              "it is sent if a local reply replaces that response",
              same(
                  "edge; error=destination_unavailable; received-status=503",
                  () ->
                      STATUS.error(
                          ProxyError.DESTINATION_UNAVAILABLE, ProxyStatus.receivedStatus(503)))),
          text(
              "2.3.2",
              "dns_error may give the reply of the name server",
              "rcode, as a string",
              same(
                  "edge; error=dns_error; rcode=\"NXDOMAIN\"",
                  () -> STATUS.error(ProxyError.DNS_ERROR, ProxyStatus.rcode("NXDOMAIN")))));

  private Rfc9209() {}
}
