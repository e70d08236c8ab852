package io.forebay.server.listen.http2;

import io.forebay.server.config.ServerConfig.Http2Config;
import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.listen.connection.ContentLengthCheck;
import io.forebay.server.listen.connection.UnindexedFields;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.DecoratingHttp2ConnectionDecoder;
import io.netty.handler.codec.http2.DecoratingHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionDecoder;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.DefaultHttp2RemoteFlowController;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2LifecycleManager;
import io.netty.handler.codec.http2.Http2PromisedRequestVerifier;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Configures Netty's codec of one connection with explicit limits, and a listener for the replies
 * that it sends itself.
 */
final class Http2Codec extends Http2FrameCodecBuilder {

  /** What a stream may send of a body before we have taken it. */
  static final int WINDOW_LENGTH = 256 * 1024;

  private static final int TABLE_LENGTH = 4096;

  /** SETTINGS_NO_RFC7540_PRIORITIES (RFC 9218 §2.1). */
  private static final char NO_TREE_OF_PRIORITIES = 0x9;

  /** How the codec begins to tell of a header block that goes on beyond all bounds. */
  private static final String FIELDS_FAR_TOO_LARGE = "Header size exceeded";

  /** What the codec does without notifying the connection. */
  interface FrameListener extends FrameFloodLimiter.FrameListener {
    /** A head was answered with 431. */
    void onFieldsTooLarge();

    /** A head could not be decoded, and its stream was reset. */
    void onUndecodable(int stream);

    /** Whether no request has come on that stream yet. */
    boolean isNew(int stream);
  }

  private final FrameFloodLimiter guard;
  private final FrameListener listener;

  private final long maxHeaderListSize;
  private final int maxContinuations;

  private Http2Codec(
      LimitsConfig limits, Http2Config bounds, FrameFloodLimiter guard, FrameListener listener) {
    this.maxHeaderListSize = limits.headerBytes();
    this.maxContinuations = bounds.continuations();
    this.guard = guard;
    this.listener = listener;
  }

  /** The codec and what goes with it. */
  record Made(Http2FrameCodec codec, UrgencyDistributor turns) {}

  static Made make(
      LimitsConfig limits,
      Http2Config bounds,
      Duration drain,
      boolean takesTunnels,
      FrameFloodLimiter guard,
      FrameListener listener) {
    Http2Connection connection = new DefaultHttp2Connection(true, 0);
    UrgencyDistributor turns = new UrgencyDistributor(connection);
    connection.remote().flowController(new DefaultHttp2RemoteFlowController(connection, turns));
    Http2Settings settings =
        Http2Settings.defaultSettings()
            .headerTableSize(TABLE_LENGTH)
            .maxHeaderListSize(limits.headerBytes())
            .maxConcurrentStreams(limits.streamsPerConnection())
            .initialWindowSize(WINDOW_LENGTH);
    settings.put(NO_TREE_OF_PRIORITIES, Long.valueOf(1));
    if (takesTunnels) {
      settings.connectProtocolEnabled(true);
    }
    Http2Codec builder = new Http2Codec(limits, bounds, guard, listener);
    builder.connection(connection);
    Http2FrameCodec codec =
        builder
            .initialSettings(settings)
            .validateHeaders(true)
            .encoderEnforceMaxConcurrentStreams(false)
            .encoderEnforceMaxQueuedControlFrames(bounds.queuedControlFrames())
            .encoderIgnoreMaxHeaderListSize(true)
            .headerSensitivityDetector(UnindexedFields.DETECTOR)
            // Empty DATA and resets are counted by FrameFloodLimiter, in both directions.
            .decoderEnforceMaxConsecutiveEmptyDataFrames(0)
            .decoderEnforceMaxRstFramesPerWindow(0, 0)
            .encoderEnforceMaxRstFramesPerWindow(0, 0)
            .gracefulShutdownTimeoutMillis(drain.toMillis())
            .build();
    return new Made(codec, turns);
  }

  @Override
  protected Http2FrameCodec build(
      Http2ConnectionDecoder decoder,
      Http2ConnectionEncoder encoder,
      Http2Settings initialSettings) {
    // In place of the decoder at hand, whose reader can't be told how to read fields.
    Http2ConnectionDecoder strict =
        new DefaultHttp2ConnectionDecoder(
            connection(),
            encoder,
            new DefaultHttp2FrameReader(
                new ContentLengthCheck.ForHttp2(maxHeaderListSize), maxContinuations),
            Http2PromisedRequestVerifier.ALWAYS_VERIFY,
            true,
            true,
            true);
    return new Codec(
        new CountedResets(encoder),
        new DecoratingHttp2ConnectionDecoder(strict) {
          @Override
          public void frameListener(Http2FrameListener listener) {
            super.frameListener(guard.before(listener));
          }
        },
        initialSettings);
  }

