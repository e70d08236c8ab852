package io.forebay.server.origin.http2;

import io.forebay.server.config.ServerConfig.Http2Config;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2FrameReader;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads frames and ends the connection if too many of them bring nothing (RFC 9113 §10.5), by the
 * limits that hold for clients. It sees every frame, also of streams that are closed, which the
 * decoder ignores. Frames that answer what this node sends are allowed for by what it sends: a
 * server may open windows as often as it gets data, and measure the path by PING.
 */
final class LimitedFrameReader implements Http2FrameReader {
  /** Frames of an origin that each request and each piece of a body account for. */
  private static final int ALLOWED_PER_FRAME = 4;

  private final Http2FrameReader reader;
  private final Http2Config bounds;
  private final LongSupplier clockNanos;
  private final IntPredicate isOpen;

  private @Nullable Http2FrameListener told;
  private @Nullable Http2FrameListener counted;

  private long windowStartNanos;
  private int settings;
  private int pings;
  private int idleFrames;
  private int emptyFrames;

  /**
   * Limits the frames of one connection.
   *
   * @param isOpen whether a stream is in progress
   */
  LimitedFrameReader(
      Http2FrameReader reader, Http2Config bounds, LongSupplier clockNanos, IntPredicate isOpen) {
    this.reader = reader;
    this.bounds = bounds;
    this.clockNanos = clockNanos;
    this.isOpen = isOpen;
    this.windowStartNanos = clockNanos.getAsLong();
  }

  /** A request, or a piece of a body, was sent or received. */
  void onUsefulFrame() {
    pings = Math.max(-bounds.pings(), pings - 1);
    idleFrames = Math.max(-bounds.priorities(), idleFrames - ALLOWED_PER_FRAME);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // another listener is another object
  public void readFrame(ChannelHandlerContext ctx, ByteBuf input, Http2FrameListener listener)
      throws Http2Exception {
    Http2FrameListener to = counted;
    if (to == null || told != listener) {
      to = new Counting(listener);
      told = listener;
      counted = to;
    }
    reader.readFrame(ctx, input, to);
  }

  @Override
  public Configuration configuration() {
    return reader.configuration();
  }

  @Override
  public void close() {
    reader.close();
  }

  private void startWindowIfOver() {
    long now = clockNanos.getAsLong();
    if (now - windowStartNanos >= bounds.window().toNanos()) {
      windowStartNanos = now;
      settings = 0;
      pings = Math.min(0, pings);
      idleFrames = Math.min(0, idleFrames);
    }
  }

  private static void check(int count, int most, String what) throws Http2Exception {
    if (count > most) {
      throw Http2Exception.connectionError(
          Http2Error.ENHANCE_YOUR_CALM, "more than %d %s", most, what);
    }
  }

  private void onIdleFrame() throws Http2Exception {
    startWindowIfOver();
    check(++idleFrames, bounds.priorities(), "frames without use");
  }

  private final class Counting extends Http2FrameListenerDecorator {
    Counting(Http2FrameListener listener) {
      super(listener);
    }

    private void onHeaders(int streamId) throws Http2Exception {
      if (isOpen.test(streamId)) {
        onUsefulFrame();
        emptyFrames = 0;
      } else {
        onIdleFrame();
      }
    }

    @Override
    public void onHeadersRead(
        ChannelHandlerContext ctx, int streamId, Http2Headers headers, int padding, boolean isEnd)
        throws Http2Exception {
      onHeaders(streamId);
      super.onHeadersRead(ctx, streamId, headers, padding, isEnd);
    }

    @Override
    public void onHeadersRead(
        ChannelHandlerContext ctx,
        int streamId,
        Http2Headers headers,
        int streamDependency,
        short weight,
        boolean exclusive,
        int padding,
        boolean isEnd)
        throws Http2Exception {
      onHeaders(streamId);
      super.onHeadersRead(
          ctx, streamId, headers, streamDependency, weight, exclusive, padding, isEnd);
    }

    @Override
    public int onDataRead(
        ChannelHandlerContext ctx, int streamId, ByteBuf data, int padding, boolean isEnd)
        throws Http2Exception {
      if (data.isReadable()) {
        emptyFrames = 0;
        onUsefulFrame();
      } else if (isEnd && isOpen.test(streamId)) {
        emptyFrames = 0;
      } else {
        check(++emptyFrames, bounds.emptyFrames(), "empty DATA frames in a row");
      }
      return super.onDataRead(ctx, streamId, data, padding, isEnd);
    }

    @Override
    public void onRstStreamRead(ChannelHandlerContext ctx, int streamId, long errorCode)
        throws Http2Exception {
      if (!isOpen.test(streamId)) {
        onIdleFrame();
      }
      super.onRstStreamRead(ctx, streamId, errorCode);
    }

    @Override
    public void onSettingsRead(ChannelHandlerContext ctx, Http2Settings read)
        throws Http2Exception {
      startWindowIfOver();
      check(++settings, bounds.settings(), "SETTINGS frames");
      super.onSettingsRead(ctx, read);
    }

    @Override
    public void onSettingsAckRead(ChannelHandlerContext ctx) throws Http2Exception {
      onIdleFrame();
      super.onSettingsAckRead(ctx);
    }

    @Override
    public void onPingRead(ChannelHandlerContext ctx, long data) throws Http2Exception {
      startWindowIfOver();
      check(++pings, bounds.pings(), "PING frames");
      super.onPingRead(ctx, data);
    }

    @Override
    public void onPingAckRead(ChannelHandlerContext ctx, long data) throws Http2Exception {
      onIdleFrame();
      super.onPingAckRead(ctx, data);
    }

    @Override
    public void onGoAwayRead(
        ChannelHandlerContext ctx, int lastStreamId, long errorCode, ByteBuf debugData)
        throws Http2Exception {
      onIdleFrame();
      super.onGoAwayRead(ctx, lastStreamId, errorCode, debugData);
    }

    @Override
    public void onWindowUpdateRead(ChannelHandlerContext ctx, int streamId, int increment)
        throws Http2Exception {
      onIdleFrame();
      super.onWindowUpdateRead(ctx, streamId, increment);
    }

    @Override
    public void onPriorityRead(
        ChannelHandlerContext ctx,
        int streamId,
        int streamDependency,
        short weight,
        boolean exclusive)
        throws Http2Exception {
      // Means nothing to a client, and would only make the codec remember a stream.
      onIdleFrame();
    }

    @Override
    public void onPushPromiseRead(
        ChannelHandlerContext ctx,
        int streamId,
        int promisedStreamId,
        Http2Headers headers,
        int padding)
        throws Http2Exception {
      throw Http2Exception.connectionError(
          Http2Error.PROTOCOL_ERROR, "PUSH_PROMISE, which SETTINGS refuses");
    }

    @Override
    public void onUnknownFrame(
        ChannelHandlerContext ctx, byte type, int streamId, Http2Flags flags, ByteBuf payload)
        throws Http2Exception {
      onIdleFrame();
    }
  }
}
