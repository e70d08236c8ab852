package io.forebay.server.deliver;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.http.AbortCause;
import io.forebay.server.http.LeaseHolder;
import io.forebay.server.http.ResponseSink;
import io.forebay.storage.object.StoredHead;
import io.forebay.storage.transit.TransitBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends a byte range of a body, or several with multipart delimiters, to a sink directly from
 * mapped memory, with one bounded chunk outstanding at a time. The next chunk is looked up only
 * after the socket has accepted the last, so a waiting delivery pins at most the regions of one
 * chunk.
 *
 * <p>Owner: the loop of the exchange.
 */
public final class Delivery implements LeaseHolder, ResponseBody {

  /** After this much in one turn other connections of the loop get theirs. */
  private static final int TURN_BYTES = 1024 * 1024;

  private static final long BUSY_RETRY_MICROS = 50;
  private static final long REFUSED_RETRY_MICROS = 20_000;

  private final Leases leases;
  private final EventLoop loop;
  private final ResponseSink sink;
  private final Outcome outcome;

  /** What stands around the ranges where there are several. */
  private final @Nullable Multipart parts;

  private BodyBytes body;

  /** Of several ranges, the one that comes after what is being sent. */
  private int nextPart;

  /** End of what is sent, exclusive; {@link Long#MAX_VALUE} until a body of unknown length ends. */
  private long to;

  private long position;
  private long sentBytes;

  /** Pieces of the outstanding chunk that the socket has not taken. */
  private int unsentPieces;

  /** A first chunk has been handed over. */
  private boolean hasBegun;

  /** What stands before a range has been handed over and not sent off. */
  private boolean isFrameUnflushed;

  private boolean isPumping;
  private boolean isTurnQueued;
  private boolean isOver;

  /** Set when the whole message has been handed over; only the last chunk may still be unsent. */
  private boolean isEnded;

  /** How a delivery ends, and what may keep it from being broken off. */
  public interface Outcome extends ResponseBody.Outcome {

    /**
     * Bytes that were to be sent are not where they are read from: another place where they are, or
     * will be.
     *
     * @return null when there is none
     */
    @Nullable BodyBytes elsewhere(long from, long to);

    /**
     * Stored bytes that were to be sent are gone, and {@link #elsewhere} knew no other place. When
     * the rest is sent by somebody else the delivery is over without a further call.
     *
     * @param from first byte that has not been sent
     * @param to end of what is wanted, exclusive, or {@link Long#MAX_VALUE} while that is not known
     * @return whether another body sends the rest
     */
    boolean onBytesLost(long from, long to);

    /**
     * The disk that holds the bytes does not accept the load. Like {@link #onBytesLost}, except
     * that the delivery asks again a little later where nobody else sends the rest.
     */
    default boolean onLoadRefused(long from, long to) {
      return false;
    }

    /** Why bytes without another source are lost. */
    default AbortCause causeOfLoss() {
      return AbortCause.STORAGE_LOST;
    }
  }

  public Delivery(
      Leases leases,
      EventLoop loop,
      ResponseSink sink,
      BodyBytes body,
      long from,
      long to,
      Outcome outcome) {
    this(leases, loop, sink, body, from, to, null, outcome);
  }

  /** Sends several ranges. */
  public Delivery(
      Leases leases,
      EventLoop loop,
      ResponseSink sink,
      BodyBytes body,
      Multipart parts,
      Outcome outcome) {
    // The first part is begun like every other.
    this(leases, loop, sink, body, parts.part(0).first(), parts.part(0).first(), parts, outcome);
  }

  private Delivery(
      Leases leases,
      EventLoop loop,
      ResponseSink sink,
      BodyBytes body,
      long from,
      long to,
      @Nullable Multipart parts,
      Outcome outcome) {
    this.leases = leases;
    this.loop = loop;
    this.sink = sink;
    this.body = body;
    this.position = from;
    this.to = to;
    this.parts = parts;
    this.outcome = outcome;
    body.onArrival(this::onProgress);
  }

  /** First byte not yet handed to the sink. */
  public long position() {
    return position;
  }

  /** First byte of the body that may still be needed. */
  public long floor() {
    long floor = position;
    for (int i = nextPart; parts != null && i < parts.size(); i++) {
      floor = Math.min(floor, parts.part(i).first());
    }
    return floor;
  }