  /** Ends a connection that has us reset streams without end (CVE-2025-8671). */
  private final class CountedResets extends DecoratingHttp2ConnectionEncoder {
    private @Nullable Http2LifecycleManager lifecycle;

    CountedResets(Http2ConnectionEncoder encoder) {
      super(encoder);
    }

    @Override
    public void lifecycleManager(Http2LifecycleManager manager) {
      lifecycle = manager;
      super.lifecycleManager(manager);
    }

    @Override
    public ChannelFuture writeRstStream(
        ChannelHandlerContext ctx, int streamId, long errorCode, ChannelPromise promise) {
      ChannelFuture written = super.writeRstStream(ctx, streamId, errorCode, promise);
      Http2LifecycleManager manager = lifecycle;
      if (manager != null && isClientsFault(errorCode) && !guard.mayCauseReset()) {
        manager.onError(
            ctx,
            true,
            Http2Exception.connectionError(
                Http2Error.ENHANCE_YOUR_CALM, "too many streams were reset"));
        ctx.close();
      }
      return written;
    }

    /** Not where we have given up on a response, or have no use for the rest of a request. */
    private static boolean isClientsFault(long errorCode) {
      return errorCode != Http2Error.CANCEL.code()
          && errorCode != Http2Error.NO_ERROR.code()
          && errorCode != Http2Error.INTERNAL_ERROR.code();
    }
  }

  /** The codec, with a listener for the replies that it sends itself. */
  private final class Codec extends Http2FrameCodec {
    private int newestUndecodable;

    Codec(Http2ConnectionEncoder encoder, Http2ConnectionDecoder decoder, Http2Settings settings) {
      super(encoder, decoder, settings, decoupleCloseAndGoAway(), flushPreface());
    }

    @Override
    protected void handleServerHeaderDecodeSizeError(
        ChannelHandlerContext ctx, Http2Stream stream) {
      listener.onFieldsTooLarge();
      super.handleServerHeaderDecodeSizeError(ctx, stream);
    }

    @Override
    public void onError(ChannelHandlerContext ctx, boolean outbound, Throwable cause) {
      switch (Http2CodecUtil.getEmbeddedHttp2Exception(cause)) {
        case Http2Exception.HeaderListSizeException broken ->
            guard.skipped.onSeen(broken.streamId());
        case Http2Exception.StreamException broken -> {
          if (!outbound && guard.skipped.contains(broken.streamId())) {
            super.onError(
                ctx,
                false,
                Http2Exception.connectionError(
                    Http2Error.PROTOCOL_ERROR, "stream %d was skipped", broken.streamId()));
            return;
          }
          if (!outbound) {
            onBrokenStream(broken);
          }
        }
        case Http2Exception broken -> onBrokenConnection(outbound, broken);
        case null -> {}
      }
      super.onError(ctx, outbound, cause);
    }

    private void onBrokenStream(Http2Exception.StreamException broken) {
      guard.skipped.onSeen(broken.streamId());
      if (broken.error() == Http2Error.REFUSED_STREAM) {
        listener.onLimit(LimitKey.STREAMS_PER_CONNECTION);
      } else if (broken.streamId() > newestUndecodable
          && listener.isNew(broken.streamId())
          && connection().stream(broken.streamId()) == null) {
        newestUndecodable = broken.streamId();
        listener.onUndecodable(broken.streamId());
      }
    }

    /** What the guard has not found by itself. */
    private void onBrokenConnection(boolean outbound, Http2Exception broken) {
      if (broken.error() == Http2Error.ENHANCE_YOUR_CALM && !guard.hasEndedIt()) {
        listener.onLimit(
            outbound ? LimitKey.HTTP2_QUEUED_CONTROL_FRAMES : LimitKey.HTTP2_CONTINUATIONS);
      } else if (String.valueOf(broken.getMessage()).startsWith(FIELDS_FAR_TOO_LARGE)) {
        listener.onLimit(LimitKey.HEADER_BYTES);
      }
    }
  }
}
