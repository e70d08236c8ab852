package io.forebay.server.origin;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.group.OriginServer;
import io.forebay.server.origin.http2.Http2Call;
import io.forebay.server.origin.http2.Http2CallListener;
import io.forebay.server.origin.http2.Http2Failure;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call on a stream of an HTTP/2 connection: its timeouts, its request body, and whether it is
 * sent again. Confined to the event loop.
 */
final class Http2CallTransport implements CallTransport, Http2CallListener, BodySender.Output {

  /** What the deadline stands for. */
  private enum Phase {
    CONTINUE,
    SENDING,
    FIRST_BYTE,
    BODY
  }

  private final Http2Transport connection;
  private final EndpointPool endpoint;
  private final OriginPool pool;
  private final OriginServer server;
  private final PooledCall call;
  private final Deadline deadline;
  private final long startNanos;
  private final boolean isReused;

  private @Nullable Http2Call stream;
  private @Nullable KeptBody body;
  private @Nullable BodySender sender;
  private Phase phase = Phase.SENDING;
  private boolean isAwaitingContinue;
  private boolean isRequestSent;
  private boolean hasInterim;
  private boolean hasHead;

  /** Bytes of the response to come; negative if not known. */
  private long remaining = -1;

  private boolean isOver;

  Http2CallTransport(Http2Transport connection, PooledCall call) {
    this.connection = connection;
    this.endpoint = connection.endpoint();
    this.pool = endpoint.pool();
    this.server = endpoint.server();
    this.call = call;
    this.deadline = new Deadline(pool.loop(), this::onDeadline);
    this.startNanos = pool.loop().ticker().nanoTime();
    this.isReused = connection.wasUsed();
  }

  void start() {
    call.onConnection(this);
    OriginRequest request = RequestSigning.signed(pool.origin(), server, call.request());
    boolean hasBody = request.body().lengthBytes() != 0;
    isRequestSent = !hasBody;
    Http2Call opened =
        connection.open(Http2RequestHead.of(request, server), !hasBody, call.isSuspended(), this);
    stream = opened;
    if (hasBody) {
      KeptBody newBody = call.keptBody();
      body = newBody;
      BodySender newSender = new BodySender(this, newBody);
      sender = newSender;
      isAwaitingContinue = request.hop().expectsContinue();
      if (!isAwaitingContinue) {
        // A body may answer its first demand at once; the call is not known to its listener yet.
        pool.loop().execute(newSender::start);
      }
    } else {
      call.onSent();
    }
    rearm();
  }

  // The request body.

  private void sendBody() {
    BodySender waiting = sender;
    if (isAwaitingContinue && waiting != null) {
      isAwaitingContinue = false;
      rearm();
      pool.loop().execute(waiting::start);
    }
  }

  @Override
  public boolean isWritable() {
    return stream().isWritable();
  }

  @Override
  public void write(ByteBuf data) {
    stream().write(data);
    if (!stream().isWritable()) {
      rearm();
    }
  }

  @Override
  public void end() {
    isRequestSent = true;
    call.onSent();
    stream().endRequest();
    rearm();
  }

  @Override
  public void onBodyWritten() {
    if (!isOver) {
      if (sender != null && isWritable()) {
        sender.onWritable();
      }
      rearm();
    }
  }

  private Http2Call stream() {
    Http2Call opened = stream;
    if (opened == null) {
      throw new IllegalStateException("used before it was started");
    }
    return opened;
  }

  // The response.

  @Override
  public void onInterim(int status, HeaderFields fields) {
    if (isOver) {
      return;
    }
    hasInterim = true;
    rearm();
    if (status == 100) {
      sendBody();
    }
    call.informational(status, fields);
  }

  @Override
  public void onHead(int status, HeaderFields fields, long contentLength) {
    if (isOver) {
      return;
    }
    List<Integer> unwanted = server.config().retry().statuses();
    EndpointPool another = !unwanted.isEmpty() && unwanted.contains(status) ? another() : null;
    if (another != null) {
      endpoint.onAnswer(status);
      call.observeHead(status);
      leave();
      stream().cancel();
      pool.watch().onProblem(pool.origin(), server.label() + ": answered with status " + status);
      pool.sendAgain(call, another);
      return;
    }
    hasHead = true;
    if (body != null) {
      body.letGo();
    }
    remaining = contentLength;
    rearm();
    stopBodyIfAnswered();
    call.head(status, fields, contentLength, false);
  }

  @Override
  public void onData(ByteBuf data) {
    if (isOver) {
      data.release();
      return;
    }
    if (remaining > 0) {
      remaining -= data.readableBytes();
      stopBodyIfAnswered();
    }
    call.data(data);
  }

  /**
   * Once the client has the whole response, its body ends, and that is no failure of the request.
   */
  private void stopBodyIfAnswered() {
    if (remaining == 0 && sender != null) {
      isAwaitingContinue = false;
      sender.stop();
    }
  }

  @Override
  public void onReadComplete() {
    if (!isOver) {
      rearm();
      call.readComplete();
    }
  }

  @Override
  public void onEnd(HeaderFields trailers) {
    if (!isOver) {
      leave();
      call.end(trailers);
    }
  }

  // It goes wrong.

