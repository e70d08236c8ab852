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

  /** Sends the copy of a request that need not be sent itself; nobody learns what becomes of it. */
  default void sendCopy(OriginRequest request) {}
}
