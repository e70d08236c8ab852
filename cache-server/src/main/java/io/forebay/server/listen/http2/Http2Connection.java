package io.forebay.server.listen.http2;

import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.forebay.server.config.ServerConfig.TimeoutsConfig;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.listen.connection.AltSvc;
import io.forebay.server.listen.connection.ClientCertificateCheck;
import io.forebay.server.listen.connection.FramedRequest;
import io.forebay.server.listen.connection.GoAwaySequence;
import io.forebay.server.listen.connection.LargeWriteQuota;
import io.forebay.server.listen.connection.ListenerContext;
import io.forebay.server.listen.connection.Rejection;
import io.forebay.server.listen.connection.StallDetector;
import io.forebay.server.listen.connection.StreamDispatcher;
import io.forebay.server.listen.connection.StreamPriority;
import io.forebay.server.listen.connection.StreamProgress;
import io.forebay.server.loop.DeadlineWheel;
import io.forebay.server.pacing.SocketPace;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2GoAwayFrame;
import io.netty.handler.codec.http2.DefaultHttp2PingFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Frame;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2FrameStreamEvent;
import io.netty.handler.codec.http2.Http2FrameStreamException;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2PingFrame;
import io.netty.handler.codec.http2.Http2RemoteFlowController;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.Http2WindowUpdateFrame;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One HTTP/2 client connection: converts frames into exchanges and back. Streams are light objects
 * in a table, not channels. The codec's flow controller decides what a stream may send, so a stream
 * with a closed window neither blocks others nor buffers more than its queue. Confined to its event
 * loop.
 */
public final class Http2Connection extends ChannelInboundHandlerAdapter {

  private static final Logger LOG = LoggerFactory.getLogger(Http2Connection.class);

  /** What our PING carries whose answer shows that the client has read the first GOAWAY. */
  private static final long GOODBYE = 0x666f_7265_6261_7901L;

  private static final int SMALL_CHUNK_BYTES = 16 * 1024;

  private final ListenerContext loop;
  private final LimitsConfig limits;
  private final TimeoutsConfig timeouts;
  private final Channel channel;
  private final String scheme;
  private final ClientInfo client;
  private final FrameListener listener = new FrameListener();
  private final @Nullable ClientCertificateCheck guard;
  private final IntObjectMap<Http2RequestStream> streams = new IntObjectHashMap<>();

  /** Of streams that are not there yet. */
  private final IntObjectMap<StreamPriority> early = new IntObjectHashMap<>(4);

  private final StallDetector stallWatch;
  private final DeadlineWheel.Entry deadline;
  private final StreamProgress progress;
  private final StreamDispatcher dispatcher;
  private final GoAwaySequence goAway;

  /** Whether the client was told that it may use extended CONNECT. */
  private final boolean takesTunnels;

  private @Nullable TunnelWindows tunnelWindows;
  private @Nullable ChannelHandlerContext context;
  private @Nullable Http2FrameCodec codec;
  private @Nullable AltSvc altSvc;
  private @Nullable UrgencyDistributor turns;

  /** Null before the first response that has a pacing. */
  private @Nullable SocketPace pace;

  private int requests;
  private int newestStream;
  private long newestTurn;
  private long signsOfLife;

  /** What is written goes out when the batch ends: a read, or a turn of those that waited. */
  private boolean isBatch;

  private boolean needsFlush;

  /** A stream has asked whether it can write, and could not. */
  private boolean hasWaiting;

  private boolean isTurnQueued;
  private boolean isClosed;

  public Http2Connection(ListenerContext loop, Channel channel, String scheme, ClientInfo client) {
    this.loop = loop;
    this.channel = channel;
    this.scheme = scheme;
    this.client = client;
    guard = ClientCertificateCheck.of(channel);
    limits = loop.limits();
    timeouts = loop.timeouts();
    takesTunnels = loop.takesTunnels();
    stallWatch = new StallDetector(channel, loop.sendQueue);
    deadline = loop.wheel.entry(this::onDeadline);
    progress = new StreamProgress(loop.counters, timeouts);
    dispatcher = new StreamDispatcher(loop, scheme, "PROTOCOL_ERROR");
    goAway = new GoAwaySequence(loop.wheel, new GoAwayFrames());
  }

  /** The codec that goes before this handler. */
  public Http2FrameCodec codec() {
    FrameFloodLimiter guard = new FrameFloodLimiter(loop.http2(), loop.wheel::nowNanos, listener);
    Http2Codec.Made made =
        Http2Codec.make(limits, loop.http2(), timeouts.drain(), takesTunnels, guard, listener);
    codec = made.codec();
    tunnelWindows = new TunnelWindows(made.codec().connection(), Http2Codec.WINDOW_LENGTH);
    turns = made.turns();
    return made.codec();
  }

