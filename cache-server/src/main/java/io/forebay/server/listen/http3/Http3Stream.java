package io.forebay.server.listen.http3;

import io.forebay.server.listen.connection.FramedRequest;
import io.forebay.server.listen.connection.Rejection;
import io.forebay.server.listen.connection.StreamPriority;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.handler.codec.http3.DefaultHttp3DataFrame;
import io.netty.handler.codec.http3.DefaultHttp3HeadersFrame;
import io.netty.handler.codec.http3.Http3DataFrame;
import io.netty.handler.codec.http3.Http3ErrorCode;
import io.netty.handler.codec.http3.Http3Headers;
import io.netty.handler.codec.http3.Http3HeadersFrame;
import io.netty.handler.codec.quic.QuicStreamChannel;
import io.netty.handler.codec.quic.QuicStreamPriority;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * One request stream of an HTTP/3 connection. It reads only on demand: the head until it is
 * complete, then the part of the body that is requested, so that QUIC's flow control limits what is
 * buffered. Confined to its event loop.
 *
 * <p>Whether a request has a body is not told by its head, as in HTTP/2, but by what comes next: a
 * DATA frame or the end of the stream. So a head that does not name a length waits for that, which
 * mostly came in the same packet.
 */
final class Http3Stream extends ChannelInboundHandlerAdapter {

  private static final int READ_BYTES = 16 * 1024;

  /** A frame without payload of the first of the types that mean nothing, 0x21 + 0x1f. */
  private static final byte[] RESERVED = {0x40, 0x40, 0};

  /** What quiche gives every stream; ours of {@link StreamPriority#UNSAID} is the same. */
  private static final int MIDDLE = 127;

  /** Apart by two, so that there is one between for {@link #moveToBack}. */
  private static final int URGENCY_STEP = 2;

  private final Http3Connection connection;
  private final QuicStreamChannel channel;
  private final Http3StreamTail wire;
  private final long openedNanos;

  private @Nullable ChannelHandlerContext context;
  private @Nullable Http3RequestStream request;

  /** The head is read, and whether there is a body is not known. */
  private boolean isUndecided;

  private int urgency = MIDDLE;
  private boolean isShared = true;
  private long takenAtLook;
  private boolean isEndSeen;

  /** The end of what a tunnel sends to the client has been written; QUIC may not have taken it. */
  private boolean isEndWritten;

  private boolean isEndTaken;

  /** A tunnel takes no more from the client once its end has been handed to QUIC. */
  private boolean isInputUnwanted;

  /** Body bytes that wait for credit of the connection. */
  private final ArrayDeque<ByteBuf> held = new ArrayDeque<>(0);

  /** The last of what is held ends the response. */
  private boolean isEndHeld;

  /** The response ends behind what is held, with no bytes of its own. */
  private boolean endsBehindHeld;

  private boolean isAwaitingCredit;
  private boolean isReset;
  private boolean isTold;

  Http3Stream(Http3Connection connection, QuicStreamChannel channel) {
    this.connection = connection;
    this.channel = channel;
    wire = new Http3StreamTail(this, connection::onRequestFrame);
    openedNanos = connection.loop().wheel.nowNanos();
    channel.config().setAutoRead(false);
    channel.config().setReadFrames(true);
    channel
        .config()
        .setRecvByteBufAllocator(new FixedRecvByteBufAllocator(READ_BYTES).maxMessagesPerRead(1));
  }

  Http3StreamTail wire() {
    return wire;
  }

  Http3Connection connection() {
    return connection;
  }

  long id() {
    return channel.streamId();
  }

  ByteBufAllocator allocator() {
    return channel.alloc();
  }

  @Nullable Http3RequestStream request() {
    return request;
  }

  /** Since when the head has been on its way, or -1 when there is nothing to wait for. */
  long headSinceNanos() {
    return !isReset && (request == null || isUndecided) ? openedNanos : -1;
  }

