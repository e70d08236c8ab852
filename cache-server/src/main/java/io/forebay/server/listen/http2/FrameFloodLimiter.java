package io.forebay.server.listen.http2;

import io.forebay.server.config.ServerConfig.Http2Config;
import io.forebay.server.counters.LimitKey;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;

/**
 * Counts the frames that cost the node more than their sender, and ends the connection beyond a
 * limit (RFC 9113 §10.5). Rates are counted in consecutive time windows. Owner: the connection's
 * event loop.
 */
final class FrameFloodLimiter {

  /** PRIORITY_UPDATE (RFC 9218 §7.1). */
  private static final byte PRIORITY_UPDATE = 0x10;

  private static final int STREAM_ID_LENGTH = 4;
  private static final int STREAM_ID_MASK = 0x7fff_ffff;

  /** What the connection wants to know of the frames. */
  interface FrameListener {
    /** A bound was passed. */
    void onLimit(LimitKey limit);

    /** The client has said how urgent a stream is, which may not be there yet. */
    void onPriorityUpdate(int stream, CharSequence field);
  }

  private final Http2Config bounds;
  private final LongSupplier clockNanos;
  private final FrameListener listener;

  private long windowStartNanos;
  private int resets;
  private int resetsCaused;
  private int pings;
  private int settings;
  private int priorities;
  private int emptyFrames;
  private boolean hasEnded;

  final SkippedStreams skipped = new SkippedStreams();

  FrameFloodLimiter(Http2Config bounds, LongSupplier clockNanos, FrameListener listener) {
    this.bounds = bounds;
    this.clockNanos = clockNanos;
    this.listener = listener;
    windowStartNanos = clockNanos.getAsLong();
  }

  /** The same listener, with every frame looked at before. */
  Http2FrameListener before(Http2FrameListener listener) {
    return new Counted(listener);
  }

  /**
   * A stream was reset because the client broke the protocol on it; false when that was too many.
   */
  boolean mayCauseReset() {
    startWindowIfOver();
    if (++resetsCaused <= bounds.resetsCaused()) {
      return true;
    }
    if (!hasEnded) {
      hasEnded = true;
      listener.onLimit(LimitKey.HTTP2_RESETS_CAUSED);
    }
    return false;
  }

  /** Whether the connection ends because of what was counted here. */
  boolean hasEndedIt() {
    return hasEnded;
  }

  private void startWindowIfOver() {
    long now = clockNanos.getAsLong();
    if (now - windowStartNanos >= bounds.window().toNanos()) {
      windowStartNanos = now;
      resets = 0;
      resetsCaused = 0;
      pings = 0;
      settings = 0;
      priorities = 0;
    }
  }

  private void check(int count, int most, LimitKey limit) throws Http2Exception {
    if (count > most) {
      hasEnded = true;
      listener.onLimit(limit);
      throw Http2Exception.connectionError(
          Http2Error.ENHANCE_YOUR_CALM, "more than %d: %s", most, limit.key());
    }
  }

  private void onHeaders(int stream) throws Http2Exception {
    // What has been read with the reset that was too much starts nothing.
    if (hasEnded) {
      throw Http2Exception.connectionError(
          Http2Error.ENHANCE_YOUR_CALM, "HEADERS behind the end of the connection");
    }
    skipped.onSeen(stream);
    emptyFrames = 0;
    priorities--;
  }

  private void onPriority() throws Http2Exception {
    startWindowIfOver();
    check(++priorities, bounds.priorities(), LimitKey.HTTP2_PRIORITIES);
  }

  private void onPriorityUpdate(int stream, ByteBuf payload) throws Http2Exception {
    if (stream != 0) {
      throw Http2Exception.connectionError(
          Http2Error.PROTOCOL_ERROR, "PRIORITY_UPDATE on stream %d", stream);
    }
    if (payload.readableBytes() < STREAM_ID_LENGTH) {
      throw Http2Exception.connectionError(
          Http2Error.FRAME_SIZE_ERROR, "PRIORITY_UPDATE of %d bytes", payload.readableBytes());
    }
    int prioritized = payload.getInt(payload.readerIndex()) & STREAM_ID_MASK;
    if (prioritized == 0) {
      throw Http2Exception.connectionError(
          Http2Error.PROTOCOL_ERROR, "PRIORITY_UPDATE for stream 0");
    }
    onPriority();
    listener.onPriorityUpdate(
        prioritized,
        payload.toString(
            payload.readerIndex() + STREAM_ID_LENGTH,
            payload.readableBytes() - STREAM_ID_LENGTH,
            StandardCharsets.ISO_8859_1));
  }

  private final class Counted extends Http2FrameListenerDecorator {
    Counted(Http2FrameListener listener) {
      super(listener);
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
      if (data.isReadable() || isEnd) {
        emptyFrames = 0;
      } else {
        check(++emptyFrames, bounds.emptyFrames(), LimitKey.HTTP2_EMPTY_FRAMES);
      }
      return super.onDataRead(ctx, streamId, data, padding, isEnd);
    }

    @Override
    public void onRstStreamRead(ChannelHandlerContext ctx, int streamId, long errorCode)
        throws Http2Exception {
      startWindowIfOver();
      check(++resets, bounds.resets(), LimitKey.HTTP2_RESETS);
      super.onRstStreamRead(ctx, streamId, errorCode);
    }

    @Override
    public void onPingRead(ChannelHandlerContext ctx, long data) throws Http2Exception {
      startWindowIfOver();
      check(++pings, bounds.pings(), LimitKey.HTTP2_PINGS);
      super.onPingRead(ctx, data);
    }

    @Override
    public void onSettingsRead(ChannelHandlerContext ctx, Http2Settings read)
        throws Http2Exception {
      startWindowIfOver();
      check(++settings, bounds.settings(), LimitKey.HTTP2_SETTINGS);
      super.onSettingsRead(ctx, read);
    }

    @Override
    public void onPriorityRead(
        ChannelHandlerContext ctx,
        int streamId,
        int streamDependency,
        short weight,
        boolean exclusive)
        throws Http2Exception {
      onPriority();
      super.onPriorityRead(ctx, streamId, streamDependency, weight, exclusive);
    }

    @Override
    public void onUnknownFrame(
        ChannelHandlerContext ctx, byte type, int streamId, Http2Flags flags, ByteBuf payload)
        throws Http2Exception {
      if (type == PRIORITY_UPDATE) {
        onPriorityUpdate(streamId, payload);
      } else {
        // An unknown frame, which is ignored (RFC 9113 §5.5) but counted.
        onPriority();
      }
    }
  }
}