  /** Adds Alt-Svc to every response. */
  public void advertise(@Nullable AltSvc elsewhere) {
    altSvc = elsewhere;
  }

  @Nullable AltSvc altSvc() {
    return altSvc;
  }

  ListenerContext loop() {
    return loop;
  }

  LimitsConfig limits() {
    return limits;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
    deadline.in(timeouts.requestHeader().toNanos());
  }

  // ---- reading

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    isBatch = true;
    switch (message) {
      case Http2HeadersFrame frame -> onHeaders(frame);
      case Http2DataFrame frame -> onData(frame);
      case Http2WindowUpdateFrame frame -> onCredit(frame.stream());
      case Http2ResetFrame frame -> onGone(frame.stream(), "the client reset the stream");
      case Http2PingFrame frame -> {
        if (frame.ack() && frame.content() == GOODBYE) {
          goAway.finish();
        }
      }
      default -> ReferenceCountUtil.release(message);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    isBatch = true;
    notifyWaitingStreams();
    endBatch();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
    super.channelWritabilityChanged(ctx);
    notifyWaitingStreamsLater();
  }

  /**
   * The codec reports writability only when it changes between two of its checks, so a stream that
   * found the connection full in between could wait for ever. All waiting streams are therefore
   * notified after every change, in a separate task, since the codec may be within a flush.
   */
  private void notifyWaitingStreamsLater() {
    if (hasWaiting && !isTurnQueued && !isClosed) {
      isTurnQueued = true;
      channel.eventLoop().execute(this::onTurn);
    }
  }

  private void onTurn() {
    isTurnQueued = false;
    isBatch = true;
    notifyWaitingStreams();
    endBatch();
  }

  /** What all of them have written goes out at once, so that the most urgent of it goes first. */
  private void endBatch() {
    isBatch = false;
    ChannelHandlerContext ctx = context;
    if (needsFlush && ctx != null) {
      needsFlush = false;
      ctx.flush();
      notifyWaitingStreamsLater();
    }
  }

  private void notifyWaitingStreams() {
    if (hasWaiting && !isClosed) {
      // A stream that still finds it full sets this again.
      hasWaiting = false;
      List<Http2RequestStream> waiting = new ArrayList<>(streams.values());
      waiting.removeIf(stream -> !stream.isWaiting());
      // What the first take may be all there is.
      waiting.sort(Http2RequestStream.TURNS);
      for (Http2RequestStream stream : waiting) {
        stream.turn(++newestTurn);
        stream.onWritable();
      }
    }
  }

  private void onHeaders(Http2HeadersFrame frame) {
    Http2FrameStream stream = frame.stream();
    Http2RequestStream known = streams.get(stream.id());
    if (known != null) {
      // Trailers; they only end the body (S29). A tunnel has none (RFC 9113 §8.5).
      if (frame.isEndStream() && !known.request().isTunnelRequest()) {
        take(known, Unpooled.EMPTY_BUFFER, true);
      } else {
        refuse(known, Rejection.MALFORMED);
      }
      return;
    }
    Http2Headers headers = frame.headers();
    FramedRequest request = new FramedRequest(limits, headers, scheme, frame.isEndStream());
    request.guardedBy(guard);
    Rejection refusal = request.read(loop.exchanges.takesPurges(), takesTunnels);
    Http2RequestStream opened = new Http2RequestStream(this, stream, request);
    streams.put(stream.id(), opened);
    newestStream = stream.id();
    prioritize(opened, headers);
    deadline.in(progress.lookNanos());
    if (++requests == limits.requestsPerConnection()) {
      loop.counters.hit(LimitKey.REQUESTS_PER_CONNECTION);
      goAway.start();
    }
    if (refusal != null) {
      refuse(opened, refusal);
      return;
    }
    // What says that nothing follows is not begun before that is known: its head is all of it.
    if (!request.hasBody() || request.contentLength() != 0) {
      start(opened);
    }
  }

  private void start(Http2RequestStream opened) {
    dispatcher.start(client, opened);
  }

  private void onCredit(@Nullable Http2FrameStream stream) {
    signsOfLife++;
    Http2RequestStream opened = stream == null ? null : streams.get(stream.id());
    if (opened != null) {
      opened.onCredit();
    }
  }

