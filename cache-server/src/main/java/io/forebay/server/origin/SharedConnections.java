package io.forebay.server.origin;

import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginFailure.Kind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP/2 connections to one endpoint, and the calls that wait for one of them. Those without
 * calls are idle connections like others.
 *
 * <pre>
 *   a call ─┬─ a connection has room ─────────────────────────► starts on it
 *           ├─ one is being opened, or the origin has paused ─► waits here
 *           └─ else ──────────────────────────────────────────► opens one (limit: permits)
 * </pre>
 *
 * <p>So a burst of calls opens one connection and not one for each. If an attempt to open it fails,
 * those that wait no longer rely on others. Confined to the loop.
 */
final class SharedConnections implements WaitQueue {
  /**
   * Calls that may wait for a connection that is being opened; further ones open their own (I5).
   */
  static final int MAX_WAITING = 1024;

  private final EndpointPool endpoint;
  private final List<Http2Transport> connections = new ArrayList<>();
  private final ArrayDeque<PooledCall> waiting = new ArrayDeque<>();
  private int opening;

  /** The last connection chose HTTP/1.1, where both were offered: nothing is shared then. */
  private boolean isHttp1;

  SharedConnections(EndpointPool endpoint) {
    this.endpoint = endpoint;
  }

  /** Whether {@link #take} takes the call. */
  boolean mayTake(PooledCall call) {
    return call.mayShare() && (withRoom(call) != null || mayWait(call));
  }

  /** Starts a call, or lets it wait; false if it needs a connection that nobody opens. */
  boolean take(PooledCall call) {
    if (!call.mayShare()) {
      return false;
    }
    Http2Transport connection = withRoom(call);
    if (connection != null) {
      connection.start(call);
      return true;
    }
    if (!mayWait(call)) {
      return false;
    }
    waiting.add(call);
    OriginPool pool = endpoint.pool();
    call.onQueued(this, pool.loop().ticker().nanoTime(), pool.origin().config().connectTimeout());
    return true;
  }

  private boolean mayWait(PooledCall call) {
    boolean waits = isPaused() || (opening > 0 && !isHttp1 && !call.isAlone());
    return waits && !endpoint.hasIdle(call) && waiting.size() < MAX_WAITING;
  }

  private @Nullable Http2Transport withRoom(PooledCall call) {
    for (Http2Transport connection : connections) {
      if (connection.isBusy() && connection.canServe(call)) {
        return connection;
      }
    }
    return null;
  }

  private boolean isPaused() {
    for (Http2Transport connection : connections) {
      if (connection.isPaused()) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void removeWaiting(PooledCall call) {
    waiting.remove(call);
    call.onDequeued();
  }

  @Override
  public OriginFailure waitedTooLong(Duration timeout) {
    return new OriginFailure(
        Kind.TOO_MANY_CONNECTIONS,
        endpoint.server().label()
            + ": no connection took the request within "
            + timeout.toMillis()
            + " ms");
  }

  /** Fails those that wait; the loop is stopping. */
  void failWaiting(OriginFailure failure) {
    for (PooledCall call : takeAll()) {
      call.fail(failure);
    }
  }

  private List<PooledCall> takeAll() {
    List<PooledCall> all = List.copyOf(waiting);
    all.forEach(this::removeWaiting);
    return all;
  }

  // Connections being opened.

  /** A connection that calls may share is being opened. */
  void onOpening() {
    opening++;
  }

  void onOpenFailed() {
    opening--;
    if (opening == 0) {
      for (PooledCall call : takeAll()) {
        call.goAlone();
        endpoint.pool().dispatch(call);
      }
    }
  }

  /**
   * A connection is open.
   *
   * @param shared null if it is one of HTTP/1.1
   */
  void onOpened(@Nullable Http2Transport shared) {
    opening--;
    isHttp1 = shared == null;
    if (shared != null) {
      serve(shared);
    }
    if (opening == 0 || isHttp1) {
      sendRest();
    }
  }

  /** Those that wait and have nothing to wait for open connections of their own. */
  private void sendRest() {
    if (!isPaused()) {
      takeAll().forEach(endpoint.pool()::dispatch);
    }
  }

  // Open connections.

  void add(Http2Transport connection) {
    connections.add(connection);
  }

  boolean hasWaiting() {
    return !waiting.isEmpty();
  }

  /** It takes no more calls. */
  void remove(Http2Transport connection) {
    if (connections.remove(connection) && opening == 0) {
      sendRest();
    }
  }

  /** Starts calls that wait, as many as a connection has room for. */
  void serve(Http2Transport connection) {
    PooledCall next = waiting.peekFirst();
    while (next != null && connection.canServe(next)) {
      removeWaiting(next);
      connection.start(next);
      next = waiting.peekFirst();
    }
  }
}
