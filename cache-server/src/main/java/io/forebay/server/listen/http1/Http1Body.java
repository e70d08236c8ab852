package io.forebay.server.listen.http1;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.http.RequestBody;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The body of an HTTP/1 connection's current request. One per connection, reused for each request
 * with a body. The decoder delivers bytes only on demand.
 */
final class Http1Body implements RequestBody {

  private final Http1Connection connection;
  private @Nullable Receiver receiver;
  private long lengthBytes;
  private long receivedBytes;
  private long demandBytes;
  private boolean owesContinue;
  private boolean isOver;

  Http1Body(Http1Connection connection) {
    this.connection = connection;
    isOver = true;
  }

  /** The body of the next request begins. */
  void begin(long length, boolean expectsContinue) {
    receiver = null;
    lengthBytes = length;
    receivedBytes = 0;
    demandBytes = 0;
    owesContinue = expectsContinue;
    isOver = false;
  }

  /** Whether a receiver waits for bytes. */
  boolean isWanted() {
    return !isOver && demandBytes > 0;
  }

  /** Whether the client still waits to be told that its body is welcome. */
  boolean isContinueDue() {
    return owesContinue;
  }

  /** Whether the rest is not wanted. */
  boolean isOver() {
    return isOver;
  }

  long receivedBytes() {
    return receivedBytes;
  }

  /** Bytes of a declared length that have not come yet, or -1 for a chunked body. */
  long remainingBytes() {
    return lengthBytes < 0 ? -1 : lengthBytes - receivedBytes;
  }

  /** Bytes came; they go to the receiver, or nowhere. */
  void onData(ByteBuf data) {
    int length = data.readableBytes();
    receivedBytes += length;
    Receiver to = receiver;
    if (isOver || to == null) {
      data.release();
      return;
    }
    // What comes beyond the demand is not counted against the next: its receiver forgives it too.
    demandBytes = Math.max(0, demandBytes - length);
    to.onData(data);
  }

  void onEnd() {
    Receiver to = receiver;
    if (!isOver && to != null) {
      isOver = true;
      to.onEnd(HeaderFields.EMPTY);
    }
    isOver = true;
  }

  void onFailure(String reason) {
    Receiver to = receiver;
    if (!isOver && to != null) {
      isOver = true;
      to.onFailure(reason);
    }
    isOver = true;
  }

  @Override
  public long lengthBytes() {
    return lengthBytes;
  }

  @Override
  public void receiver(Receiver to) {
    receiver = to;
  }

  @Override
  public void demand(long bytes) {
    if (isOver) {
      return;
    }
    demandBytes += bytes;
    if (demandBytes < 0) {
      demandBytes = Long.MAX_VALUE;
    }
    if (owesContinue) {
      owesContinue = false;
      connection.sendContinue();
    }
    connection.onBodyWanted();
  }

  @Override
  public void cancel() {
    isOver = true;
  }
}
