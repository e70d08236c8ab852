package io.forebay.core.conformance;

import static io.forebay.core.conformance.Check.shownBy;
import static io.forebay.core.conformance.Row.must;

/** RFC 8441. */
final class Rfc8441 {

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 8441: WebSocket over HTTP/2",
          must(
              "3",
              "Extended CONNECT is used only after SETTINGS_ENABLE_CONNECT_PROTOCOL of 1",
              "announced if a route allows an upgrade as the connection begins; otherwise"
                  + " `:protocol` is malformed",
              shownBy(
                  "ServerStreamTunnelTest.bytesGoBothWaysOnTheStream",
                  "ServerStreamTunnelTest"
                      + ".withoutARouteThatAllowsItNothingIsAnnouncedAndItIsMalformed")),
          must(
              "4",
              "`:protocol` comes with `:scheme` and `:path`; `:authority` names the server",
              "each is required; Host does not replace `:authority`",
              shownBy("ServerStreamTunnelTest.everyPseudoFieldIsNeeded")),
          must(
              "5",
              "`:scheme` is https for wss and http for ws",
              "it is compared with the listener, as for every request",
              shownBy("Http2ConnectionTest.answersWhatIsRefusedButNotMalformed")),
          must(
              "5",
              "Sec-WebSocket-Key and Sec-WebSocket-Accept are not used",
              "a client's key is dropped, the origin's accept value verified and dropped",
              shownBy("ServerStreamTunnelTest.bytesGoBothWaysOnTheStream")),
          must(
              "5",
              "Ends and resets of TCP are END_STREAM and RST_STREAM with CANCEL",
              "both ways",
              shownBy(
                  "ServerStreamTunnelTest.resetsArePassedOn",
                  "ServerStreamTunnelTest"
                      + ".theEndOfTheOriginIsTheEndOfTheStreamWhileTheOtherWayGoesOn")));

  private Rfc8441() {}
}
