package io.forebay.server.http;

import io.forebay.core.http.RequestView;
import io.forebay.core.http.WireRequest;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.ProxyStatus;
import io.forebay.server.loop.LoopLoad;

/** Receives each request from a protocol adapter; one instance per event loop. */
public interface RequestHandler {

  /** Our member of Proxy-Status for what the listener answers by itself. */
  default String proxyStatus(ProxyError error) {
    return new ProxyStatus("forebay").error(error, ProxyStatus.NO_MORE);
  }

  /** How the loop keeps up; told by the listener, asked by both. */
  LoopLoad load();

  /** Whether requests with one of the {@link PurgeMethods} are taken at all. Called on the loop. */
  default boolean takesPurges() {
    return false;
  }

  /**
   * Answers a plain request if that takes nothing but what is at hand: then all of the response has
   * been handed to the sink, which has no listener. False if nothing was done, and an exchange is
   * to be begun. Called on the loop.
   */
  default boolean answerAtOnce(WireRequest request, ResponseSink sink, ClientInfo client) {
    return false;
  }

  /**
   * Begins an exchange. The request view and its fields must stay readable until the sink's {@code
   * end} or {@code abort}. Called on the loop.
   */
  void start(RequestView request, RequestBody body, ResponseSink sink, ClientInfo client);
}
