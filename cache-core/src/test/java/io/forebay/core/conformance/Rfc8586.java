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
              "Every request that is forwarded or made here gets a member of our own",
              "behind those that came, in one line; the fetches that no client asked for, too",
              shownBy(
                  "proxying/cdn-loop.script",
                  "ServerPassTest.saysToTheOriginWhoAskedAndBelievesNoStranger")),
          text(
              "2",
              "The id names the CDN as a whole",
              "forwarding.node-id, which has to differ from node to node, so each node of several in a"
                  + " row is an id of its own",
              shownBy("ServerPassTest.aRequestThatHasBeenHereBeforeIsALoop")),
          must(
              "2",
              "The field is never removed, nor can it be configured to be",
              "there is no such setting, and Connection can't list it away",
              all(
                  same(false, () -> listedAway("cdn-loop")),
                  same(true, () -> listedAway("x")),
                  shownBy("proxying/cdn-loop.script"))),
          should(
              "2",
              "It is used for nothing else",
              "for the loop alone: neither keys nor rules see it",
              shownBy("ServerPassTest.aRequestThatHasBeenHereBeforeIsALoop")),
          text(
              "2",
              "A list of members with parameters, on one line or several",
              "read to its end; an id within a quoted string is none of its members",
              all(
                  same(true, () -> CdnLoop.of(List.of("a, edge; x=1"), "edge").isThroughHere()),
                  same(true, () -> CdnLoop.of(List.of("a", "EDGE"), "edge").isThroughHere()),
                  same(false, () -> CdnLoop.of(List.of("a; x=\", edge\""), "edge").isThroughHere()),
                  same(true, () -> CdnLoop.of(List.of("a, \""), "edge").isMalformed()))),
          text(
              "3",
              "Clients can write anything in it, so it must not become a way to attack",
              "at most ten members: beyond that, where it is malformed, and where we are one of them the"
                  + " request is refused",
              shownBy("proxying/cdn-loop.script")));

  private static boolean listedAway(String name) {
    HopByHop listed = HopByHop.ofRequest(List.of(name));
    return listed != null && listed.has(name);
  }

  private Rfc8586() {}
}