  @Override
  public void onFailed(Http2Failure failure, String detail) {
    if (isOver) {
      return;
    }
    switch (failure) {
      case UNPROCESSED -> onUnprocessed(detail);
      case CLOSED -> onLost(detail);
      case RESET -> failEarly(detail);
      case INVALID -> fail(Kind.INVALID_RESPONSE, "invalid response: " + detail);
      case FIELDS_TOO_LARGE ->
          fail(
              hasHead ? Kind.INVALID_RESPONSE : Kind.FIELDS_TOO_LARGE,
              "invalid response: " + detail);
      case DEFECT -> fail(Kind.DEFECT, detail);
    }
  }

  /** The origin has not looked at it: any request may be sent again whose body is still there. */
  private void onUnprocessed(String detail) {
    boolean isKept = body != null && body.isWhole();
    boolean isBodyThere = !isBodyBegun() || isKept || call.request().body().isRepeatable();
    if (!call.isRetried() && isBodyThere && !pool.client().isClosed()) {
      if (body != null && sender != null && isBodyBegun() && isKept) {
        sender.detach();
        body.rewind();
      }
      leave();
      call.markRetried();
      pool.client().counters().originRetries++;
      pool.dispatch(call);
    } else {
      fail(Kind.CLOSED_BEFORE_RESPONSE, "no response: " + detail);
    }
  }

  private boolean isBodyBegun() {
    return sender != null && sender.isStarted();
  }

  private void onLost(String detail) {
    boolean isRetryable =
        isReused
            && !hasHead
            && !hasInterim
            && !call.isRetried()
            && (!isBodyBegun() || call.request().body().isRepeatable())
            && !pool.client().isClosed()
            && call.request().isIdempotent();
    if (isRetryable) {
      leave();
      call.markRetried();
      pool.client().counters().originRetries++;
      pool.dispatch(call);
    } else {
      failEarly(detail);
    }
  }

  private void failEarly(String detail) {
    if (hasHead) {
      fail(Kind.TRUNCATED, "the response ended early: " + detail);
    } else {
      fail(Kind.CLOSED_BEFORE_RESPONSE, "no response: " + detail);
    }
  }

  private void onDeadline() {
    if (phase == Phase.CONTINUE) {
      sendBody();
      return;
    }
    connection.onTimeout(startNanos);
    switch (phase) {
      case FIRST_BYTE ->
          fail(
              Kind.FIRST_BYTE_TIMEOUT,
              "no response within " + firstByteTimeout().toMillis() + " ms");
      case SENDING ->
          fail(
              Kind.WRITE_TIMEOUT,
              "the origin read nothing of the request body for "
                  + idleTimeout().toMillis()
                  + " ms");
      default ->
          fail(
              Kind.IDLE_TIMEOUT, "no data of the response for " + idleTimeout().toMillis() + " ms");
    }
  }

  /** Ends the call in failure, or sends it to another endpoint if that is safe. */
  @Override
  public void fail(Kind kind, String detail) {
    if (isOver) {
      return;
    }
    String text = server.label() + ": " + detail;
    EndpointPool another = null;
    call.observeFailure(kind);
    if (kind.isEndpointFault()) {
      connection.countFailure(detail);
      another = another();
    }
    leave();
    stream().cancel();
    if (another == null) {
      call.fail(kind, text);
    } else {
      pool.watch().onProblem(pool.origin(), text);
      pool.sendAgain(call, another);
    }
  }

  /** Where a call without a response can be sent again, or null. */
  private @Nullable EndpointPool another() {
    return !hasHead && !hasInterim && call.request().isSafeToSendAgain()
        ? pool.another(call, endpoint)
        : null;
  }

  // What the call orders.

  @Override
  public void onSuspended() {
    stream().suspend();
    rearm();
  }

  @Override
  public void onResumed() {
    if (!isOver && !call.isSuspended()) {
      stream().resume();
      rearm();
    }
  }

  @Override
  public void abandon() {
    if (!isOver) {
      leave();
      stream().cancel();
    }
  }

  /** The call is no longer this stream's. */
  private void leave() {
    isOver = true;
    deadline.stop();
    isAwaitingContinue = false;
    if (sender != null) {
      sender.stop();
    }
    call.onConnection(null);
    connection.onCallOver();
  }

  private void rearm() {
    if (isOver || call.isSuspended()) {
      deadline.clear();
    } else if (hasHead) {
      arm(Phase.BODY, idleTimeout());
    } else if (isRequestSent && stream().isWritten()) {
      arm(Phase.FIRST_BYTE, firstByteTimeout());
    } else if (isAwaitingContinue) {
      arm(Phase.CONTINUE, OriginConnection.CONTINUE_PATIENCE);
    } else if (isRequestSent || !isWritable()) {
      arm(Phase.SENDING, idleTimeout());
    } else {
      deadline.clear();
    }
  }

  private Duration firstByteTimeout() {
    return call.request().timeouts().firstByteOr(server.config().firstByteTimeout());
  }

  private Duration idleTimeout() {
    return call.request().timeouts().idleOr(server.config().idleTimeout());
  }

  private void arm(Phase newPhase, Duration timeout) {
    phase = newPhase;
    if (timeout.isPositive()) {
      deadline.in(timeout.toNanos());
    } else {
      deadline.clear();
    }
  }
}
