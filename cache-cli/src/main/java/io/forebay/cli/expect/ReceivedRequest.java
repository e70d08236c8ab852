package io.forebay.cli.expect;

import java.util.List;

/**
 * A request that an origin got.
 *
 * @param server which of the origin's servers, from 1
 */
record ReceivedRequest(
    String origin, int server, String method, String target, List<HeaderLine> fields, String body) {

  /** In one line. */
  String shown() {
    return origin + (server > 1 ? "/" + server : "") + " " + method + " " + target;
  }
}