  private void onData(Http2DataFrame frame) {
    int flowControlled = frame.initialFlowControlledBytes();
    ByteBuf data = frame.content();
    int padding = flowControlled - data.readableBytes();
    loop.counters.bytesFromClients += data.readableBytes();
    Http2RequestStream stream = streams.get(frame.stream().id());
    if (stream == null) {
      giveCredit(frame.stream(), flowControlled);
      data.release();
      return;
    }
    if (padding > 0) {
      giveCredit(frame.stream(), padding);
    }
    take(stream, data, frame.isEndStream());
  }

  private void take(Http2RequestStream stream, ByteBuf data, boolean isLast) {
    Rejection refusal = stream.onData(data, isLast);
    if (refusal != null) {
      refuse(stream, refusal);
    } else if (isLast && stream.isLive() && stream.request().contentLength() == 0) {
      stream.hasNoBody();
      start(stream);
    }
  }

  /** Lets the client send that many more bytes: as many were consumed. */
  void giveCredit(Http2FrameStream stream, int lengthBytes) {
    Http2FrameCodec to = codec;
    if (to == null || lengthBytes == 0 || isClosed) {
      return;
    }
    Http2Stream counted = to.connection().stream(stream.id());
    if (counted == null) {
      return;
    }
    try {
      if (to.connection().local().flowController().consumeBytes(counted, lengthBytes)) {
        flushSoon();
      }
    } catch (Http2Exception e) {
      LOG.debug("{}: credit for stream {}", client.address(), stream.id(), e);
      channel.close();
    }
  }

  /** A stream becomes a tunnel: what it is not rid of must not shut the others' window. */
  void onTunnel() {
    TunnelWindows windows = tunnelWindows;
    if (windows != null && !isClosed) {
      windows.onTunnelOpened();
    }
  }

  // ---- writing; called by the streams

  ByteBufAllocator allocator() {
    return channel.alloc();
  }

  @Nullable ChannelFuture write(Http2Frame frame) {
    ChannelHandlerContext ctx = context;
    if (ctx == null || isClosed) {
      ReferenceCountUtil.release(frame);
      return null;
    }
    return ctx.write(frame);
  }

  void writeData(Http2DataFrame frame, int lengthBytes) {
    signsOfLife += lengthBytes;
    write(frame);
  }

  void flushSoon() {
    if (isBatch) {
      needsFlush = true;
    } else if (context != null) {
      context.flush();
      // What was in the way of a stream may have gone.
      notifyWaitingStreamsLater();
    }
  }

  /**
   * Whether a stream has something to gain from writing: nothing of it waits, and both its window
   * and the connection's are open. The codec's own answer counts what waits of all streams against
   * the connection's window, so that one whose window is shut would hold up the others.
   */
  boolean isWritable(Http2FrameStream stream) {
    Http2FrameCodec frameCodec = codec;
    if (frameCodec == null) {
      return false;
    }
    Http2Stream counted = frameCodec.connection().stream(stream.id());
    Http2RemoteFlowController flow = frameCodec.connection().remote().flowController();
    boolean isWritable =
        counted != null
            && channel.isWritable()
            && !flow.hasFlowControlled(counted)
            && flow.windowSize(counted) > 0
            && flow.windowSize(frameCodec.connection().connectionStream()) > 0;
    hasWaiting |= !isWritable;
    return isWritable;
  }

  /** The chunk size of a stream: at most its window, where possible. */
  int chunkBytes(Http2FrameStream stream) {
    Http2FrameCodec frameCodec = codec;
    Http2Stream counted = frameCodec == null ? null : frameCodec.connection().stream(stream.id());
    return frameCodec == null || counted == null
        ? LargeWriteQuota.DEFAULT_CHUNK_BYTES
        : Math.clamp(
            frameCodec.connection().remote().flowController().windowSize(counted),
            SMALL_CHUNK_BYTES,
            LargeWriteQuota.DEFAULT_CHUNK_BYTES);
  }

  /**
   * A response has begun, is past its burst, or has ended. The connection has the highest rate of
   * those that are being sent: streams share one socket, and one without a pacing is not held up by
   * one beside it. Where none is sent, the rate stays, because the socket may still have bytes of
   * the last one.
   */
  void onPaceChanged(boolean isPaced) {
    SocketPace socket = pace;
    if (socket == null) {
      if (!isPaced) {
        return;
      }
      socket = new SocketPace(channel);
      pace = socket;
    }
    long highest = -1;
    for (Http2RequestStream stream : streams.values()) {
      highest = Math.max(highest, stream.sendingRate());
    }
    if (highest >= 0) {
      socket.rate(highest);
    }
  }

  void reset(Http2FrameStream stream, Http2Error error) {
    write(new DefaultHttp2ResetFrame(error).stream(stream));
    flushSoon();
  }

