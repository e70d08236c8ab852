package io.forebay.core.conformance;

import static io.forebay.core.conformance.Check.all;
import static io.forebay.core.conformance.Check.same;
import static io.forebay.core.conformance.Check.shownBy;
import static io.forebay.core.conformance.Row.must;
import static io.forebay.core.conformance.Row.should;
import static io.forebay.core.conformance.Row.text;

import io.forebay.core.http.CdnLoop;
import io.forebay.core.http.HopByHop;
import java.util.List;

/** RFC 8586. */
final class Rfc8586 {

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 8586: CDN-Loop",
          should(
              "2",
              "Every request that the node forwards or generates gets a member of the node",
              "it is appended to the received members, on one line; also for fetches"
                  + " without a client",
              shownBy(
                  "proxying/cdn-loop.script",
                  "ServerPassTest.saysToTheOriginWhoAskedAndBelievesNoStranger")),
          text(
              "2",
              "The identifier names the CDN as a whole",
              "it is forwarding.node-id, which is unique to each node, so nodes in a"
                  + " chain have different identifiers",
              shownBy("ServerPassTest.aRequestThatHasBeenHereBeforeIsALoop")),
          must(
              "2",
              "The field is never removed, and no configuration removes it",
              "no setting removes it, and Connection cannot list it",
              all(
                  same(false, () -> listedAway("cdn-loop")),
                  same(true, () -> listedAway("x")),
                  shownBy("proxying/cdn-loop.script"))),
          should(
              "2",
              "The field is used for loop detection only",
              "it affects neither keys nor rules",
              shownBy("ServerPassTest.aRequestThatHasBeenHereBeforeIsALoop")),
          text(
              "2",
              "The field is a list of members with parameters, on one or more lines",
              "the whole list is parsed; an identifier inside a quoted string is not a member",
              all(
                  same(true, () -> CdnLoop.of(List.of("a, edge; x=1"), "edge").isThroughHere()),
                  same(true, () -> CdnLoop.of(List.of("a", "EDGE"), "edge").isThroughHere()),
                  same(false, () -> CdnLoop.of(List.of("a; x=\", edge\""), "edge").isThroughHere()),
                  same(true, () -> CdnLoop.of(List.of("a, \""), "edge").isMalformed()))),
          text(
              "3",
              "Clients can send any value, so the field must not enable an attack",
              "a request is rejected if it has more than ten members, is malformed, or"
                  + " names this node",
              shownBy("proxying/cdn-loop.script")));

  private static boolean listedAway(String name) {
    HopByHop listed = HopByHop.ofRequest(List.of(name));
    return listed != null && listed.has(name);
  }

  private Rfc8586() {}
}
