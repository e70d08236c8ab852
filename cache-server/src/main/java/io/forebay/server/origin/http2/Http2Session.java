package io.forebay.server.origin.http2;

import io.forebay.server.config.ServerConfig.Http2Config;
import io.forebay.server.text.Printable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http2.AbstractHttp2ConnectionHandlerBuilder;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionDecoder;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2EventAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2PromisedRequestVerifier;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One HTTP/2 connection to an origin with many calls: Netty's codec with explicit limits, and the
 * rules for when it takes another call. Confined to its event loop.
 *
 * <p>The window of the connection has room for the windows of as many streams as there may be, so
 * that calls which do not read never stop the others; both together bound what waits in this node
 * (I5).
 */
public final class Http2Session extends Http2ConnectionHandler {
  private static final Logger LOG = LoggerFactory.getLogger(Http2Session.class);

  /** Streams at a time, even if the origin allows more. */
  public static final int MAX_STREAMS = 64;

  /** What a stream may send of a body that is not taken. */
  private static final int STREAM_WINDOW = 256 * 1024;

  private static final int CONNECTION_WINDOW = MAX_STREAMS * STREAM_WINDOW;
  private static final int TABLE_LENGTH = 4096;

  /** A connection is replaced long before its stream identifiers are used up. */
  private static final int LAST_STREAM = 1 << 30;

  private static final int MAX_DEBUG_TEXT = 200;

  private final EventLoop loop;
  private final Http2SessionListener listener;
  private final LimitedFrameReader reader;
  private final int mostFields;
  private final IntObjectMap<Http2Call> calls = new IntObjectHashMap<>();
  private final List<Http2Call> touched = new ArrayList<>();

  private @Nullable ChannelHandlerContext context;
  private boolean hasWindow;
  private boolean isReading;
  private boolean isDraining;
  private boolean isClosed;
  private boolean isChangeQueued;
  private long lastReadNanos;

  /** What becomes of calls whose streams close without a reason of their own. */
  private Http2Failure ending = Http2Failure.CLOSED;

  private String endingDetail = "the origin closed the connection";

  private Http2Session(
      Http2ConnectionDecoder decoder,
      Http2ConnectionEncoder encoder,
      Http2Settings settings,
      LimitedFrameReader reader,
      EventLoop loop,
      int mostFields,
      Http2SessionListener listener) {
    super(decoder, encoder, settings, true, true);
    this.loop = loop;
    this.reader = reader;
    this.mostFields = mostFields;
    this.listener = listener;
    this.lastReadNanos = loop.ticker().nanoTime();
    decoder.frameListener(new Frames());
    connection().addListener(new Streams());
  }

  /**
   * The handler of one connection, to be added last to its pipeline.
   *
   * @param headerBytes limit of a header section
   * @param headerCount field lines of a section
   */
  public static Http2Session create(
      EventLoop loop,
      int headerBytes,
      int headerCount,
      Http2Config bounds,
      Http2SessionListener listener) {
    return new Codec(loop, headerBytes, headerCount, bounds, listener).build();
  }

