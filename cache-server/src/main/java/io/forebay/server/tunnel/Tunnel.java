package io.forebay.server.tunnel;

import io.forebay.server.counters.LoopCounters;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Relays bytes between a client and an origin in both directions. What one side does not accept is
 * not read from the other: each direction buffers at most the transport's queue and one read. An
 * end of one direction is forwarded while the other continues; a reset is forwarded as a reset.
 *
 * <pre>
 *   client ──read──► toOrigin ──write──► origin
 *   client ◄─write── toClient ◄──read─── origin
 * </pre>
 *
 * <p>Owner: the loop of both connections.
 */
public final class Tunnel {

  /** How a tunnel ends; one call. */
  public interface Outcome {
    /**
     * Both connections are gone.
     *
     * @param why it was broken off, for the log, or null when it ended in order
     */
    void onTunnelOver(@Nullable String why);
  }

  private final EventLoop loop;
  private final long idleNanos;
  private final LoopCounters counters;
  private final Outcome outcome;
  private final Direction toOrigin;
  private final Direction toClient;

  private long movedNanos;
  private @Nullable String broken;
  private @Nullable Future<?> looking;

  /** Both ends are closing because the conversation is over. */
  private boolean isClosing;

  private boolean isOver;

  /**
   * Joins two connections.
   *
   * @param idle how long nothing may move in either direction
   */
  public Tunnel(
      TunnelEnd client,
      TunnelEnd origin,
      EventLoop loop,
      Duration idle,
      LoopCounters counters,
      Outcome outcome) {
    this.loop = loop;
    this.idleNanos = idle.toNanos();
    this.counters = counters;
    this.outcome = outcome;
    this.toOrigin = new Direction(client, origin, "CLIENT_GONE");
    this.toClient = new Direction(origin, client, "ORIGIN_FAILED");
  }

  public void start() {
    counters.tunnelsOpened++;
    counters.tunnelsOpen++;
    onMoved();
    looking = loop.schedule(this::checkIdle, idleNanos, TimeUnit.NANOSECONDS);
    toOrigin.start();
    toClient.start();
    toOrigin.from.resume();
    toClient.from.resume();
  }

  /** Bytes the origin has sent and the client's transport has been given. */
  public long bytesToClient() {
    return toClient.bytes;
  }

  public long bytesToOrigin() {
    return toOrigin.bytes;
  }

  private void onMoved() {
    movedNanos = loop.ticker().nanoTime();
  }

  private void checkIdle() {
    if (isOver) {
      return;
    }
    long leftNanos = movedNanos + idleNanos - loop.ticker().nanoTime();
    if (leftNanos > 0) {
      looking = loop.schedule(this::checkIdle, leftNanos, TimeUnit.NANOSECONDS);
      return;
    }
    breakOff("TUNNEL_IDLE");
    toOrigin.from.abort();
    toClient.from.abort();
  }

  private void breakOff(String why) {
    if (broken == null) {
      broken = why;
    }
  }

  private void onEndClosed() {
    if (!isOver && toOrigin.isFromClosed && toClient.isFromClosed) {
      isOver = true;
      if (looking != null) {
        looking.cancel(false);
      }
      counters.tunnelBytesToClients += toClient.bytes;
      counters.tunnelBytesToOrigins += toOrigin.bytes;
      outcome.onTunnelOver(broken);
      // Last: whoever sees the gauge fall finds the tunnel's place free.
      counters.tunnelsOpen--;
    }
  }

  /** One direction, told of what happens at the end it reads from. */
  private final class Direction implements TunnelEnd.Listener {
    private final TunnelEnd from;
    private final TunnelEnd to;
    private final String whenBroken;
    private long bytes;
    private boolean isEnded;
    private boolean isFromClosed;

    Direction(TunnelEnd from, TunnelEnd to, String whenBroken) {
      this.from = from;
      this.to = to;
      this.whenBroken = whenBroken;
    }

    void start() {
      from.listener(this);
    }

    private Direction back() {
      return this == toOrigin ? toClient : toOrigin;
    }

    @Override
    public void onData(ByteBuf data) {
      bytes += data.readableBytes();
      onMoved();
      to.write(data);
      if (!to.isWritable()) {
        // What is not flushed never drains.
        to.flush();
        if (!to.isWritable()) {
          from.suspend();
        }
      }
    }

    @Override
    public void onReadComplete() {
      to.flush();
    }

    @Override
    public void onWritable() {
      onMoved();
      to.resume();
    }

    @Override
    public void onEnd() {
      isEnded = true;
      onMoved();
      boolean isLast = back().isEnded || !from.canHalfClose() || !to.canHalfClose();
      // Before the end is told: a stream may be gone with it.
      isClosing |= isLast;
      to.finish();
      if (isLast) {
        to.closeWhenSent();
        from.closeWhenSent();
      }
    }

    @Override
    public void onClosed() {
      isFromClosed = true;
      if (isClosing) {
        to.closeWhenSent();
      } else {
        breakOff(whenBroken);
        to.abort();
      }
      onEndClosed();
    }
  }
}
