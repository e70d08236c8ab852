package io.forebay.server.origin.call;

/** A request in progress to an origin. All methods are called on the event loop that sent it. */
public interface OriginCall {

  /**
   * Stops reading the response from the socket until {@link #resume}; at most one read more may be
   * delivered.
   */
  void suspend();

  void resume();

  /** Whether it has not been sent yet because a limit of its origin is reached. */
  default boolean isWaiting() {
    return false;
  }

  /**
   * Gives up: the connection is closed unless the response was complete; no listener call follows.
   */
  void cancel();
}
