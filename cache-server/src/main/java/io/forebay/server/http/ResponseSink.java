package io.forebay.server.http;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.tunnel.TunnelEnd;
import io.netty.buffer.ByteBuf;

/**
 * The destination of one exchange's response; one implementation per protocol. All calls are made
 * on the event loop of the exchange, in the order {@code informational* head body* end}, or {@code
 * abort} at any point. After {@code end} or {@code abort} only {@link #giveUp} may be called.
 *
 * <p>It may own the lease of a body that is sent as one chunk: no other object has to be told what
 * becomes of that.
 */
public interface ResponseSink extends LeaseHolder {

  /** The length of a body that is not known before its end. */
  long LENGTH_UNKNOWN = -1;

  /** No length is to be named at all: 1xx, 204, 304, or HEAD where it is not known. */
  long LENGTH_ABSENT = -2;

  /**
   * How fast the response is sent; called before {@link #head}, the last call counts. Without it:
   * at full speed.
   *
   * @param bytesPerSecond behind the burst
   * @param burstBytes what is sent at full speed first
   */
  default void pace(long bytesPerSecond, long burstBytes) {}

  /** Sends an interim response; ignored by adapters whose peer cannot take one. */
  void informational(int status, HeaderFields fields);

  /**
   * A buffer for the head of the final response, already holding what the protocol puts in front.
   * The caller appends complete lines {@code name: value\r\n} with lower-case names and nothing
   * about framing or the connection, then hands it to {@link #head}.
   */
  ByteBuf beginHead(int status);

  /**
   * Queues the head. Ownership of the buffer returns to the sink.
   *
   * @param contentLength bytes of body to come (or, for HEAD, that a GET would bring), {@link
   *     #LENGTH_UNKNOWN} or {@link #LENGTH_ABSENT}
   * @param isLast whether the message ends here; then {@link #end} is not called
   */
  void head(ByteBuf head, long contentLength, boolean isLast);

  /** Queues body bytes; ownership passes, the buffer is released once the transport took it. */
  void body(ByteBuf chunk);

  /** Hands what was queued to the transport. Called once a burst, not once a chunk. */
  void flush();

  /** Ends the message and flushes. */
  void end(HeaderFields trailers);

  /** Whether {@link #informational} reaches the client. */
  default boolean acceptsInterim() {
    return true;
  }

  /** Whether the client has a use for fields after a body whose length is not known. */
  default boolean acceptsTrailers() {
    return false;
  }

  /**
   * Readies the connection to become a tunnel. From now on nothing that the client sends is taken
   * for a request: it goes through the tunnel, or if the answer is another one, nowhere.
   *
   * @return false where the protocol has no such thing; the offer is then ignored
   */
  default boolean readyForTunnel() {
    return false;
  }

  /**
   * Whether the client asked for a tunnel and can take nothing else for success: a response with
   * 2xx would tell it that the tunnel is open (RFC 8441 §4).
   */
  default boolean needsTunnel() {
    return false;
  }

  /**
   * Answers with 101 (or 200, where a stream becomes the tunnel) and hands the connection over as
   * it is; the exchange's listener hears nothing more. Legal instead of {@link #head}, once {@link
   * #readyForTunnel} was true.
   *
   * @param head as for {@link #head}
   * @param protocol value of Upgrade
   */
  default TunnelEnd tunnel(ByteBuf head, String protocol) {
    throw new UnsupportedOperationException("not ready for a tunnel");
  }

  /**
   * The response cannot be completed: the client must see a broken transfer (HTTP/1: connection
   * closed, HTTP/2: stream reset), never a short body that looks whole (I3). What is queued may
   * still go out, unless the cause is that the client does not take it.
   */
  void abort(AbortCause cause);

  /**
   * The connection gets the limits of a route, where they are stricter than what it has, for as
   * long as it lasts.
   *
   * @param noProgressNanos in which the client has to take something; at least a second
   * @param keepAliveNanos without a request
   */
  default void tighten(long noProgressNanos, long keepAliveNanos) {}

  /**
   * A limit of the route is exceeded: the client is told, by a response or, where one has begun, by
   * a broken transfer. The listener hears {@link Listener#onRefused} before this returns.
   */
  void refuse(RequestRefusal why);

  /**
   * The client does not take what is queued of this response, and the buffers are wanted back: they
   * are released soon, and the client sees a broken transfer. The one call that is legal after
   * {@link #end}, as long as the transport holds a body buffer of the response.
   */
  void giveUp();

  @Override
  default void onLeaseReleased() {}

  @Override
  default void onCopied() {}

  @Override
  default void onCopyRefused() {
    giveUp();
  }

  /**
   * Whether the transport takes more bytes now; after false, {@link Listener#onWritable} follows.
   */
  boolean isWritable();

  /** How many body bytes to hand over at once, at most. */
  int chunkBytes();

  /**
   * The transport has released a chunk of body bytes.
   *
   * @param sentBytes of this response so far
   */
  void onChunkTaken(long sentBytes);

  /** The client is slow: it had not taken a chunk for so long that it had to be copied. */
  void onChunkStalled();

  /**
   * Takes the head back, and what of the body lies behind it, if the transport has seen none of it:
   * another head may be given then.
   *
   * @return whether that was possible
   */
  boolean retractHead();

  /** Who is told of the client's side; set once, before the first {@code head}. */
  void listener(Listener listener);

  /** Events of the client's side, on the loop of the exchange. */
  interface Listener {
    /** The transport takes bytes again. */
    void onWritable();

    /** The client is gone, or broke the protocol; buffers already queued are released. */
    void onClosed();

    /**
     * The rest of the request was bad. The client is told by the listener; for the exchange it is
     * as if the client were gone.
     *
     * @param status what the client is told, unless a response had begun
     * @param detail why, in a few words
     */
    default void onRefused(int status, String detail) {
      onClosed();
    }
  }
}
