package io.forebay.server.http;

import io.forebay.core.http.HeaderFields;
import io.netty.buffer.ByteBuf;

/**
 * The body of one request as a source with demand. Nothing is read from the client before the first
 * demand, and with {@code Expect: 100-continue} that first demand sends the interim response. All
 * calls on the loop of the exchange.
 */
public interface RequestBody {

  /** A request without a body: ends at the first demand. */
  RequestBody NONE =
      new RequestBody() {
        @Override
        public long lengthBytes() {
          return 0;
        }

        @Override
        public void receiver(Receiver receiver) {
          receiver.onEnd(HeaderFields.EMPTY);
        }

        @Override
        public void demand(long bytes) {}

        @Override
        public void cancel() {}
      };

  /** Declared length in bytes, or -1 when not declared. */
  long lengthBytes();

  /**
   * Sets who receives; once, before the first demand. Of a body that is repeatable each receiver
   * gets all of it from the beginning, one after the other.
   */
  void receiver(Receiver receiver);

  /** Whether all of it is here, and can be sent again. */
  default boolean isRepeatable() {
    return false;
  }

  /** Allows that many more bytes to be delivered; credit adds up. */
  void demand(long bytes);

  /** Nobody wants the rest; the adapter drains it within a bound or closes the connection. */
  void cancel();

  /** Where body bytes go. */
  interface Receiver {
    /** Body bytes; ownership passes. May exceed the demand by one read of the transport. */
    void onData(ByteBuf data);

    void onEnd(HeaderFields trailers);

    /** The client went away or broke the framing; no more follows. */
    void onFailure(String reason);
  }
}