  /** Configures Netty's codec with explicit limits. */
  private static final class Codec
      extends AbstractHttp2ConnectionHandlerBuilder<Http2Session, Codec> {
    private final EventLoop loop;
    private final int headerBytes;
    private final int headerCount;
    private final Http2Config bounds;
    private final Http2SessionListener listener;

    Codec(
        EventLoop loop,
        int headerBytes,
        int headerCount,
        Http2Config bounds,
        Http2SessionListener listener) {
      this.loop = loop;
      this.headerBytes = headerBytes;
      this.headerCount = headerCount;
      this.bounds = bounds;
      this.listener = listener;
      connection(new DefaultHttp2Connection(false));
      initialSettings(
          Http2Settings.defaultSettings()
              .pushEnabled(false)
              .headerTableSize(TABLE_LENGTH)
              .maxHeaderListSize(headerBytes)
              .initialWindowSize(STREAM_WINDOW));
      encoderEnforceMaxConcurrentStreams(false);
      encoderEnforceMaxQueuedControlFrames(bounds.queuedControlFrames());
      encoderIgnoreMaxHeaderListSize(true);
      headerSensitivityDetector(PrivateFields.DETECTOR);
      // Counted by LimitedFrameReader, or bounded by the requests of this node.
      decoderEnforceMaxConsecutiveEmptyDataFrames(0);
      decoderEnforceMaxRstFramesPerWindow(0, 0);
      encoderEnforceMaxRstFramesPerWindow(0, 0);
    }

    @Override
    protected Http2Session build() {
      return super.build();
    }

    @Override
    protected Http2Session build(
        Http2ConnectionDecoder decoder, Http2ConnectionEncoder encoder, Http2Settings settings) {
      Http2Connection connection = connection();
      LimitedFrameReader reader =
          new LimitedFrameReader(
              new DefaultHttp2FrameReader(
                  new DefaultHttp2HeadersDecoder(true, headerBytes), bounds.continuations()),
              bounds,
              loop.ticker()::nanoTime,
              stream -> connection.stream(stream) != null);
      // In place of the decoder at hand, whose reader cannot be replaced.
      Http2ConnectionDecoder limited =
          new DefaultHttp2ConnectionDecoder(
              connection,
              encoder,
              reader,
              Http2PromisedRequestVerifier.ALWAYS_VERIFY,
              true,
              true,
              true);
      return new Http2Session(limited, encoder, settings, reader, loop, headerCount, listener);
    }
  }

  // What the owner asks and orders.

  /** Whether it takes another call now. */
  public boolean hasRoom() {
    return isUsable() && calls.size() < MAX_STREAMS && connection().local().canOpenStream();
  }

  /** Whether it takes calls, now or later. */
  public boolean isUsable() {
    return !isDraining && !isClosed;
  }

  /** Whether the origin has said that it wants no calls for now. */
  public boolean isPaused() {
    return isUsable() && connection().local().maxActiveStreams() == 0;
  }

  /** When bytes were last read, by the clock of the loop. */
  public long lastReadNanos() {
    return lastReadNanos;
  }

  /**
   * Opens a stream; there must be room.
   *
   * @param isComplete whether no body follows
   * @param isSuspended whether the body of the response is not read yet
   */
  public Http2Call open(
      Http2Headers headers, boolean isComplete, boolean isSuspended, Http2CallListener caller) {
    int stream = connection().local().incrementAndGetNextStreamId();
    boolean isHead = "HEAD".contentEquals(headers.method());
    Http2Call call = new Http2Call(this, stream, isHead, isComplete, isSuspended, caller);
    calls.put(stream, call);
    if (stream >= LAST_STREAM) {
      drain();
    }
    reader.onUsefulFrame();
    ChannelHandlerContext ctx = context();
    encoder()
        .writeHeaders(ctx, stream, headers, 0, isComplete, ctx.newPromise())
        .addListener(written -> {
          if (!written.isSuccess()) {
            lose(stream, Http2Failure.CLOSED, "cannot write: " + Printable.line(written.cause()));
          }
        });
    flush();
    return call;
  }

  /** Takes no more calls; those in progress go on. */
  public void drain() {
    if (!isDraining) {
      isDraining = true;
      changed();
    }
  }

  /** Says goodbye and closes; calls in progress fail. */
  public void close() {
    ChannelHandlerContext ctx = context;
    if (isClosed || ctx == null) {
      return;
    }
    isClosed = true;
    if (ctx.channel().isActive()) {
      goAway(ctx, 0, Http2Error.NO_ERROR.code(), Unpooled.EMPTY_BUFFER, ctx.newPromise());
      ctx.flush();
    }
    ctx.close();
  }

  // What calls order.

  int mostFields() {
    return mostFields;
  }

