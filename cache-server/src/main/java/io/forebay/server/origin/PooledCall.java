package io.forebay.server.origin;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.key.RendezvousHash;
import io.forebay.server.counters.OriginCounters;
import io.forebay.server.counters.OriginError;
import io.forebay.server.http.RequestBody;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.group.Origin;
import io.forebay.server.origin.sign.OriginSigner;
import io.forebay.server.text.Printable;
import io.forebay.server.tunnel.TunnelEnd;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One call: what its listener may still receive, its timers, and its state (waiting, connecting, or
 * on a connection). Confined to the event loop.
 */
final class PooledCall extends TotalTimeouts.Timed implements OriginCall, LongSupplier {
  /**
   * What a failure counts as where latencies are compared: a failing endpoint is not a fast one.
   */
  private static final long FAILURE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final PooledOriginClient client;
  private final @Nullable Origin origin;
  private final OriginRequest request;
  private final OriginListener listener;
  private final long startNanos;

  /** When the present endpoint had its turn. */
  private long turnNanos;

  /** Of a call that stands in for another one, and has what is left of its time. */
  private @Nullable Deadline rest;

  private @Nullable Deadline wait;

  /** Counts the call; null for one that is not sent. */
  private @Nullable OriginPool counting;

  /** What was chosen for it. */
  private @Nullable EndpointPool endpoint;

  /** The same, and kept when the call is over. */
  private @Nullable EndpointPool latestEndpoint;

  /** Endpoints that failed it; null for none. */
  private @Nullable List<EndpointPool> tried;

  /** What it is counted by as in progress; null where no adaptive limit is. */
  private @Nullable RequestPermits admission;

  /** When all of it was sent, and no head has come yet; 0 else. */
  private long sentNanos;

  private @Nullable WaitQueue queue;
  private long waitingSinceNanos;
  private @Nullable CallTransport connection;

  /** Whether it opens a connection of its own rather than wait for one that is being opened. */
  private boolean isAlone;

  /** The request body where its beginning is kept; null where it is not. */
  private @Nullable KeptBody kept;

  private boolean isSuspended;
  private boolean isRetried;
  private int retries;
  private boolean isDone;
  private boolean isCancelled;

  PooledCall(
      PooledOriginClient client,
      @Nullable Origin origin,
      OriginRequest request,
      OriginListener listener) {
    this.client = client;
    this.origin = origin;
    this.request = request;
    this.listener = listener;
    this.startNanos = client.loop().ticker().nanoTime();
    this.turnNanos = startNanos;
  }

  /** The call is about to be sent to the pool's origin. */
  void countedBy(OriginPool pool) {
    counting = pool;
    pool.counters().requests++;
  }

  /** It fails if it is not over in that time. */
  void limitTotal(Duration timeout) {
    if (timeout.isPositive()) {
      client.totalTimeouts(timeout).add(this, startNanos);
    }
  }

  /** The same of what is left of the time of the call that it stands in for. */
  void limitRest(Duration left) {
    rest = new Deadline(client.loop(), () -> onTotalTimeout(left));
    rest.in(left.toNanos());
  }

  @Override
  void onTotalTimeout(Duration timeout) {
    fail(
        Kind.TOTAL_TIMEOUT,
        (origin == null ? "" : origin.label())
            + ": not finished within "
            + timeout.toMillis()
            + " ms");
  }

  OriginRequest request() {
    return request;
  }

  /** The body to send, from its beginning. */
  RequestBody body() {
    KeptBody body = kept();
    return body == null ? request.body() : body;
  }

  /**
   * The body with its beginning kept; null where that is over and the body itself is repeatable.
   */
  private @Nullable KeptBody kept() {
    KeptBody body = kept;
    return body != null && body.isCancelled() && request.body().isRepeatable() ? null : body;
  }

  /** The body to send, from now on with its beginning kept. */
  KeptBody keptBody() {
    KeptBody body = kept();
    if (body == null) {
      body = new KeptBody(request.body());
      kept = body;
    }
    return body;
  }

  private void releaseBody() {
    if (kept != null) {
      kept.cancel();
    }
  }

  boolean isDone() {
    return isDone;
  }

  boolean isSuspended() {
    return isSuspended;
  }

  boolean isRetried() {
    return isRetried;
  }

  void markRetried() {
    isRetried = true;
  }

  /** How often it was sent again to another endpoint. */
  int retries() {
    return retries;
  }

  void countRetry() {
    retries++;
    isRetried = false;
  }

  /** Whether the connection has to be opened for its client, by the PROXY protocol. */
  boolean needsOwnConnection() {
    return request.client() != null && origin != null && origin.config().egress().proxyProtocol();
  }