  /** Drops what the flow controller still holds of a stream, if it holds anything. */
  void giveUp(Http2FrameStream stream) {
    Http2FrameCodec frameCodec = codec;
    if (frameCodec != null && !isClosed && frameCodec.connection().stream(stream.id()) != null) {
      progress.countStalled();
      reset(stream, Http2Error.CANCEL);
    }
  }

  /** A response that cannot be right: only a reset tells the client (I3). */
  void onDefect(Http2RequestStream stream, String what) {
    LOG.error("{} {}: {}", stream.request().method(), stream.request().path(), what);
    stream.onClosed(what);
    reset(stream.stream(), Http2Error.INTERNAL_ERROR);
  }

  void refuse(Http2RequestStream stream, Rejection refusal) {
    if (!dispatcher.refuse(client, stream, refusal)) {
      reset(stream.stream(), Http2Error.PROTOCOL_ERROR);
    }
  }

  /** What the codec does by itself. */
  private final class FrameListener implements Http2Codec.FrameListener {
    @Override
    public void onFieldsTooLarge() {
      dispatcher.onFieldsTooLarge(client);
    }

    @Override
    public void onUndecodable(int stream) {
      newestStream = stream;
      dispatcher.onUndecodable(client);
    }

    @Override
    public boolean isNew(int stream) {
      return stream > newestStream;
    }

    @Override
    public void onLimit(LimitKey limit) {
      loop.counters.hit(limit);
      LOG.debug("{}: {} exceeded", client.address(), limit.key());
    }

    @Override
    public void onPriorityUpdate(int stream, CharSequence field) {
      Http2FrameCodec frameCodec = codec;
      if (frameCodec == null) {
        return;
      }
      StreamPriority priority = StreamPriority.of(field);
      Http2Stream known = frameCodec.connection().stream(stream);
      if (known != null) {
        prioritize(known, priority);
      } else if (frameCodec.connection().remote().isValidStreamId(stream)
          && stream > frameCodec.connection().remote().lastStreamCreated()
          && early.size() < limits.streamsPerConnection()) {
        // RFC 9218 §7.1: it may come before the stream it is about.
        early.put(stream, priority);
      }
    }
  }

  private void prioritize(Http2Stream stream, StreamPriority priority) {
    UrgencyDistributor to = turns;
    if (to != null) {
      to.prioritize(stream, priority);
    }
    Http2RequestStream opened = streams.get(stream.id());
    if (opened != null) {
      opened.priority(priority);
    }
  }

  /** What was said of a stream before it was opened goes before what its request says. */
  private void prioritize(Http2RequestStream opened, Http2Headers headers) {
    int id = opened.stream().id();
    StreamPriority said = early.isEmpty() ? null : early.remove(id);
    CharSequence field = said == null ? headers.get("priority") : null;
    Http2FrameCodec frameCodec = codec;
    if (frameCodec == null || (said == null && field == null)) {
      return;
    }
    Http2Stream counted = frameCodec.connection().stream(id);
    if (counted != null) {
      prioritize(counted, said != null ? said : StreamPriority.of(field));
    }
  }

  // ---- the end of streams, and of the connection

  private void onGone(@Nullable Http2FrameStream stream, String reason) {
    if (stream == null) {
      return;
    }
    Http2RequestStream gone = streams.remove(stream.id());
    if (gone == null) {
      return;
    }
    signsOfLife++;
    TunnelWindows windows = tunnelWindows;
    if (gone.isTunnel() && windows != null) {
      windows.onTunnelClosed();
    }
    gone.onClosed(reason);
    if (streams.isEmpty()) {
      deadline.in(progress.keepAliveNanos());
      closeIfDrained();
    }
  }

  private final class GoAwayFrames implements GoAwaySequence.Frames {
    @Override
    public void sendFirst() {
      DefaultHttp2GoAwayFrame first = new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR);
      first.setExtraStreamIds(Integer.MAX_VALUE);
      write(first);
      // Its answer shows that the client has read the first.
      write(new DefaultHttp2PingFrame(GOODBYE));
      flushSoon();
    }