  ByteBufAllocator allocator() {
    return context().alloc();
  }

  void execute(Runnable task) {
    loop.execute(task);
  }

  void touched(Http2Call call) {
    touched.add(call);
  }

  void writeData(Http2Call call, ByteBuf data, boolean isEnd, Runnable onWritten) {
    reader.onUsefulFrame();
    ChannelHandlerContext ctx = context();
    encoder()
        .writeData(ctx, call.stream(), data, 0, isEnd, ctx.newPromise())
        .addListener(written -> onWritten.run());
    flush();
  }

  /** Body bytes were taken: the origin may send as many more. */
  void consume(int stream, int length) {
    Http2Stream counted = connection().stream(stream);
    if (counted == null) {
      return;
    }
    try {
      if (decoder().flowController().consumeBytes(counted, length)) {
        flush();
      }
    } catch (Http2Exception e) {
      onError(context(), true, e);
    }
  }

  void reset(int stream, Http2Error error) {
    ChannelHandlerContext ctx = context();
    resetStream(ctx, stream, error.code(), ctx.newPromise());
    flush();
  }

  /** Within a burst of reads, its end flushes. */
  private void flush() {
    if (!isReading) {
      flush(context());
    }
  }

  private ChannelHandlerContext context() {
    ChannelHandlerContext ctx = context;
    if (ctx == null) {
      throw new IllegalStateException("used before it was in a pipeline");
    }
    return ctx;
  }

  private void changed() {
    if (!isChangeQueued) {
      isChangeQueued = true;
      loop.execute(() -> {
        isChangeQueued = false;
        listener.onChanged();
      });
    }
  }

  private void lose(int stream, Http2Failure failure, String detail) {
    Http2Call call = calls.get(stream);
    if (call != null) {
      call.fail(failure, detail);
    }
  }