  /** Since when it counts as waiting, by its priority. */
  long waitingSinceNanos() {
    return waitingSinceNanos;
  }

  long elapsedNanos() {
    return client.loop().ticker().nanoTime() - startNanos;
  }

  // Where it is.

  @Nullable EndpointPool endpoint() {
    return endpoint;
  }

  /** An endpoint was chosen, or none can be yet. */
  void assign(@Nullable EndpointPool newEndpoint) {
    if (endpoint != null) {
      endpoint.removeRequest();
    }
    endpoint = isDone ? null : newEndpoint;
    if (endpoint != null) {
      latestEndpoint = endpoint;
      endpoint.addRequest();
    }
  }

  /** What was chosen for it last, also when it is over; null if nothing ever was. */
  @Nullable EndpointPool latestEndpoint() {
    return latestEndpoint;
  }

  /** The pool of its origin; null for a call that is not sent. */
  @Nullable OriginPool pool() {
    return counting;
  }

  /** Another request goes out because this one takes long: what chooses endpoints learns of it. */
  void observeLateness() {
    observeAtLeast(0, client.loop().ticker().nanoTime());
  }

  /** The number of its URL, the same on every node. */
  @Override
  public long getAsLong() {
    CharSequence host = request.fields().first("host");
    return RendezvousHash.number(host == null ? "" : host, request.target());
  }

  /** Tells the endpoint how long it took to begin its response. */
  private void observe(long nowNanos) {
    if (endpoint != null && endpoint.pool().endpoints().hasChoice()) {
      endpoint.latency().observe(nowNanos - turnNanos, nowNanos);
    }
  }

  /** Tells the endpoint that it has not answered; it counts as having taken at least so long. */
  private void observeAtLeast(long leastNanos, long nowNanos) {
    if (endpoint != null && endpoint.pool().endpoints().hasChoice()) {
      endpoint.latency().observeAtLeast(Math.max(leastNanos, nowNanos - turnNanos), nowNanos);
    }
  }

  boolean hasTried() {
    return tried != null;
  }

  boolean hasTried(EndpointPool one) {
    return tried != null && tried.contains(one);
  }

  /** An endpoint failed it: another one is to be chosen. */
  void markTried(EndpointPool one) {
    long now = client.loop().ticker().nanoTime();
    if (one == endpoint) {
      observeAtLeast(FAILURE_NANOS, now);
    }
    turnNanos = now;
    if (tried == null) {
      tried = new ArrayList<>(4);
    }
    tried.add(one);
  }

  void onQueued(WaitQueue waitsIn, long nowNanos, Duration timeout) {
    queue = waitsIn;
    waitingSinceNanos = nowNanos + request.priority().handicapNanos(timeout);
    wait = new Deadline(client.loop(), () -> onWaitedTooLong(waitsIn, timeout));
    wait.in(timeout.toNanos());
  }

  void onDequeued() {
    queue = null;
    if (wait != null) {
      wait.stop();
      wait = null;
    }
  }

  private void onWaitedTooLong(WaitQueue waitedIn, Duration timeout) {
    waitedIn.removeWaiting(this);
    fail(waitedIn.waitedTooLong(timeout));
  }

  /** Whether another call's attempt to connect has failed it, so that it makes its own. */
  boolean isAlone() {
    return isAlone;
  }

  void goAlone() {
    isAlone = true;
  }

  /**
   * Whether it may share a connection with others: it offers no other protocol on it, and the
   * connection need not be opened for its client.
   */
  boolean mayShare() {
    return request.hop().upgrade() == null && !needsOwnConnection();
  }

  void onConnection(@Nullable CallTransport newConnection) {
    connection = newConnection;
    sentNanos = 0;
  }

  // What an adaptive limit learns of it.

  /** From now on it is one of the origin's requests in progress. */
  void onAdmitted(RequestPermits by) {
    admission = by;
  }

  /** It no longer is. */
  void leaveGate() {
    RequestPermits by = admission;
    admission = null;
    if (by != null) {
      by.release();
    }
  }

  /** All of the request was handed to its connection. */
  void onSent() {
    if (admission != null) {
      sentNanos = client.loop().ticker().nanoTime();
    }
  }

  /** A response's head came, perhaps one that is not wanted. */
  void observeHead(int status) {
    RequestPermits by = admission;
    if (by != null && (status == 429 || status == 503)) {
      by.onRejected();
    } else if (by != null && sentNanos != 0) {
      by.onResponse(client.loop().ticker().nanoTime() - sentNanos);
    }
    sentNanos = 0;
  }

