package io.forebay.server.exchange;

import io.forebay.core.http.RequestView;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.ProxyStatus;

/** What a protocol adapter calls for each request; one instance a loop. */
public interface Exchanges {

  /** Our member of Proxy-Status for what the listener answers by itself. */
  default String proxyStatus(ProxyError error) {
    return new ProxyStatus("forebay").error(error, ProxyStatus.NO_MORE);
  }

  /** How the loop keeps up; told by the listener, asked by both. */
  LoopLoad load();

  /**
   * Begins an exchange. The request view and its fields must stay readable until the sink's {@code
   * end} or {@code abort}. Called on the loop.
   */
  void start(RequestView request, RequestBody body, ResponseSink sink, ClientInfo client);
}