  // Events of the channel.

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
    context = ctx;
    super.handlerAdded(ctx);
    openWindow(ctx);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) throws Exception {
    super.channelActive(ctx);
    openWindow(ctx);
  }

  /** Opens the window of the connection, behind the preface. */
  private void openWindow(ChannelHandlerContext ctx) throws Http2Exception {
    Channel channel = ctx.channel();
    if (!hasWindow && channel.isActive()) {
      hasWindow = true;
      decoder()
          .flowController()
          .incrementWindowSize(
              connection().connectionStream(),
              CONNECTION_WINDOW - Http2CodecUtil.DEFAULT_WINDOW_SIZE);
      flush(ctx);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
    isReading = true;
    lastReadNanos = loop.ticker().nanoTime();
    if (message instanceof ByteBuf bytes) {
      listener.onBytes(bytes.readableBytes());
    }
    super.channelRead(ctx, message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
    isReading = false;
    super.channelReadComplete(ctx);
    for (int i = 0; i < touched.size(); i++) {
      touched.get(i).onReadComplete();
    }
    touched.clear();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    isReading = false;
    isDraining = true;
    // Decodes what is left, then closes the streams.
    super.channelInactive(ctx);
    isClosed = true;
    listener.onClosed();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) throws Exception {
    if (Http2CodecUtil.getEmbeddedHttp2Exception(cause) != null) {
      super.exceptionCaught(ctx, cause);
      return;
    }
    boolean isTransport = cause instanceof IOException || cause.getCause() instanceof SSLException;
    Throwable why =
        cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
    if (!isTransport) {
      LOG.error("internal error on a connection to an origin", cause);
    }
    endWith(isTransport ? Http2Failure.CLOSED : Http2Failure.DEFECT, Printable.line(why));
    ctx.close();
  }

  /** Every call in progress fails; the connection is about to be closed. */
  private void endWith(Http2Failure failure, String detail) {
    if (ending == Http2Failure.CLOSED) {
      ending = failure;
      endingDetail = detail;
    }
    drain();
    for (Http2Call call : new ArrayList<>(calls.values())) {
      call.fail(failure, detail);
    }
  }

  @Override
  protected void onConnectionError(
      ChannelHandlerContext ctx,
      boolean outbound,
      Throwable cause,
      @Nullable Http2Exception broken) {
    if (broken == null && cause instanceof IOException) {
      // The origin takes no more bytes. What it has said before is still read, to the end.
      drain();
      return;
    }
    if (broken == null) {
      LOG.error("internal error on a connection to an origin", cause);
      endWith(Http2Failure.DEFECT, "internal error of this node, see its log");
    } else if (!decoder().prefaceReceived()) {
      endWith(Http2Failure.INVALID, "the origin does not speak HTTP/2");
    } else {
      endWith(Http2Failure.INVALID, Printable.line(broken));
    }
    super.onConnectionError(ctx, outbound, cause, broken);
    ctx.flush();
    // Not only once GOAWAY is written: the origin may not read.
    ctx.close();
  }

  @Override
  protected void onStreamError(
      ChannelHandlerContext ctx,
      boolean outbound,
      Throwable cause,
      Http2Exception.StreamException broken) {
    lose(
        broken.streamId(),
        broken instanceof Http2Exception.HeaderListSizeException
            ? Http2Failure.FIELDS_TOO_LARGE
            : Http2Failure.INVALID,
        Printable.line(broken));
    super.onStreamError(ctx, outbound, cause, broken);
  }

  /** Frames that concern calls. */
  private final class Frames extends Http2EventAdapter {
    @Override
    public void onHeadersRead(
        ChannelHandlerContext ctx, int streamId, Http2Headers headers, int padding, boolean isEnd) {
      Http2Call call = calls.get(streamId);
      if (call != null) {
        call.onHeaders(headers, isEnd);
      }
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
        boolean isEnd) {
      onHeadersRead(ctx, streamId, headers, padding, isEnd);
    }

    @Override
    public int onDataRead(
        ChannelHandlerContext ctx, int streamId, ByteBuf data, int padding, boolean isEnd) {
      Http2Call call = calls.get(streamId);
      return call == null ? data.readableBytes() + padding : call.onData(data, padding, isEnd);
    }

    @Override
    public void onRstStreamRead(ChannelHandlerContext ctx, int streamId, long errorCode) {
      if (errorCode == Http2Error.REFUSED_STREAM.code()) {
        drain();
        lose(streamId, Http2Failure.UNPROCESSED, "the origin refused the stream");
      } else {
        lose(streamId, Http2Failure.RESET, "the origin reset the stream: " + error(errorCode));
      }
    }

    @Override
    public void onSettingsRead(ChannelHandlerContext ctx, Http2Settings settings) {
      changed();
    }
  }

  private static String error(long code) {
    Http2Error error = Http2Error.valueOf(code);
    return error == null ? "error " + code : error.name();
  }

  /** Ends of streams. */
  private final class Streams extends Http2ConnectionAdapter {
    @Override
    public void onStreamClosed(Http2Stream stream) {
      Http2Call call = calls.remove(stream.id());
      if (call != null) {
        call.onStreamClosed(ending, endingDetail);
      }
      changed();
    }

    @Override
    public void onGoAwayReceived(int lastStreamId, long errorCode, ByteBuf debugData) {
      String text =
          debugData.toString(
              debugData.readerIndex(),
              Math.min(MAX_DEBUG_TEXT, debugData.readableBytes()),
              StandardCharsets.ISO_8859_1);
      String detail =
          "the origin sent GOAWAY: "
              + error(errorCode)
              + (text.isEmpty() ? "" : ", " + Printable.line(text));
      if (errorCode != Http2Error.NO_ERROR.code()) {
        endingDetail = detail;
      }
      drain();
      for (Http2Call call : new ArrayList<>(calls.values())) {
        if (call.stream() > lastStreamId) {
          call.fail(Http2Failure.UNPROCESSED, detail);
        }
      }
    }
  }
}