  // ---- reading

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    ctx.fireChannelActive();
    ctx.read();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    switch (message) {
      case Http3HeadersFrame frame -> onHeaders(frame.headers());
      case Http3DataFrame frame -> onData(frame.content());
      default -> {
        ReferenceCountUtil.release(message);
        onNothing();
      }
    }
  }

  /** A frame that means nothing: what was asked for is still to come. */
  private void onNothing() {
    Http3RequestStream to = request;
    if (to != null && !isUndecided && !isReset) {
      take(to, Unpooled.EMPTY_BUFFER, false);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if ((request == null || isUndecided) && !isReset && !isEndSeen) {
      ctx.read();
    }
  }

  private void onHeaders(Http3Headers headers) {
    if (isReset) {
      return;
    }
    if (request != null) {
      onTrailers(request);
      return;
    }
    FramedRequest read = new FramedRequest(connection.limits(), headers, "https", false);
    read.guardedBy(connection.guard());
    Rejection refusal =
        read.read(connection.loop().exchanges.takesPurges(), connection.takesTunnels());
    Http3RequestStream opened = new Http3RequestStream(this, read);
    request = opened;
    if (!connection.onRequest(this)) {
      return;
    }
    if (refusal != null) {
      connection.refuse(this, opened, refusal);
      return;
    }
    isUndecided = true;
    // What is already known to end is not begun before it is known to be whole. A tunnel has no
    // body whose absence could be told.
    if (read.isTunnelRequest()
        || (!isEndSeen && (read.contentLength() > 0 || read.expectsContinue()))) {
      decide(opened);
    }
  }

  private void onTrailers(Http3RequestStream of) {
    if (of.isTunnel()) {
      // Only DATA may follow (RFC 9114 §4.4).
      connection.close(Http3ErrorCode.H3_FRAME_UNEXPECTED);
    } else if (of.request().isTunnelRequest()) {
      connection.refuse(this, of, Rejection.MALFORMED);
    } else {
      // The end of the stream ends the body (S29).
      decide(of);
      read();
    }
  }

  private void onData(ByteBuf data) {
    Http3RequestStream to = request;
    if (isReset || to == null) {
      data.release();
      return;
    }
    connection.loop().counters.bytesFromClients += data.readableBytes();
    decide(to);
    take(to, data, false);
  }

  /** The stream ends with what is being read. */
  void onEndSeen() {
    isEndSeen = true;
  }

  /** The stream has ended, and all that came before has been told. */
  void onEnd() {
    Http3RequestStream to = request;
    if (isReset) {
      return;
    }
    if (to == null) {
      connection.onIncomplete(this);
    } else if (isUndecided && to.request().contentLength() > 0) {
      connection.refuse(this, to, Rejection.CONTENT_LENGTH);
    } else if (isUndecided) {
      to.hasNoBody();
      decide(to);
    } else if (!to.isBodyRead()) {
      take(to, Unpooled.EMPTY_BUFFER, true);
    }
  }

  private void take(Http3RequestStream to, ByteBuf data, boolean isLast) {
    Rejection refusal = to.onData(data, isLast);
    if (refusal != null) {
      connection.refuse(this, to, refusal);
    }
  }

  /** The exchange may begin. */
  private void decide(Http3RequestStream opened) {
    if (isUndecided) {
      isUndecided = false;
      connection.start(opened);
    }
  }

  void read() {
    ChannelHandlerContext ctx = context;
    if (ctx != null && !isReset && !isEndSeen) {
      ctx.read();
    }
  }

  // ---- writing

  void writeHeaders(Http3Headers headers, boolean isEnd) {
    // Trailers do not overtake the body.
    writeHeld(true);
    if (isEnd) {
      wire.endsWithNext();
    }
    write(new DefaultHttp3HeadersFrame(headers));
  }

  void writeData(ByteBuf chunk, boolean isEnd) {
    if (isEnd) {
      wire.endsWithNext();
    }
    // The codec puts its header before a chunk as if that began where its memory begins.
    write(new DefaultHttp3DataFrame(chunk.readerIndex() == 0 ? chunk : chunk.slice()));
    connection.onWritten(this);
  }

  /** Body bytes of a paced response: they are written when the connection has credit for them. */
  void writePaced(ByteBuf chunk, boolean isEnd) {
    if (isReset) {
      chunk.release();
    } else if (held.isEmpty() && connection.hasCredit(this)) {
      connection.onPacedBytes(chunk.readableBytes());
      writeData(chunk, isEnd);
    } else {
      held.add(chunk);
      isEndHeld = isEnd;
    }
  }

  private void writeHeld(boolean isForced) {
    while (!held.isEmpty() && (isForced || connection.hasCredit(this))) {
      ByteBuf chunk = held.remove();
      connection.onPacedBytes(chunk.readableBytes());
      writeData(chunk, isEndHeld && held.isEmpty());
    }
    if (endsBehindHeld && held.isEmpty()) {
      endsBehindHeld = false;
      writeEnd();
    }
  }

  private void dropHeld() {
    endsBehindHeld = false;
    // What is told of a release may look at this stream.
    for (ByteBuf chunk = held.poll(); chunk != null; chunk = held.poll()) {
      chunk.release();
    }
  }

  void writeEnd() {
    if (!held.isEmpty()) {
      endsBehindHeld = true;
    } else if (!isReset) {
      isEndWritten = true;
      wire.end();
    }
  }

  /**
   * Finds out whether the client still wants the response. That it has asked us to stop is only
   * told when something is written: a frame of a type that is reserved for meaning nothing (RFC
   * 9114 §7.2.8), or, in a tunnel, where only DATA is allowed (§4.4), one without data. While the
   * connection as a whole may send nothing, QUIC does not tell it at all; then the bound on
   * standing still ends the connection.
   *
   * <p>It also keeps QUIC from taking a client for gone that only waits.
   */
  void probe() {
    Http3RequestStream asked = request;
    if (asked != null
        && asked.isLive()
        && !isUndecided
        && !isReset
        && !isEndWritten
        && !wire.hasQueued()
        && channel.isActive()) {
      watch(wire.write(asked.isTunnel() ? Http3StreamTail.EMPTY_DATA : RESERVED));
    }
  }

  /** Whether the stream is a tunnel. */
  boolean isTunnel() {
    Http3RequestStream of = request;
    return of != null && of.isTunnel();
  }

  private void write(Object frame) {
    ChannelHandlerContext ctx = context;
    if (ctx == null || isReset || !channel.isActive()) {
      ReferenceCountUtil.release(frame);
      return;
    }
    watch(ctx.write(frame));
  }

  private void watch(ChannelFuture written) {
    if (!written.isSuccess()) {
      written.addListener(done -> {
        if (!done.isSuccess()) {
          onWriteFailed();
        }
      });
    }
  }

  boolean isWritable() {
    return !isReset && channel.isWritable() && !wire.hasQueued() && held.isEmpty();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    ctx.fireChannelWritabilityChanged();
    if (channel.isWritable()) {
      connection.notifyWritableLater(this);
    }
  }

  /** QUIC has taken all that was written. */
  void onDrained() {
    if (!isReset) {
      connection.notifyWritableLater(this);
    }
  }

  /** It waits for credit of the connection; false where it does already. */
  boolean awaitsCredit() {
    boolean isNew = !isAwaitingCredit;
    isAwaitingCredit = true;
    return isNew;
  }

  /** Its turn has come to use the credit of the connection. */
  void onCredit() {
    isAwaitingCredit = false;
    writeHeld(false);
    onWritable();
  }

  void onWritable() {
    Http3RequestStream told = request;
    if (told != null) {
      told.onWritable();
    }
  }

  /**
   * Puts the stream behind the others that have something to send. QUIC offers what the connection
   * may send to its streams in the order in which they became able to take it: a stream that is
   * filled up each time it runs dry would keep its place, and the others would starve. A change of
   * its priority and back gives it the last place.
   */
  void moveToBack() {
    if (isShared) {
      urgency(urgency - 1);
      urgency(urgency);
    }
  }

  void prioritize(StreamPriority said) {
    urgency = MIDDLE + (said.urgency() - StreamPriority.UNSAID.urgency()) * URGENCY_STEP;
    isShared = said.isShared();
    urgency(urgency);
  }

  private void urgency(int value) {
    channel.updatePriority(new QuicStreamPriority(value, isShared), channel.voidPromise());
  }

  /** Whether something waits and the client has taken nothing of it since the last look. */
  boolean isStuck() {
    long taken = wire.takenBytes();
    boolean isStuck = wire.hasQueued() && taken == takenAtLook;
    takenAtLook = taken;
    return isStuck;
  }

  // ---- the end

  /**
   * The end of the response has been handed to QUIC, or never will be. A tunnel goes on in the
   * other direction.
   */
  void onEndTaken(boolean isSent) {
    if (!isTunnel()) {
      stopInput();
    } else if (!isSent) {
      onWriteFailed();
    } else {
      isEndTaken = true;
      if (isInputUnwanted) {
        stopInput();
      }
    }
  }

  /** A tunnel wants nothing more of the client once its own end has been handed to QUIC. */
  void stopInputWhenSent() {
    isInputUnwanted = true;
    if (isEndTaken) {
      stopInput();
    }
  }

  private void stopInput() {
    if (!isEndSeen && !isReset) {
      // The client may stop sending; the response it has is whole (RFC 9114 §4.1).
      isReset = true;
      channel.shutdownInput(Http3ErrorCode.H3_NO_ERROR.code());
      channel.close();
    }
  }

  /** The client has asked us to stop, or the connection is gone. */
  private void onWriteFailed() {
    if (!isReset) {
      connection.onClientReset(this);
    }
  }

  void reset(Http3ErrorCode error) {
    if (!isReset) {
      isReset = true;
      isUndecided = false;
      // What is closed already has been handed to QUIC whole, and must not be taken back.
      if (channel.isActive()) {
        channel.shutdown(error.code());
        channel.close();
      }
    }
    dropHeld();
  }

  /** Whether one of both sides has broken it off. */
  boolean isReset() {
    return isReset;
  }

  /** Drops what QUIC has not taken of the response, if there is anything. */
  void giveUp() {
    if (!isReset && (wire.hasQueued() || !held.isEmpty())) {
      connection.countStalled();
      reset(Http3ErrorCode.H3_REQUEST_CANCELLED);
    }
  }

  /** Tells the exchange, once, that its client is gone. */
  void onGone(String reason) {
    reset(Http3ErrorCode.H3_REQUEST_CANCELLED);
    Http3RequestStream told = request;
    if (told != null && !isTold) {
      isTold = true;
      told.onClosed(reason);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    connection.onGone(this, "the stream is closed");
    ctx.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    connection.onStreamFailed(this, cause);
  }
}