  @Override
  public long sentBytes() {
    return sentBytes;
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
   * been handed over. Never of several ranges.
   */
  public boolean yieldAt(long restBegins) {
    if (isOver || isPumping || position < restBegins || parts != null) {
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
    if (isFrameUnflushed && !isOver) {
      // A sink may not be writable because of it, and would say that it is again only when it has
      // gone.
      isFrameUnflushed = false;
      sink.flush();
    }
  }

  private void pump() {
    int turn = TURN_BYTES;
    while (!isOver && (position < to || beginsNextPart())) {
      // The first chunk goes with the head, whose bytes are there already: see
      // StoredResponseSender.
      if (unsentPieces > 0 || (hasBegun && !sink.isWritable())) {
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
      turn -= handOver(available);
      outcome.onBytesSent(sentBytes);
      if (position < to || hasNextPart()) {
        isFrameUnflushed = false;
        sink.flush();
      }
    }
    if (!isOver) {
      end();
    }
  }

  /**
   * Hands a chunk over: the bytes that were located last and, up to the size of a chunk, what comes
   * after them and is there already. Bytes of small slices go into one system call that way.
   *
   * @return its length
   */
  private int handOver(int located) {
    int limit = (int) Math.min(sink.chunkBytes(), to - position);
    int length = 0;
    int available = located;
    // What is not there keeps the chunk short; the next look, after this chunk, tells why.
    while (available > 0) {
      int piece = Math.min(available, limit - length);
      ByteBuf bytes = body.take(leases, piece, this);
      position += piece;
      sentBytes += piece;
      length += piece;
      unsentPieces++;
      hasBegun = true;
      sink.body(bytes);
      available = length < limit && !isOver ? body.locate(position) : 0;
    }
    return length;
  }

  /** Goes to the next of several ranges, if there is one. */
  private boolean beginsNextPart() {
    Multipart several = parts;
    if (several == null || !hasNextPart()) {
      return false;
    }
    position = several.part(nextPart).first();
    to = several.part(nextPart).end();
    sendFrame(several.head(nextPart));
    nextPart++;
    return true;
  }

  private boolean hasNextPart() {
    return parts != null && nextPart < parts.size();
  }

  private void sendFrame(ByteBuf text) {
    sentBytes += text.readableBytes();
    isFrameUnflushed = true;
    sink.body(text);
  }

  private void onNothingThere(int why) {
    switch (why) {
      case BodyBytes.NOT_YET -> {}
      case BodyBytes.BUSY ->
          loop.schedule(this::onProgress, BUSY_RETRY_MICROS, TimeUnit.MICROSECONDS);
      case BodyBytes.REFUSED -> onLoadRefused();
      default -> onBytesLost();
    }
  }

  private void onLoadRefused() {
    if (parts == null && outcome.onLoadRefused(position, to)) {
      isOver = true;
    } else {
      loop.schedule(this::onProgress, REFUSED_RETRY_MICROS, TimeUnit.MICROSECONDS);
    }
  }

  private void onBytesLost() {
    BodyBytes other = outcome.elsewhere(position, to);
    if (other != null) {
      body = other;
      other.onArrival(this::onProgress);
      // Not from within the look that failed.
      queueTurn();
    } else if (parts == null && outcome.onBytesLost(position, to)) {
      isOver = true;
    } else {
      breakOff(outcome.causeOfLoss());
    }
  }

  private void end() {
    if (parts != null) {
      sendFrame(parts.end());
    }
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
    unsentPieces--;
    if (unsentPieces > 0) {
      return;
    }
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
    sink.body(leases.take(region, offset, lengthBytes, sink));
    sink.end(HeaderFields.EMPTY);
  }

  /** The same of a body that lies with its head; takes over what holds the head. */
  public static void sendPinned(
      Leases leases, ResponseSink sink, StoredHead head, int from, int lengthBytes) {
    int offset = head.bodyOffset() + from;
    TransitBuffer read = head.takeRead();
    if (read == null) {
      sendPinned(leases, sink, head.region(), offset, lengthBytes);
    } else {
      sink.body(leases.take(read, read.recordOffset() + offset, lengthBytes, sink));
      read.release();
      sink.end(HeaderFields.EMPTY);
    }
  }

  /** The same for several ranges of such a body. */
  public static void sendPinned(
      Leases leases, ResponseSink sink, StoredHead head, Multipart parts) {
    // The head is not used once a sink has had something: others may be looked up meanwhile.
    int region = head.region();
    int body = head.bodyOffset();
    TransitBuffer read = head.takeRead();
    for (int i = 0; i < parts.size(); i++) {
      sink.body(parts.head(i));
      int first = body + (int) parts.part(i).first();
      int length = (int) parts.part(i).length();
      if (read != null) {
        sink.body(leases.take(read, read.recordOffset() + first, length, sink));
      } else {
        if (i + 1 < parts.size()) {
          leases.pin(region);
        }
        sink.body(leases.take(region, first, length, sink));
      }
    }
    if (read != null) {
      read.release();
    }
    sink.body(parts.end());
    sink.end(HeaderFields.EMPTY);
  }
}
