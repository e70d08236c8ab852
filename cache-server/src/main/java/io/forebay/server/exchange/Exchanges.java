package io.forebay.server.exchange;

import io.forebay.core.http.RequestView;

/** What a protocol adapter calls for each request; one instance a loop. */
public interface Exchanges {

  /**
   * Begins an exchange. The request view and its fields must stay readable until the sink's {@code
   * end} or {@code abort}. Called on the loop.
   */
  void start(RequestView request, RequestBody body, ResponseSink sink, ClientInfo client);
}
