package io.forebay.server.deliver;

import io.forebay.server.origin.call.OriginFailure;

/**
 * The body of one exchange's response on its way to the client: from the store, from a fill in
 * progress, or directly from the origin. An exchange has at most one at a time and passes it the
 * client's events. All calls are made on the event loop of the exchange.
 */
public interface ResponseBody {

  /** Body bytes this one has handed to the sink so far. */
  long sentBytes();

  /** The transport takes bytes again. */
  void onWritable();

  /** The client is gone: nothing more is sent, and the outcome is not called. */
  void onClientGone();

  /** How a body proceeds and ends; one end unless the client goes away first. */
  interface Outcome {
    /**
     * More of it has been handed to the sink; its last bytes may come without this.
     *
     * @param sentBytes of this body so far
     */
    default void onBytesSent(long sentBytes) {}

    /** Every byte was handed to the sink and the message ended. */
    void onBodySent();

    /**
     * It was broken off, and the client sees that it was.
     *
     * @param why for the log
     */
    void onBodyBroken(String why);

    /**
     * The origin failed while the client had seen nothing of the response, not even its head: there
     * may be another one.
     */
    void onBodyUnseen(OriginFailure failure);
  }
}
