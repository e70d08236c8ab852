package io.forebay.server.page;

import io.netty.handler.codec.http.HttpResponseStatus;

/**
 * What a page can say of a request.
 *
 * @param uri path, and query if there is one
 */
public record PageFacts(int status, String requestId, String host, String uri) {

  /** The phrase of the status, such as {@code Not Found}. */
  String reason() {
    return HttpResponseStatus.valueOf(status).reasonPhrase();
  }
}