    @Override
    public void sendFinal() {
      write(new DefaultHttp2GoAwayFrame(Http2Error.NO_ERROR));
      flushSoon();
      closeIfDrained();
    }
  }

  private void closeIfDrained() {
    ChannelHandlerContext ctx = context;
    if (goAway.isFinished() && streams.isEmpty() && ctx != null) {
      ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
  }

  /** The limits of a route hold from now on, where they are stricter; a stream is open. */
  void tighten(long noProgressNanos, long keepAliveNanos) {
    if (progress.tighten(noProgressNanos, keepAliveNanos)) {
      deadline.in(progress.lookNanos());
    }
  }

  private void onDeadline(long nowNanos) {
    if (streams.isEmpty()) {
      if (!goAway.isStarted()) {
        loop.counters.hit(requests == 0 ? LimitKey.REQUEST_HEADER : LimitKey.KEEP_ALIVE);
      }
      goAway.start();
      return;
    }
    if (stallWatch.isStalled() || isStuck()) {
      progress.countStalled();
      cut();
      return;
    }
    for (Http2RequestStream stream : new ArrayList<>(streams.values())) {
      look(stream, nowNanos);
    }
    deadline.in(progress.lookNanos());
  }

  /** One stream must not outlast its bounds because others of its connection do well. */
  private void look(Http2RequestStream stream, long nowNanos) {
    Rejection refusal = stream.overdue(nowNanos, timeouts.requestTotal().toNanos());
    if (refusal != null) {
      refuse(stream, refusal);
      return;
    }
    Http2FrameCodec frameCodec = codec;
    Http2Stream counted =
        frameCodec == null ? null : frameCodec.connection().stream(stream.stream().id());
    if (frameCodec == null || counted == null || stream.isTunnel()) {
      // How long a tunnel may stand still is its own bound.
      return;
    }
    Http2RemoteFlowController flow = frameCodec.connection().remote().flowController();
    boolean isShut = flow.hasFlowControlled(counted) && flow.windowSize(counted) <= 0;
    if (progress.isStuck(stream, isShut)) {
      stream.onClosed("the client does not read the response");
      giveUp(stream.stream());
    }
  }

  /** Whether data waits for windows and the client has opened none of them for too long. */
  private boolean isStuck() {
    Http2FrameCodec frameCodec = codec;
    if (frameCodec == null) {
      return false;
    }
    Http2RemoteFlowController flow = frameCodec.connection().remote().flowController();
    boolean hasWaiting = false;
    long signs = signsOfLife + flow.windowSize(frameCodec.connection().connectionStream());
    for (Http2RequestStream stream : streams.values()) {
      Http2Stream counted = frameCodec.connection().stream(stream.stream().id());
      if (counted != null) {
        hasWaiting |= !stream.isTunnel() && flow.hasFlowControlled(counted);
        signs += flow.windowSize(counted);
      }
    }
    return progress.isStuck(hasWaiting, signs);
  }

  /** Closes at once, without asking TLS or the codec to say goodbye first. */
  private void cut() {
    ChannelHandlerContext first = channel.pipeline().firstContext();
    if (first != null) {
      first.close();
    }
  }

  // ---- events of the channel

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (event instanceof Http2FrameStreamEvent change) {
      onStreamEvent(change);
      return;
    }
    if (event == ListenerContext.Drain.NOW || event == ListenerContext.Drain.LAST_REQUEST) {
      goAway.start();
      return;
    }
    if (event == ListenerContext.Drain.TUNNELS) {
      endTunnels();
      return;
    }
    super.userEventTriggered(ctx, event);
  }

  private void endTunnels() {
    for (Http2RequestStream stream : new ArrayList<>(streams.values())) {
      if (stream.isTunnel()) {
        stream.onClosed("the node is replaced");
        reset(stream.stream(), Http2Error.CANCEL);
      }
    }
  }

  private void onStreamEvent(Http2FrameStreamEvent change) {
    Http2FrameStream stream = change.stream();
    if (change.type() == Http2FrameStreamEvent.Type.Writability) {
      notifyWaitingStreamsLater();
    } else if (stream.state() == Http2Stream.State.CLOSED) {
      onGone(stream, "the stream is closed");
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    isClosed = true;
    deadline.remove();
    goAway.remove();
    List<Http2RequestStream> left = new ArrayList<>(streams.values());
    streams.clear();
    left.forEach(stream -> stream.onClosed("the client closed the connection"));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof Http2FrameStreamException broken) {
      loop.countRefusal(Rejection.PROTOCOL);
      Http2RequestStream stream = streams.get(broken.stream().id());
      if (stream != null) {
        stream.onRefused(Rejection.PROTOCOL);
      }
      reset(broken.stream(), broken.error());
      return;
    }
    if (cause instanceof IOException || cause instanceof Http2Exception) {
      LOG.debug("{}: {}", client.address(), cause.toString());
    } else {
      LOG.warn("{}: connection failed", client.address(), cause);
    }
    if (!(cause instanceof Http2Exception)) {
      // For the others the codec says GOAWAY and closes by itself.
      channel.close();
    }
  }
}
