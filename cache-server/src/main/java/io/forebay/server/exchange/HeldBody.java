package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.deliver.CopyQuota;
import io.forebay.server.http.RequestBody;
import io.forebay.server.loop.Transport;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.rule.RuleOutcome;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request body that is read whole before the origin is asked, where a rule says so: a slow upload
 * holds no connection to the origin, and an idempotent request can be sent again with its body. It
 * is kept in memory within the quota of private copies. One that turns out longer than the rule
 * allows, or than the quota, is streamed: first what is here, then the rest as it comes.
 *
 * <pre>
 *   HOLDING ──end──────────────► WHOLE      each receiver gets it from the beginning
 *      └───bound or quota──────► STREAMING  one receiver gets it, piece by piece
 * </pre>
 *
 * <p>Owner: the loop of the exchange, whose end releases it.
 */
final class HeldBody implements RequestBody, RequestBody.Receiver {
  private static final int BLOCK_BYTES = 16 * 1024;

  /** Bytes asked for and not come, at most, as long as all is held. */
  private static final int WINDOW_BYTES = 64 * 1024;

  private enum State {
    HOLDING,
    WHOLE,
    STREAMING
  }

  private final ExchangeContext loop;
  private final ClientResponse response;
  private final Continuation exchange;
  private final RequestBody source;
  private final CopyQuota quota;
  private final long maxBytes;

  /** Its bytes; the first ones are counted by the quota, with their capacity. */
  private final List<ByteBuf> blocks = new ArrayList<>();

  private int countedBlocks;
  private long heldBytes;
  private State state = State.HOLDING;
  private boolean isBegun;
  private boolean hasEnded;
  private boolean isReleased;
  private @Nullable String failure;

  /** Asked of the client and not come. */
  private long asked;

  private @Nullable Receiver receiver;

  /** Where the receiver is. */
  private int block;

  private int offset;

  /** What the receiver has asked for and not got. */
  private long credit;

  private boolean isDelivering;

  private HeldBody(
      ExchangeContext loop,
      ClientRequest request,
      ClientResponse response,
      Continuation exchange,
      long maxBytes) {
    this.loop = loop;
    this.response = response;
    this.exchange = exchange;
    this.source = request.body();
    this.quota = loop.leases().copies();
    this.maxBytes = maxBytes;
  }

  /**
   * Begins to hold the body of a request that is about to be passed.
   *
   * @return the step that follows, or null where nothing is to be held
   */
  static @Nullable Step hold(
      ExchangeContext loop, ClientRequest request, ClientResponse response, Continuation exchange) {
    RuleOutcome rules = request.rules();
    long maxBytes = rules == null ? 0 : rules.heldBodyBytes();
    RequestBody body = request.body();
    if (maxBytes == 0
        || body.lengthBytes() == 0
        || body.lengthBytes() > maxBytes
        || body instanceof HeldBody
        || request.hasHeldContent()
        || response.sink().needsTunnel()) {
      return null;
    }
    HeldBody held = new HeldBody(loop, request, response, exchange, maxBytes);
    request.holds(held);
    body.receiver(held);
    held.ask();
    held.isBegun = true;
    return held.next();
  }

  /** What is to be done now; AWAIT for more bytes. */
  private Step next() {
    if (response.isOver()) {
      return Step.AWAIT;
    }
    String broken = failure;
    if (broken != null) {
      return exchange.refuse(new OriginFailure(OriginFailure.Kind.REQUEST_BODY_FAILED, broken));
    }
    if (state == State.HOLDING && hasEnded) {
      state = State.WHOLE;
      loop.counters().bodiesHeld++;
    }
    return state == State.HOLDING ? Step.AWAIT : Step.PASS;
  }

  private void onHolding() {
    if (isBegun && (state == State.STREAMING || hasEnded || failure != null)) {
      exchange.run(next());
    }
  }

  private void ask() {
    long more = Math.min(WINDOW_BYTES, maxBytes + 1 - heldBytes) - asked;
    if (more >= WINDOW_BYTES / 2 || asked == 0) {
      asked += more;
      source.demand(more);
    }
  }

  // --- from the client --------------------------------------------------------------------------

