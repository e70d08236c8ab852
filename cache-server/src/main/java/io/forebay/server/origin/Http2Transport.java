package io.forebay.server.origin;

import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.http2.Http2Call;
import io.forebay.server.origin.http2.Http2CallListener;
import io.forebay.server.origin.http2.Http2Session;
import io.forebay.server.origin.http2.Http2SessionListener;
import io.netty.handler.codec.http2.Http2Headers;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/2 connection as its pools see it: what its calls share of permit, health and time to
 * live. Confined to its event loop.
 *
 * <pre>
 *   OPENING ─► BUSY ◄─► IDLE ─► CLOSED
 *                └── takes no more calls ──► CLOSED once they have ended
 * </pre>
 */
final class Http2Transport implements PooledConnection, Http2SessionListener {

  private enum State {
    OPENING,
    BUSY,
    IDLE,
    CLOSED
  }

  private final EndpointPool endpoint;
  private final OriginPool pool;
  private final PooledOriginClient client;
  private final SharedConnections shared;
  private final Http2Session session;
  private final Deadline deadline;

  private State state = State.OPENING;
  private @Nullable ConnectionPermit permit;
  private boolean isLookQueued;
  private boolean hasFailed;
  private boolean wasUsed;
  private int calls;

  Http2Transport(EndpointPool endpoint, SharedConnections shared) {
    this.endpoint = endpoint;
    this.pool = endpoint.pool();
    this.client = pool.client();
    this.shared = shared;
    ResponseLimits bounds = client.bounds();
    this.session =
        Http2Session.create(
            client.loop(), bounds.headerBytes(), bounds.headerCount(), bounds.http2(), this);
    this.deadline = new Deadline(client.loop(), this::onDeadline);
  }

  /** What goes into the pipeline. */
  Http2Session session() {
    return session;
  }

  @Override
  public EndpointPool endpoint() {
    return endpoint;
  }

  @Override
  public void onOpen(ConnectionPermit newPermit) {
    permit = newPermit;
    client.counters().originConnectionsOpened++;
    client.counters().originConnectionsOpen++;
    if (state == State.CLOSED) {
      // Closed between two events.
      releasePermit();
    } else {
      shared.add(this);
    }
  }

  @Override
  public boolean isUsable() {
    return state != State.CLOSED && session.isUsable();
  }

  @Override
  public boolean canServe(PooledCall call) {
    return state != State.CLOSED && call.mayShare() && session.hasRoom();
  }

  /** Whether the origin wants no calls for now. */
  boolean isPaused() {
    return state != State.CLOSED && session.isPaused();
  }

  /** Whether it has calls. */
  boolean isBusy() {
    return state == State.BUSY;
  }

  /** Whether it has carried calls before the present ones. */
  boolean wasUsed() {
    return wasUsed;
  }

  // Calls.

  @Override
  public void start(PooledCall call) {
    if (permit == null) {
      call.fail(
          Kind.CONNECT_FAILED, endpoint.server().label() + ": the origin closed the connection");
      return;
    }
    deadline.clear();
    state = State.BUSY;
    calls++;
    endpoint.counters().requests++;
    if (call.endpoint() != endpoint) {
      call.assign(endpoint);
    }
    new Http2CallTransport(this, call).start();
  }

  Http2Call open(
      Http2Headers headers, boolean isComplete, boolean isSuspended, Http2CallListener listener) {
    return session.open(headers, isComplete, isSuspended, listener);
  }

  /** A call has left the connection. */
  void onCallOver() {
    calls--;
    wasUsed = true;
    if (!isLookQueued) {
      isLookQueued = true;
      client
          .loop()
          .execute(() -> {
            isLookQueued = false;
            onChanged();
          });
    }
  }

  /** A call got no answer in time. If the connection has been silent as well, it gets no more. */
  void onTimeout(long callStartNanos) {
    if (session.lastReadNanos() - callStartNanos < 0) {
      session.drain();
    }
  }

  /** The connection failed its calls: that counts once, however many there are. */
  void countFailure(String detail) {
    if (!hasFailed) {
      hasFailed = true;
      endpoint.onFailure(detail);
    }
  }

  // The connection.

  @Override
  public void onBytes(int count) {
    client.counters().bytesFromOrigins += count;
    pool.counters().receivedBytes += count;
  }

  @Override
  public void onChanged() {
    if (state == State.CLOSED) {
      return;
    }
    if (!session.isUsable()) {
      shared.remove(this);
      if (calls == 0) {
        close();
      }
      return;
    }
    if (shared.hasWaiting() && session.hasRoom()) {
      if (state == State.IDLE) {
        endpoint.removeIdle(this);
      }
      shared.serve(this);
    }
    if (state == State.BUSY && calls == 0) {
      pool.onFree(this);
    } else if (state == State.BUSY && !pool.onRoom(this)) {
      session.drain();
    }
  }

  @Override
  public void onKept(long keepNanos) {
    state = State.IDLE;
    deadline.in(keepNanos);
  }

  private void onDeadline() {
    if (state == State.IDLE) {
      close();
    }
  }

  @Override
  public void close() {
    if (state != State.CLOSED) {
      leave();
      session.close();
    }
  }

  @Override
  public void onClosed() {
    leave();
    releasePermit();
  }

  private void leave() {
    if (state == State.IDLE) {
      endpoint.removeIdle(this);
    }
    state = State.CLOSED;
    deadline.stop();
    shared.remove(this);
  }

  private void releasePermit() {
    ConnectionPermit held = permit;
    permit = null;
    if (held != null) {
      client.counters().originConnectionsOpen--;
      endpoint.removeConnection();
      held.release();
    }
  }
}
