package io.forebay.server.origin.call;

/**
 * Sends requests to origins over pooled connections; one instance per event loop, confined to it.
 */
public interface OriginClient {

  /**
   * Sends a request. The listener is called on this loop, never before this method returns.
   *
   * @param origin name of a configured origin
   */
  OriginCall send(String origin, OriginRequest request, OriginListener listener);
}
