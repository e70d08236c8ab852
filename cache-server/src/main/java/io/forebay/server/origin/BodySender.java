package io.forebay.server.origin;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.text.Printable;
import io.netty.buffer.ByteBuf;

/**
 * Streams one request body to the origin: requests as much as the connection accepts, at most one
 * window ahead, and checks its length.
 */
final class BodySender implements RequestBody.Receiver {
  /** Bytes asked for and not yet received, at most. */
  private static final long WINDOW = 64 * 1024;

  /** Where the body goes, with the framing of its protocol. */
  interface Output {
    boolean isWritable();

    /** A piece; ownership passes. */
    void write(ByteBuf data);

    /** The body is whole. */
    void end();

    void fail(Kind kind, String detail);
  }

  private final Output output;
  private final RequestBody body;
  private final boolean isLengthKnown;

  private long remaining;
  private long asked;
  private boolean isStarted;
  private boolean isOver;

  BodySender(Output output, RequestBody body) {
    this.output = output;
    this.body = body;
    this.remaining = body.lengthBytes();
    this.isLengthKnown = remaining >= 0;
  }

  boolean isStarted() {
    return isStarted;
  }

  void start() {
    if (isOver) {
      return;
    }
    isStarted = true;
    body.receiver(this);
    askForMore();
  }

  void onWritable() {
    if (isStarted) {
      askForMore();
    }
  }

  /** The rest is not wanted. A body that was not begun stays its owner's. */
  void stop() {
    if (!isOver) {
      isOver = true;
      if (isStarted) {
        body.cancel();
      }
    }
  }

  /** The body goes to another sender. */
  void detach() {
    isOver = true;
  }

  private void askForMore() {
    if (isOver || !output.isWritable()) {
      return;
    }
    long more = WINDOW - asked;
    if (more >= WINDOW / 2) {
      asked += more;
      body.demand(more);
    }
  }

  @Override
  public void onData(ByteBuf data) {
    int length = data.readableBytes();
    if (isOver || length == 0) {
      data.release();
      return;
    }
    asked = Math.max(0, asked - length);
    if (isLengthKnown && length > remaining) {
      data.release();
      fail("the client sent more than its Content-Length");
      return;
    }
    if (isLengthKnown) {
      remaining -= length;
    }
    output.write(data);
    askForMore();
  }

  @Override
  public void onEnd(HeaderFields trailers) {
    if (isOver) {
      return;
    }
    if (isLengthKnown && remaining > 0) {
      fail("the client sent " + remaining + " bytes less than its Content-Length");
      return;
    }
    isOver = true;
    output.end();
  }

  @Override
  public void onFailure(String reason) {
    if (!isOver) {
      isOver = true;
      output.fail(Kind.REQUEST_BODY_FAILED, "request body failed: " + Printable.line(reason));
    }
  }

  private void fail(String reason) {
    isOver = true;
    body.cancel();
    output.fail(Kind.REQUEST_BODY_FAILED, reason);
  }
}
