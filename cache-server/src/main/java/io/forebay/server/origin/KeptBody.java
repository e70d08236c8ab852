package io.forebay.server.origin;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.http.RequestBody;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request body whose beginning is kept until the origin answers, so that a request can be sent
 * again that the origin has not looked at, whatever its method. A body that is longer than what is
 * kept cannot be. Confined to the event loop.
 *
 * <pre>
 *   client's body ──► pieces kept ──► receiver        first stream
 *                          └────────► next receiver   second stream, then on as before
 * </pre>
 */
final class KeptBody implements RequestBody, RequestBody.Receiver {
  /** Bytes that are kept; more may be while nobody receives, as much as was asked for. */
  private static final int MOST = 64 * 1024;

  private final RequestBody source;
  private final List<ByteBuf> pieces = new ArrayList<>();

  private @Nullable Receiver receiver;
  private int position;
  private int keptBytes;

  /** Asked for by the present receiver and not given to it. */
  private long credit;

  /** Asked for and not come. */
  private long asked;

  private boolean hasReceivedAny;
  private boolean isKeeping = true;
  private boolean isDelivering;
  private boolean isEnded;
  private boolean isOver;
  private HeaderFields trailers = HeaderFields.EMPTY;
  private @Nullable String failure;

  KeptBody(RequestBody source) {
    this.source = source;
  }

  /** Whether all that has come is still there. */
  boolean isWhole() {
    return isKeeping && !isOver && failure == null;
  }

  /** Whether nothing is left of it. */
  boolean isCancelled() {
    return isOver;
  }

  /** The present receiver gets no more; the next one gets everything from the beginning. */
  void rewind() {
    receiver = null;
    position = 0;
    credit = 0;
  }

  /** The origin has begun to answer: what was given is not needed again. */
  void letGo() {
    isKeeping = false;
    for (ByteBuf given : pieces.subList(0, position)) {
      given.release();
    }
    pieces.subList(0, position).clear();
    position = 0;
  }

  @Override
  public long lengthBytes() {
    return source.lengthBytes();
  }

  @Override
  public void receiver(Receiver to) {
    receiver = to;
    if (!hasReceivedAny) {
      hasReceivedAny = true;
      source.receiver(this);
    }
  }

  @Override
  public void demand(long bytes) {
    credit += bytes;
    deliver();
  }

  @Override
  public void cancel() {
    if (isOver) {
      return;
    }
    isOver = true;
    receiver = null;
    pieces.forEach(ByteBuf::release);
    pieces.clear();
    position = 0;
    if (hasReceivedAny && !isEnded && failure == null) {
      source.cancel();
    }
  }

  @Override
  public void onData(ByteBuf data) {
    asked = Math.max(0, asked - data.readableBytes());
    if (isOver) {
      data.release();
      return;
    }
    keptBytes += data.readableBytes();
    pieces.add(data);
    if (isKeeping && receiver != null && keptBytes > MOST) {
      letGo();
    }
    deliver();
  }

  @Override
  public void onEnd(HeaderFields newTrailers) {
    isEnded = true;
    trailers = newTrailers;
    deliver();
  }

  @Override
  public void onFailure(String reason) {
    failure = reason;
    Receiver to = receiver;
    if (!isOver && to != null) {
      cancel();
      to.onFailure(reason);
    }
  }

  private void deliver() {
    if (isDelivering) {
      return;
    }
    isDelivering = true;
    try {
      Receiver to = receiver;
      while (to != null && position < pieces.size() && credit > 0) {
        ByteBuf piece = pieces.get(position);
        credit = Math.max(0, credit - piece.readableBytes());
        if (isKeeping) {
          position++;
          piece = piece.retainedDuplicate();
        } else {
          pieces.remove(position);
        }
        to.onData(piece);
        to = receiver;
      }
    } finally {
      isDelivering = false;
    }
    Receiver to = receiver;
    if (to == null || isOver || position < pieces.size()) {
      return;
    }
    if (failure != null) {
      String reason = failure;
      cancel();
      to.onFailure(reason);
    } else if (isEnded) {
      receiver = null;
      to.onEnd(trailers);
    } else if (credit > asked) {
      long more = credit - asked;
      asked = credit;
      source.demand(more);
    }
  }
}