  @Override
  public void onData(ByteBuf data) {
    asked = Math.max(0, asked - data.readableBytes());
    if (isReleased) {
      data.release();
      return;
    }
    if (state == State.STREAMING) {
      blocks.add(data);
      deliver();
      return;
    }
    heldBytes += data.readableBytes();
    if (heldBytes > maxBytes || !copy(data)) {
      blocks.add(data);
      state = State.STREAMING;
      onHolding();
      return;
    }
    data.release();
    if (!hasEnded && isBegun) {
      ask();
    }
  }

  /**
   * Copies into blocks of our own: a small piece may keep a large buffer of the transport alive.
   */
  private boolean copy(ByteBuf data) {
    while (data.isReadable()) {
      ByteBuf last = countedBlocks == 0 ? null : blocks.get(countedBlocks - 1);
      if (last == null || !last.isWritable()) {
        int capacity = capacity(data.readableBytes());
        if (!quota.reserve(capacity)) {
          loop.counters().hit(LimitKey.PRIVATE_COPIES);
          return false;
        }
        last = block(capacity);
        if (last == null) {
          quota.giveBack(capacity);
          return false;
        }
        blocks.add(last);
        countedBlocks++;
      }
      last.writeBytes(data, Math.min(data.readableBytes(), last.writableBytes()));
    }
    return true;
  }

  private static @Nullable ByteBuf block(int capacity) {
    try {
      return Transport.ALLOCATOR.directBuffer(capacity, capacity);
    } catch (OutOfMemoryError e) {
      // The allocator's own bound: the same to us as that of the copies.
      return null;
    }
  }

  private int capacity(int atLeast) {
    long declared = source.lengthBytes();
    if (declared < 0) {
      return BLOCK_BYTES;
    }
    long left = declared - (long) countedBlocks * BLOCK_BYTES;
    return (int) Math.min(BLOCK_BYTES, Math.max(left, Math.min(atLeast, BLOCK_BYTES)));
  }

  @Override
  public void onEnd(HeaderFields trailers) {
    hasEnded = true;
    if (state == State.STREAMING) {
      deliver();
    } else {
      onHolding();
    }
  }

  @Override
  public void onFailure(String reason) {
    failure = reason;
    if (state == State.STREAMING) {
      deliver();
    } else {
      onHolding();
    }
  }

  // --- to an origin -----------------------------------------------------------------------------

  @Override
  public long lengthBytes() {
    return state == State.WHOLE ? heldBytes : source.lengthBytes();
  }

  @Override
  public boolean isRepeatable() {
    return state == State.WHOLE && !isReleased;
  }

  @Override
  public void receiver(Receiver to) {
    receiver = to;
    block = 0;
    offset = 0;
    credit = 0;
  }

  @Override
  public void demand(long bytes) {
    credit += bytes;
    deliver();
  }

  private void deliver() {
    if (isDelivering) {
      return;
    }
    isDelivering = true;
    try {
      while (receiver != null && credit > 0 && block < blocks.size()) {
        ByteBuf piece = nextPiece();
        credit -= piece.readableBytes();
        receiver.onData(piece);
      }
    } finally {
      isDelivering = false;
    }
    Receiver to = receiver;
    if (to == null || isReleased || block < blocks.size()) {
      return;
    }
    if (failure != null) {
      receiver = null;
      to.onFailure(failure);
    } else if (hasEnded) {
      receiver = null;
      to.onEnd(HeaderFields.EMPTY);
    } else if (credit > asked) {
      long more = credit - asked;
      asked = credit;
      source.demand(more);
    }
  }

  private ByteBuf nextPiece() {
    ByteBuf from = blocks.get(block);
    int length = (int) Math.min(credit, from.readableBytes() - offset);
    ByteBuf piece = from.retainedSlice(from.readerIndex() + offset, length);
    offset += length;
    if (offset == from.readableBytes()) {
      offset = 0;
      if (state == State.WHOLE) {
        block++;
      } else {
        drop(0);
      }
    }
    return piece;
  }

  private void drop(int index) {
    ByteBuf dropped = blocks.remove(index);
    if (index < countedBlocks) {
      countedBlocks--;
      quota.giveBack(dropped.capacity());
    }
    dropped.release();
  }

  @Override
  public void cancel() {
    receiver = null;
    if (state != State.WHOLE && !hasEnded && failure == null) {
      source.cancel();
    }
  }

  /** The exchange is over. */
  void release() {
    isReleased = true;
    receiver = null;
    while (!blocks.isEmpty()) {
      drop(blocks.size() - 1);
    }
  }
}
