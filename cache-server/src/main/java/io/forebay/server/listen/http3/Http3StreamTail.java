package io.forebay.server.listen.http3;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.quic.DefaultQuicStreamFrame;
import io.netty.handler.codec.quic.QuicStreamFrame;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The last handler of a request stream's pipeline before QUIC: detects the end of the stream and
 * the bytes still to be sent, which the HTTP/3 codec does not expose.
 */
final class Http3StreamTail extends ChannelDuplexHandler {

  /** A DATA frame without data. */
  static final byte[] EMPTY_DATA = {0, 0};

  private final Http3Stream stream;

  /**
   * Written, and not yet taken by QUIC whole; QUIC takes what congestion and flow control allow.
   */
  private final ArrayDeque<ByteBuf> queued = new ArrayDeque<>(0);

  private final Http3FrameParser frames = new Http3FrameParser();
  private final Http3FrameParser.FrameListener counted;
  private @Nullable ChannelHandlerContext context;
  private long writtenBytes;
  private boolean isLast;

  Http3StreamTail(Http3Stream stream, Http3FrameParser.FrameListener counted) {
    this.stream = stream;
    this.counted = counted;
  }

  /** What is written next is the last of the response. */
  void endsWithNext() {
    isLast = true;
  }

  /**
   * Ends the response behind what has been written, with a DATA frame without data: quiche takes a
   * stream for complete, and forgets it, once all its bytes are acknowledged, also where an end
   * without bytes of its own has not been sent yet.
   */
  void end() {
    isLast = true;
    var _ = write(EMPTY_DATA);
  }

  /**
   * Writes a frame past the codec, in one buffer: of a buffer in parts QUIC's channel does not say
   * that it was refused.
   */
  ChannelFuture write(byte[] frame) {
    ChannelHandlerContext ctx = Objects.requireNonNull(context);
    ChannelPromise promise = ctx.newPromise();
    write(ctx, ctx.alloc().directBuffer(frame.length).writeBytes(frame), promise);
    return promise;
  }

  boolean hasWritten() {
    return writtenBytes > 0;
  }

  boolean hasQueued() {
    return !queued.isEmpty();
  }

  /** Bytes that QUIC has taken so far; it grows while the client takes any. */
  long takenBytes() {
    long left = 0;
    for (ByteBuf buffer : queued) {
      left += buffer.readableBytes();
    }
    return writtenBytes - left;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    boolean isEnd = message instanceof QuicStreamFrame frame && frame.hasFin();
    ByteBuf data = message instanceof QuicStreamFrame frame ? frame.content() : (ByteBuf) message;
    if (!frames.walk(data, data.readerIndex(), counted)) {
      ReferenceCountUtil.release(message);
      return;
    }
    if (isEnd) {
      stream.onEndSeen();
    }
    // The codec takes apart all it is given before it returns.
    ctx.fireChannelRead(message);
    if (isEnd) {
      stream.onEnd();
    }
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (!(message instanceof ByteBuf buffer)) {
      ctx.write(message, promise);
      return;
    }
    boolean isEnd = isLast;
    isLast = false;
    writtenBytes += buffer.readableBytes();
    ctx.write(isEnd ? new DefaultQuicStreamFrame(buffer, true) : buffer, promise);
    if (!promise.isDone() && !ctx.channel().isOpen()) {
      releaseQueue(ctx);
    }
    if (!promise.isDone()) {
      queued.add(buffer);
      promise.addListener(done -> onTaken());
    }
    if (isEnd) {
      promise.addListener(done -> stream.onEndTaken(done.isSuccess()));
    }
  }

  /**
   * Netty's channel of a stream sends within a write, before it puts what is left of the buffer
   * into its queue. If that closes the connection, the queue of the closed channel gets the buffer,
   * and only another write empties it.
   */
  private static void releaseQueue(ChannelHandlerContext ctx) {
    var _ = ctx.write(Unpooled.EMPTY_BUFFER);
  }

  private void onTaken() {
    queued.poll();
    if (queued.isEmpty()) {
      stream.onDrained();
    }
  }
}
