package io.forebay.server.deliver;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.exchange.AbortCause;
import io.forebay.server.exchange.ResponseBody;
import io.forebay.server.exchange.ResponseSink;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;

/**
 * Sends a byte range of a body to a sink, straight from mapped memory, one bounded chunk
 * outstanding at a time. The next chunk is looked up only when the socket has taken the last, so a
 * delivery never waits while it holds more than that one chunk's region.
 *
 * <p>Owner: the loop of the exchange.
 */
public final class Delivery implements LeaseHolder, ResponseBody {

  /** After this much in one turn other connections of the loop get theirs. */
  private static final int TURN_BYTES = 1024 * 1024;

  private static final long BUSY_RETRY_MICROS = 50;

  private final Leases leases;
  private final EventLoop loop;
  private final ResponseSink sink;
  private final BodyBytes body;
  private final Outcome outcome;

  /** End of what is sent, exclusive; {@link Long#MAX_VALUE} until a body of unknown length ends. */
  private long to;

  private final long from;
  private long position;
  private boolean isChunkOutstanding;
  private boolean isPumping;
  private boolean isTurnQueued;
  private boolean isOver;

  /** Set when the whole message has been handed over; only the last chunk may still be unsent. */
  private boolean isEnded;

  /** How a delivery ends, and what may keep it from being broken off. */
  public interface Outcome extends ResponseBody.Outcome {

    /**
     * Stored bytes that were to be sent are gone. When the rest is sent by somebody else the
     * delivery is over without a further call.
     *
     * @param from first byte that has not been sent
     * @param to end of what is wanted, exclusive, or {@link Long#MAX_VALUE} while that is not known
     * @return whether somebody else sends the rest
     */
    boolean onBytesLost(long from, long to);
  }

  public Delivery(
      Leases leases,
      EventLoop loop,
      ResponseSink sink,
      BodyBytes body,
      long from,
      long to,
      Outcome outcome) {
    this.leases = leases;
    this.loop = loop;
    this.sink = sink;
    this.body = body;
    this.from = from;
    this.position = from;
    this.to = to;
    this.outcome = outcome;
    body.onArrival(this::onProgress);
  }

  /** First byte not yet handed to the sink. */
  public long position() {
    return position;
  }

  @Override
  public long sentBytes() {
    return position - from;
  }

  /** Body bytes still to be handed over, up to {@link Long#MAX_VALUE} while that is not known. */
  public long missingBytes() {
    return to == Long.MAX_VALUE ? to : to - position;
  }

  /** The body turned out to end here. */
  public void endsAt(long lengthBytes) {
    to = Math.min(to, lengthBytes);
  }

  /**
   * Lets somebody else send the rest, if all that was wanted of the bytes before that position has
   * been handed over.
   */
  public boolean yieldAt(long restBegins) {
    if (isOver || isPumping || position < restBegins) {
      return false;
    }
    isOver = true;
    return true;
  }

  /**
   * Sends what can be sent now. Called to start, on progress of a fill, and when writable again.
   */
  public void onProgress() {
    if (isPumping || isOver) {
      return;
    }
    isPumping = true;
    try {
      pump();
    } finally {
      isPumping = false;
    }
  }

  private void pump() {
    int turn = TURN_BYTES;
    while (position < to && !isOver) {
      if (isChunkOutstanding || !sink.isWritable()) {
        return;
      }
      if (turn <= 0) {
        queueTurn();
        return;
      }
      int available = body.locate(position);
      if (available <= 0) {
        onNothingThere(available);
        return;
      }
      int length = (int) Math.min(Math.min(available, sink.chunkBytes()), to - position);
      LeasedBuf chunk = leases.take(body.region(), body.offset(), length, this);
      position += length;
      turn -= length;
      isChunkOutstanding = true;
      sink.body(chunk);
      if (position < to) {
        sink.flush();
      }
    }
    if (!isOver) {
      end();
    }
  }

  private void onNothingThere(int why) {
    switch (why) {
      case BodyBytes.NOT_YET -> {}
      case BodyBytes.BUSY ->
          loop.schedule(this::onProgress, BUSY_RETRY_MICROS, TimeUnit.MICROSECONDS);
      default -> onBytesLost();
    }
  }

  private void onBytesLost() {
    if (outcome.onBytesLost(position, to)) {
      isOver = true;
    } else {
      breakOff(AbortCause.STORAGE_LOST);
    }
  }

  private void end() {
    isOver = true;
    isEnded = true;
    sink.end(HeaderFields.EMPTY);
    outcome.onBodySent();
  }

  private void queueTurn() {
    if (!isTurnQueued) {
      isTurnQueued = true;
      loop.execute(this::onTurn);
    }
  }

  private void onTurn() {
    isTurnQueued = false;
    onProgress();
  }

  /** Breaks the transfer off so that the client sees it broken. */
  public void breakOff(AbortCause cause) {
    if (!isOver) {
      isOver = true;
      sink.abort(cause);
      outcome.onBodyBroken(cause.name());
    }
  }

  @Override
  public void onWritable() {
    onProgress();
  }

  @Override
  public void onClientGone() {
    isOver = true;
  }

  @Override
  public void onLeaseReleased() {
    isChunkOutstanding = false;
    if (!isOver) {
      sink.onChunkTaken(sentBytes());
    }
    // From within our own flush the loop in pump goes on by itself. From a later flush the
    // transport is in the middle of its own loop, so the next chunk waits for a turn of its own.
    if (!isPumping && !isOver) {
      queueTurn();
    }
  }

  @Override
  public void onCopied() {
    sink.onChunkStalled();
  }

  @Override
  public void onCopyRefused() {
    if (isEnded) {
      sink.giveUp();
    } else {
      breakOff(AbortCause.CLIENT_STALLED);
    }
  }

  /** For a body of one chunk whose bytes are already pinned: no lookup, no state to keep. */
  public static void sendPinned(
      Leases leases, ResponseSink sink, int region, int offset, int lengthBytes) {
    sink.body(leases.take(region, offset, lengthBytes, new SingleChunk(sink)));
    sink.end(HeaderFields.EMPTY);
  }

  private record SingleChunk(ResponseSink sink) implements LeaseHolder {
    @Override
    public void onLeaseReleased() {}

    @Override
    public void onCopied() {}

    @Override
    public void onCopyRefused() {
      sink.giveUp();
    }
  }
}
