package io.forebay.server.origin;

import io.forebay.server.counters.LimitKey;
import io.forebay.server.counters.OriginCounters;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's connections to one origin: idle ones, most recent first, and the requests that
 * wait because of the connection limit. Confined to the loop, except the two numbers that other
 * loops read.
 */
final class OriginPool {
  static final long NOT_WAITING = Long.MIN_VALUE;

  /** Requests that may wait on one loop for one origin; beyond, they fail at once (I5). */
  static final int MAX_WAITING = 1024;

  /**
   * How much longer than its own a pool lets another loop's request wait before it gives a
   * connection away. Giving away means closing and connecting anew, so it is done to prevent
   * starvation, not to share evenly.
   */
  private static final long HANDOVER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final PooledOriginClient client;
  private final Origin origin;
  private final OriginConnectionPermits slots;
  private final OriginCounters counters;
  private final OriginWatch watch;
  private final int most;

  private final ArrayDeque<OriginConnection> idle = new ArrayDeque<>();
  private final ArrayDeque<PooledCall> waiting = new ArrayDeque<>();
  private int rotation;
  private boolean isRetired;

  // Written by the loop, read by others; see OriginConnectionPermits for what the order of writes
  // guarantees.
  private volatile long waitingSinceNanos = NOT_WAITING;
  private volatile int idleCount;

  OriginPool(
      PooledOriginClient client,
      Origin origin,
      OriginConnectionPermits slots,
      OriginCounters counters,
      OriginWatch watch) {
    this.client = client;
    this.origin = origin;
    this.slots = slots;
    this.counters = counters;
    this.watch = watch;
    this.most = origin.config().maxConnections();
    slots.join(this);
  }

  EventLoop loop() {
    return client.loop();
  }

  PooledOriginClient client() {
    return client;
  }

  Origin origin() {
    return origin;
  }

  /** What this loop counts of the origin. */
  OriginCounters counters() {
    return counters;
  }

  OriginWatch watch() {
    return watch;
  }

  long waitingSinceNanos() {
    return waitingSinceNanos;
  }

  int idleCount() {
    return idleCount;
  }

  /** Where in a list of addresses the next connection begins, so that all of them are used. */
  int nextRotation() {
    return rotation++ & Integer.MAX_VALUE;
  }

  /** Sends a call by an idle connection, a new one, or once there is one. */
  void submit(PooledCall call) {
    OriginConnection connection = takeIdle();
    if (connection != null) {
      connection.start(call);
    } else if (waiting.isEmpty() && slots.tryAcquire(most)) {
      connect(call);
    } else {
      enqueue(call);
    }
  }

  /** Sends a call again by a new connection, with the slot of the one that died under it if any. */
  void retry(PooledCall call, boolean hasSlot) {
    if (hasSlot || slots.tryAcquire(most)) {
      connect(call);
    } else {
      enqueue(call);
    }
  }

  void releaseSlot() {
    slots.release(most);
  }

  /** A connection has nothing to do: it serves who waits, here or elsewhere, or is kept. */
  void onFree(OriginConnection connection) {
    OriginPool other = slots.longestWaiting(this);
    PooledCall next = waiting.peekFirst();
    if (next != null && !isOvertaken(next, other)) {
      removeWaiting(next);
      connection.start(next);
    } else if (isRetired || other != null || slots.open() > most) {
      connection.close();
    } else {
      idle.addFirst(connection);
      idleCount = idle.size();
      connection.onKept(origin.config().keepAlive().toNanos());
      if (slots.longestWaiting(this) != null) {
        yieldIdle();
      }
    }
  }

  /** A kept connection closed, or is closing. */
  void onIdleLost(OriginConnection connection) {
    idle.remove(connection);
    idleCount = idle.size();
  }

  /** Closes the connection that has been idle longest if another loop waits. */
  void yieldIdle() {
    if (!idle.isEmpty() && slots.longestWaiting(this) != null) {
      closeOldestIdle();
    }
  }

  /** Another loop, or this one, gave up a slot for this pool. */
  void onSlotGranted() {
    PooledCall next = waiting.peekFirst();
    if (next == null) {
      releaseSlot();
      return;
    }
    removeWaiting(next);
    connect(next);
  }

  /** A call waits no longer: cancelled, or out of time. */
  void removeWaiting(PooledCall call) {
    waiting.remove(call);
    call.onDequeued();
    PooledCall oldest = waiting.peekFirst();
    waitingSinceNanos = oldest == null ? NOT_WAITING : oldest.waitingSinceNanos();
    leaveIfDone();
  }

  /** The configuration no longer has this origin as it is: nothing is kept from now on. */
  void retire() {
    isRetired = true;
    while (!idle.isEmpty()) {
      closeOldestIdle();
    }
    leaveIfDone();
  }

  /** What became of the call does not matter any more; the loop is stopping. */
  void failWaiting(OriginFailure failure) {
    while (true) {
      PooledCall next = waiting.peekFirst();
      if (next == null) {
        return;
      }
      removeWaiting(next);
      next.fail(failure);
    }
  }

  private @Nullable OriginConnection takeIdle() {
    while (true) {
      OriginConnection connection = idle.pollFirst();
      if (connection == null) {
        return null;
      }
      idleCount = idle.size();
      if (connection.isUsable()) {
        return connection;
      }
      connection.close();
    }
  }

  private void closeOldestIdle() {
    OriginConnection oldest = idle.pollLast();
    idleCount = idle.size();
    if (oldest != null) {
      oldest.close();
    }
  }

  private boolean isOvertaken(PooledCall next, @Nullable OriginPool other) {
    if (other == null) {
      return false;
    }
    long since = other.waitingSinceNanos();
    long now = loop().ticker().nanoTime();
    return since != NOT_WAITING
        && since - next.waitingSinceNanos() < 0
        && now - since > HANDOVER_NANOS;
  }

  private void enqueue(PooledCall call) {
    if (waiting.size() >= MAX_WAITING) {
      client.counters().hit(LimitKey.ORIGIN_CONNECTIONS);
      call.fail(tooMany("and " + MAX_WAITING + " requests are already waiting"));
      return;
    }
    if (isRetired && waiting.isEmpty()) {
      slots.join(this);
    }
    waiting.addLast(call);
    call.onQueued(this, loop().ticker().nanoTime());
    if (waiting.size() == 1) {
      waitingSinceNanos = call.waitingSinceNanos();
    }
    if (slots.tryAcquire(most)) {
      onSlotGranted();
    } else {
      slots.askForIdle(this);
    }
  }

  OriginFailure tooMany(String then) {
    return new OriginFailure(
        OriginFailure.Kind.TOO_MANY_CONNECTIONS,
        origin.label() + ": all " + most + " connections are in use " + then);
  }

  private void connect(PooledCall call) {
    new OriginConnector(this, call).start();
  }

  private void leaveIfDone() {
    if (isRetired && waiting.isEmpty()) {
      slots.leave(this);
    }
  }
}