  /** An attempt failed, perhaps because the origin has too much to do. */
  void observeFailure(Kind kind) {
    if (admission != null && (kind == Kind.CONNECT_TIMEOUT || kind == Kind.FIRST_BYTE_TIMEOUT)) {
      admission.onRejected();
    }
  }

  // What the listener is told.

  void informational(int status, HeaderFields fields) {
    listener.onInformational(status, fields);
  }

  void head(int status, HeaderFields fields, long contentLength, boolean isCloseDelimited) {
    long now = client.loop().ticker().nanoTime();
    long nanos = now - startNanos;
    client.counters().originFirstByte.record(nanos);
    observe(now);
    observeHead(status);
    if (endpoint != null) {
      endpoint.onAnswer(status);
      endpoint.onLatency(now - turnNanos);
    }
    if (counting != null) {
      countHead(counting, status, fields, nanos);
    }
    listener.onHead(status, fields, contentLength, isCloseDelimited);
  }

  private static void countHead(OriginPool pool, int status, HeaderFields fields, long nanos) {
    OriginCounters counters = pool.counters();
    counters.firstByte.record(nanos);
    counters.countResponse(status);
    Origin origin = pool.origin();
    // What takes longer than this is about to fail.
    long slowNanos = origin.config().firstByteTimeout().toNanos() / 2;
    boolean isSlow = slowNanos > 0 && nanos > slowNanos;
    if (isSlow) {
      counters.slowResponses++;
    }
    OriginSigner signer = origin.signer();
    String refusal = signer == null ? null : signer.onAnswer(status, fields);
    if (refusal != null) {
      pool.watch().onProblem(origin, origin.label() + ": " + refusal);
    } else if (status >= 500) {
      pool.watch().onProblem(origin, origin.label() + ": answered with status " + status);
    } else if (isSlow) {
      pool.watch()
          .onProblem(
              origin,
              origin.label() + ": no response for " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms");
    } else {
      pool.watch().onAnswer(origin);
    }
  }

  void data(ByteBuf data) {
    client.counters().originBodyBytes += data.readableBytes();
    listener.onData(data);
  }

  void readComplete() {
    listener.onReadComplete();
  }

  void end(HeaderFields trailers) {
    isDone = true;
    assign(null);
    connection = null;
    stopTimers();
    leaveGate();
    releaseBody();
    long nanos = elapsedNanos();
    client.counters().originTotal.record(nanos);
    if (counting != null) {
      counting.counters().lastByte.record(nanos);
    }
    listener.onEnd(trailers);
  }

  void tunnel(HeaderFields fields, TunnelEnd end) {
    isDone = true;
    assign(null);
    connection = null;
    stopTimers();
    leaveGate();
    listener.onTunnel(fields, end);
  }

  void fail(Kind kind, String detail) {
    fail(new OriginFailure(kind, detail));
  }

  void fail(OriginFailure failure) {
    if (isDone) {
      return;
    }
    if (failure.kind() == Kind.TOTAL_TIMEOUT && sentNanos != 0 && admission != null) {
      admission.onRejected();
    }
    if (failure.kind().isEndpointFault()) {
      observeAtLeast(FAILURE_NANOS, client.loop().ticker().nanoTime());
    }
    leave();
    client.counters().originFailures++;
    if (counting != null && !client.isClosed()) {
      OriginError error = failure.kind().counted();
      counting.counters().countError(error);
      if (error != OriginError.REQUEST) {
        counting.watch().onProblem(counting.origin(), failure.detail());
      }
    }
    if (client.isSending()) {
      client
          .loop()
          .execute(() -> {
            if (!isCancelled) {
              listener.onFailure(failure);
            }
          });
    } else {
      listener.onFailure(failure);
    }
  }

  // What the caller orders.

  @Override
  public void suspend() {
    isSuspended = true;
    if (connection != null) {
      connection.onSuspended();
    }
  }

  @Override
  public void resume() {
    isSuspended = false;
    if (connection != null) {
      connection.onResumed();
    }
  }

  @Override
  public boolean isWaiting() {
    return queue != null;
  }

  @Override
  public void cancel() {
    isCancelled = true;
    if (!isDone) {
      leave();
    }
  }

  private void leave() {
    isDone = true;
    assign(null);
    stopTimers();
    if (queue != null) {
      queue.removeWaiting(this);
    }
    CallTransport used = connection;
    connection = null;
    if (used != null) {
      used.abandon();
    }
    leaveGate();
    releaseBody();
  }

  private void stopTimers() {
    leaveTimeouts();
    if (rest != null) {
      rest.stop();
    }
  }

  @Override
  public String toString() {
    return request.method()
        + " "
        + Printable.line(request.target())
        + (origin == null ? "" : " to " + origin.label());
  }
}
