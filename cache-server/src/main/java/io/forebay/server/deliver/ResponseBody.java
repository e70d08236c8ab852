package io.forebay.server.deliver;

import io.forebay.server.origin.OriginFailure;

/**
 * A body on its way to the client of one exchange: from the store, from a fill in progress, or
 * straight from the origin. An exchange has at most one at a time and tells it of the client's
 * side; all calls come on the loop of the exchange.
 */
public interface ResponseBody {

  /** Body bytes this one has handed to the sink so far. */
  long sentBytes();

  /** The transport takes bytes again. */
  void onWritable();

  /** The client is gone: nothing more is sent, and the outcome is not called. */
  void onClientGone();

  /** How a body ends; exactly one call unless the client goes away first. */
  interface Outcome {
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
