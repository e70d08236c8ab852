package io.forebay.server.listen.connection;

import io.forebay.server.loop.DeadlineWheel;

/**
 * The graceful end of an HTTP/2 or HTTP/3 connection, by two GOAWAY frames (RFC 9113 §6.8, RFC 9114
 * §5.2). The first allows all streams that the client has already sent; the second names the last
 * stream. Confined to the event loop of its connection.
 */
public final class GoAwaySequence {

  /** Between the two frames: requests that crossed the first have come by then. */
  private static final long INTERVAL_NANOS = 1_000_000_000L;

  /** Sends the frames of one connection. */
  public interface Frames {
    /** Sends the GOAWAY without a last stream. */
    void sendFirst();

    /** Sends the GOAWAY with the last stream; closes the connection if no stream is left. */
    void sendFinal();
  }

  private enum State {
    NOT_STARTED,
    FIRST_SENT,
    FINAL_SENT
  }

  private final Frames frames;
  private final DeadlineWheel.Entry timer;
  private State state = State.NOT_STARTED;

  public GoAwaySequence(DeadlineWheel wheel, Frames frames) {
    this.frames = frames;
    timer = wheel.entry(now -> finish());
  }

  /** Sends the first frame; the second follows. Does nothing the second time. */
  public void start() {
    if (state == State.NOT_STARTED) {
      state = State.FIRST_SENT;
      // Before the frame: where writing it finds the connection closed, the timer is removed.
      timer.in(INTERVAL_NANOS);
      frames.sendFirst();
    }
  }

  /** Sends the second frame if it is due: the time is over, or the client has read the first. */
  public void finish() {
    if (state == State.FIRST_SENT) {
      state = State.FINAL_SENT;
      timer.clear();
      frames.sendFinal();
    }
  }

  public boolean isStarted() {
    return state != State.NOT_STARTED;
  }

  /** Whether the second frame has been sent: the connection closes once its streams have ended. */
  public boolean isFinished() {
    return state == State.FINAL_SENT;
  }

  /** The connection is closed. */
  public void remove() {
    timer.remove();
  }
}
