package io.forebay.core.conformance;

import static io.forebay.core.conformance.Check.shownBy;
import static io.forebay.core.conformance.Row.must;
import static io.forebay.core.conformance.Row.should;

/** RFC 9220. */
final class Rfc9220 {

  static final Chapter CHAPTER =
      new Chapter(
          "RFC 9220: WebSocket over HTTP/3",
          must(
              "3",
              "Extended CONNECT is used only after SETTINGS_ENABLE_CONNECT_PROTOCOL of 1",
              "announced if a route allows an upgrade as the connection begins; otherwise"
                  + " `:protocol` is malformed",
              shownBy(
                  "ServerHttp3TunnelTest.bytesGoBothWaysOnTheStream",
                  "ServerHttp3TunnelTest"
                      + ".withoutARouteThatAllowsItNothingIsAnnouncedAndItIsMalformed")),
          must(
              "3",
              "Pseudo-header fields and Sec-WebSocket fields are those of RFC 8441",
              "the same code reads them",
              shownBy(
                  "ServerHttp3TunnelTest.everyPseudoFieldIsNeeded",
                  "ServerHttp3TunnelTest.whatSmugglesIsMalformed")),
          should(
              "3",
              "A `:protocol` that is unknown or not supported gets 501",
              "501 where the route does not list it",
              shownBy(
                  "ServerHttp3TunnelTest"
                      + ".whatTheRouteDoesNotAllowIsRefusedAndNotServedFromTheCache")),
          must(
              "3",
              "An end of TCP is FIN of the stream",
              "each direction ends on its own, both ways",
              shownBy(
                  "ServerHttp3TunnelTest"
                      + ".theEndOfTheOriginIsTheEndOfTheStreamWhileTheOtherWayGoesOn",
                  "ServerHttp3TunnelTest"
                      + ".theEndOfTheClientIsTheEndToTheOriginWhileTheOtherWayGoesOn")),
          must(
              "3",
              "A reset of TCP is a stream error of type H3_REQUEST_CANCELLED",
              "so from the node; a reset or STOP_SENDING of the client with any code is a reset of"
                  + " the origin's connection",
              shownBy(
                  "ServerHttp3TunnelTest.aResetOfTheOriginIsOneOfTheStream",
                  "ServerHttp3TunnelTest.aResetOfTheClientIsOneOfTheOrigin",
                  "ServerHttp3TunnelTest"
                      + ".aClientThatAsksUsToStopEndsATunnelWhoseOriginIsSilent")),
          must(
              "RFC 9114 4.4",
              "Another known frame than DATA on the stream of a CONNECT is a connection error",
              "H3_FRAME_UNEXPECTED; frames of unknown types are ignored",
              shownBy(
                  "ServerHttp3TunnelTest.fieldsInATunnelEndTheConnection",
                  "ServerHttp3TunnelTest.framesThatMeanNothingDoNotHoldATunnelUp")));

  private Rfc9220() {}
}
