package io.forebay.server.listen.http3;

import io.forebay.server.config.ServerConfig.Http2Config;
import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.forebay.server.config.ServerConfig.TimeoutsConfig;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.http.ClientInfo;
import io.forebay.server.http.TlsSession;
import io.forebay.server.listen.connection.ClientCertificateCheck;
import io.forebay.server.listen.connection.ContentLengthCheck;
import io.forebay.server.listen.connection.GoAwaySequence;
import io.forebay.server.listen.connection.ListenerContext;
import io.forebay.server.listen.connection.Rejection;
import io.forebay.server.listen.connection.StreamDispatcher;
import io.forebay.server.listen.connection.StreamPriority;
import io.forebay.server.listen.connection.StreamProgress;
import io.forebay.server.loop.DeadlineWheel;
import io.forebay.server.pacing.PaceBucket;
import io.forebay.server.pacing.Pacing;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http3.DefaultHttp3GoAwayFrame;
import io.netty.handler.codec.http3.DefaultHttp3SettingsFrame;
import io.netty.handler.codec.http3.Http3;
import io.netty.handler.codec.http3.Http3ErrorCode;
import io.netty.handler.codec.http3.Http3ServerConnectionHandler;
import io.netty.handler.codec.http3.Http3Settings;
import io.netty.handler.codec.quic.QuicChannel;
import io.netty.handler.codec.quic.QuicPathEvent;
import io.netty.handler.codec.quic.QuicStreamChannel;
import io.netty.handler.codec.quic.QuicStreamResetException;
import io.netty.handler.codec.quic.QuicStreamType;
import io.netty.handler.ssl.SniCompletionEvent;
import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One HTTP/3 client connection: its streams, its limits and its shutdown. Confined to its event
 * loop.
 *
 * <p>QUIC reports a client's cancellation only when something is written to the stream, so streams
 * with nothing to send are probed periodically. Until then they count: a client that has cancelled
 * as many streams as it may have open cannot begin another.
 */
final class Http3Connection extends ChannelInboundHandlerAdapter {

  private static final Logger LOG = LoggerFactory.getLogger(Http3Connection.class);

  /**
   * How long a connection that has nothing left to do stays: closing it, QUIC drops what it has of
   * the last responses and could not send yet, or would have to send again.
   */
  private static final long LINGER_NANOS = Duration.ofSeconds(1).toNanos();

  /** Above every stream that there can be (RFC 9114 §5.2). */
  private static final long NO_LAST_STREAM = (1L << 62) - 4;

  private static final long DATA_FRAME = 0x00;
  private static final long HEADERS_FRAME = 0x01;

  private final ListenerContext loop;
  private final LimitsConfig limits;
  private final TimeoutsConfig timeouts;
  private final Http2Config bounds;
  private final QuicChannel channel;
  private final ClientCertificateCheck guard;
  private final Runnable onProven;
  private final Runnable onHandshakeOver;
  private final LongObjectMap<Http3Stream> streams = new LongObjectHashMap<>();
  private final ArrayDeque<Http3Stream> waiting = new ArrayDeque<>(0);

  /** Streams that wait for {@link #credit}, in turns. */
  private final ArrayDeque<Http3Stream> withoutCredit = new ArrayDeque<>(0);

  private final DeadlineWheel.Entry deadline;
  private final StreamProgress progress;
  private final StreamDispatcher dispatcher;
  private final GoAwaySequence goAway;

  /** Whether the client was told that it may use extended CONNECT. */
  private final boolean takesTunnels;

  private ClientInfo client;
  private @Nullable String serverName;
  private long newestStream = -1;
  private int requests;
  private int resets;
  private int resetsCaused;

  /** What the client sent that means nothing to us, less its requests, in this window. */
  private int idleFrames;

  /** DATA frames without data, one after the other. */
  private int emptyFrames;

  /** A bit for each type of stream that a client opens once. */
  private int openedOnce;

  private long windowStartNanos;
  private long signsOfClosed;
  private long lastEndNanos;

  /** What was on its way to where the client was before. */
  private List<Http3Stream> sentElsewhere = List.of();

  /** Of the responses that have a pacing; null before the first. */
  private @Nullable PaceBucket credit;

  private boolean isCreditAwaited;

  private boolean isEstablished;
  private boolean isTurnQueued;
  private boolean isClosed;

  /**
   * A connection whose handshake is under way.
   *
   * @param onProven called when the handshake has succeeded
   * @param onHandshakeOver called once, when it has succeeded or failed
   */
  Http3Connection(
      ListenerContext loop,
      QuicChannel channel,
      ClientInfo client,
      ClientCertificateCheck guard,
      Runnable onProven,
      Runnable onHandshakeOver) {
    this.loop = loop;
    this.channel = channel;
    this.client = client;
    this.guard = guard;
    this.onProven = onProven;
    this.onHandshakeOver = onHandshakeOver;
    limits = loop.limits();
    timeouts = loop.timeouts();
    bounds = loop.http2();
    takesTunnels = loop.takesTunnels();
    deadline = loop.wheel.entry(this::onDeadline);
    progress = new StreamProgress(loop.counters, timeouts);
    dispatcher = new StreamDispatcher(loop, "https", "H3_MESSAGE_ERROR");
    goAway = new GoAwaySequence(loop.wheel, new GoAwayFrames());
  }

  /**
   * The codec that goes before this handler. No dynamic table in either direction, so that no
   * stream waits for another and no table is held (RFC 9204 §2.1.2, §3.2.3).
   */
  ChannelHandler codec() {
    // Beyond twice the bound the connection is closed; up to there the answer is 431.
    Http3Settings settings =
        new Http3Settings()
            .maxFieldSectionSize(2L * limits.headerBytes())
            .qpackMaxTableCapacity(0)
            .qpackBlockedStreams(0);
    if (takesTunnels) {
      settings.enableConnectProtocol(true);
    }
    ChannelHandler each =
        new ChannelInitializer<QuicStreamChannel>() {
          @Override
          protected void initChannel(QuicStreamChannel opened) {
            onOpened(opened);
          }
        };
    return new Http3ServerConnectionHandler(
        each, null, null, new DefaultHttp3SettingsFrame(settings), true);
  }

  ListenerContext loop() {
    return loop;
  }

  LimitsConfig limits() {
    return limits;
  }

  ClientCertificateCheck guard() {
    return guard;
  }

  boolean takesTunnels() {
    return takesTunnels;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    deadline.in(timeouts.tlsHandshake().toNanos());
    // A handshake that fails never was active, so nobody would be told that it is inactive.
    channel.closeFuture().addListener(done -> onClosed());
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    onProven.run();
    onHandshakeEnd();
    loop.counters.http3.established++;
    if (!loop.admitServerName(channel, serverName)) {
      close(Http3ErrorCode.H3_EXCESSIVE_LOAD);
      return;
    }
    SSLEngine engine = channel.sslEngine();
    if (engine != null) {
      SSLSession session = engine.getSession();
      client =
          client.secured(
              new TlsSession(session.getProtocol(), session.getCipherSuite(), serverName, null));
    }
    deadline.in(timeouts.requestHeader().toNanos());
    ctx.fireChannelActive();
  }

  private void onHandshakeEnd() {
    if (!isEstablished) {
      isEstablished = true;
      onHandshakeOver.run();
    }
  }

  // ---- streams begin

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof QuicStreamChannel opened
        && opened.type() == QuicStreamType.UNIDIRECTIONAL) {
      opened.pipeline().addFirst(new Http3ClientStream(this));
    }
    ctx.fireChannelRead(message);
  }

  private void onOpened(QuicStreamChannel opened) {
    Http3Stream stream = new Http3Stream(this, opened);
    // The codec's decoder is the first by now, its validation behind it.
    String codec = opened.pipeline().firstContext().name();
    opened.pipeline().addAfter(codec, null, ContentLengthCheck.ForHttp3.INSTANCE);
    opened.pipeline().addFirst(stream.wire());
    opened.pipeline().addLast(stream);
    streams.put(stream.id(), stream);
    deadline.in(progress.lookNanos());
  }

  /** A head has come; says whether the request is taken. */
  boolean onRequest(Http3Stream stream) {
    if (streams.size() > limits.streamsPerConnection()) {
      // QUIC allows no more at once; the client has cancelled others that are still at work.
      loop.counters.hit(LimitKey.STREAMS_PER_CONNECTION);
      reject(stream);
      countReset();
      return false;
    }
    if (goAway.isFinished() && stream.id() > newestStream) {
      // Above what GOAWAY promised to answer; the client may ask again elsewhere (§5.2).
      reject(stream);
      return false;
    }
    newestStream = Math.max(newestStream, stream.id());
    idleFrames--;
    prioritize(stream);
    if (++requests == limits.requestsPerConnection()) {
      loop.counters.hit(LimitKey.REQUESTS_PER_CONNECTION);
      goAway.start();
    }
    return true;
  }

  private static void prioritize(Http3Stream stream) {
    Http3RequestStream opened = stream.request();
    CharSequence said = opened == null ? null : opened.request().first("priority");
    if (said != null) {
      stream.prioritize(StreamPriority.of(said));
    }
  }

  private static void reject(Http3Stream stream) {
    stream.reset(Http3ErrorCode.H3_REQUEST_REJECTED);
  }

  void start(Http3RequestStream opened) {
    dispatcher.start(client, opened);
  }

  // ---- refusals

  void refuse(Http3Stream stream, Http3RequestStream request, Rejection refusal) {
    if (!dispatcher.refuse(client, request, refusal)) {
      stream.reset(Http3ErrorCode.H3_MESSAGE_ERROR);
      countCausedReset();
    }
  }

  /** The stream ended before its head was whole (RFC 9114 §4.1). */
  void onIncomplete(Http3Stream stream) {
    stream.reset(Http3ErrorCode.H3_REQUEST_INCOMPLETE);
    countCausedReset();
  }

  // ---- writing

  /** A body chunk was written: other streams with data come first now. */
  void onWritten(Http3Stream stream) {
    if (streams.size() > 1 && !isClosed) {
      stream.moveToBack();
    }
  }

  /**
   * Tells a stream that it can be written again, in a turn of its own: QUIC may be in the middle of
   * handing what has become free to the streams that wait for it.
   */
  void notifyWritableLater(Http3Stream stream) {
    waiting.add(stream);
    if (!isTurnQueued && !isClosed) {
      isTurnQueued = true;
      channel.eventLoop().execute(this::onTurn);
    }
  }

  private void onTurn() {
    isTurnQueued = false;
    // A stream that cannot continue queues itself again.
    for (int left = waiting.size(); left > 0; left--) {
      Http3Stream stream = waiting.poll();
      if (stream != null) {
        stream.onWritable();
      }
    }
  }

  // ---- pacing

  /**
   * A response that has a pacing has begun, is past its burst, or has ended. Those that have one
   * share the highest of their rates; others go at full speed beside them.
   */
  void onPaceChanged() {
    long highest = -1;
    for (Http3Stream stream : streams.values()) {
      Http3RequestStream request = stream.request();
      long rate = request == null ? Pacing.UNPACED : request.sendingRate();
      if (rate < Pacing.UNPACED) {
        highest = Math.max(highest, rate);
      }
    }
    if (highest < 0) {
      return;
    }
    PaceBucket bucket = credit;
    if (bucket == null) {
      credit = new PaceBucket(highest, System.nanoTime());
    } else {
      bucket.rate(highest, System.nanoTime());
    }
  }

  /** Bytes of a paced response have been handed to QUIC. */
  void onPacedBytes(int lengthBytes) {
    PaceBucket bucket = credit;
    if (bucket != null) {
      bucket.take(lengthBytes, System.nanoTime());
    }
  }

  /** Whether a paced stream may write now; if not, it is told when its turn has come. */
  boolean hasCredit(Http3Stream stream) {
    PaceBucket bucket = credit;
    if (bucket == null) {
      return true;
    }
    long waitNanos = bucket.waitNanos(System.nanoTime());
    if (waitNanos == 0) {
      return true;
    }
    if (stream.awaitsCredit()) {
      withoutCredit.add(stream);
    }
    awaitCredit(waitNanos);
    return false;
  }

  private void awaitCredit(long waitNanos) {
    if (!isCreditAwaited && !isClosed) {
      isCreditAwaited = true;
      // The wheel of deadlines is too coarse: a client would see bursts of its ticks.
      channel.eventLoop().schedule(this::onCredit, waitNanos, TimeUnit.NANOSECONDS);
    }
  }

  private void onCredit() {
    isCreditAwaited = false;
    PaceBucket bucket = credit;
    if (bucket == null || isClosed) {
      return;
    }
    for (int left = withoutCredit.size(); left > 0; left--) {
      long waitNanos = bucket.waitNanos(System.nanoTime());
      if (waitNanos > 0) {
        awaitCredit(waitNanos);
        return;
      }
      Http3Stream stream = withoutCredit.poll();
      if (stream != null) {
        stream.onCredit();
      }
    }
  }

  // ---- the end of streams

  /** A response that cannot be right: only a reset tells the client (I3). */
  void onDefect(Http3Stream stream, Http3RequestStream request, String what) {
    LOG.error("{} {}: {}", request.request().method(), request.request().path(), what);
    stream.reset(Http3ErrorCode.H3_INTERNAL_ERROR);
    request.onClosed(what);
  }

  void onClientReset(Http3Stream stream) {
    if (stream.isReset()) {
      return;
    }
    stream.onGone("the client reset the stream");
    countReset();
  }

  void onGone(Http3Stream stream, String reason) {
    if (streams.remove(stream.id()) == null) {
      return;
    }
    signsOfClosed += stream.wire().takenBytes() + 1;
    lastEndNanos = loop.wheel.nowNanos();
    stream.onGone(reason);
    if (streams.isEmpty()) {
      deadline.in(progress.keepAliveNanos());
      closeIfDrained();
    }
  }

  /** What HTTP/3's codec or QUIC found wrong with a stream. */
  void onStreamFailed(Http3Stream stream, Throwable cause) {
    if (cause instanceof QuicStreamResetException) {
      onClientReset(stream);
      return;
    }
    LOG.debug("{}: stream {}: {}", client.address(), stream.id(), cause.toString());
    Http3RequestStream request = stream.request();
    if (request == null) {
      dispatcher.onUndecodable(client);
      stream.reset(Http3ErrorCode.H3_MESSAGE_ERROR);
      countCausedReset();
    } else {
      refuse(stream, request, Rejection.PROTOCOL);
    }
  }

  /** A stream was broken off by the client: HTTP/2's rapid reset by another name. */
  private void countReset() {
    loop.counters.http3.resets++;
    startWindowIfOver();
    check(++resets, bounds.resets(), LimitKey.HTTP2_RESETS);
  }

  /** A stream was broken off because of what the client had sent. */
  private void countCausedReset() {
    loop.counters.http3.resets++;
    startWindowIfOver();
    check(++resetsCaused, bounds.resetsCaused(), LimitKey.HTTP2_RESETS_CAUSED);
  }

  /** A frame that means nothing to us; one of many bytes counts as several of HTTP/2 would. */
  boolean countIdleFrame(long length) {
    return countIdle(1 + (int) Math.min(length >> 14, bounds.priorities()));
  }

  /** False when the connection ends for it. */
  boolean countIdle(int count) {
    if (count > 0) {
      startWindowIfOver();
      idleFrames += count;
      check(idleFrames, bounds.priorities(), LimitKey.HTTP2_PRIORITIES);
    }
    return !isClosed;
  }

  /** A frame of a request stream; false when the connection ends for it. */
  boolean onRequestFrame(long type, long length) {
    if (type == DATA_FRAME && length == 0) {
      check(++emptyFrames, bounds.emptyFrames(), LimitKey.HTTP2_EMPTY_FRAMES);
      return !isClosed;
    }
    if (type == DATA_FRAME || type == HEADERS_FRAME) {
      emptyFrames = 0;
      return true;
    }
    return countIdleFrame(length);
  }

  /** Whether the client has opened no stream of this type before. */
  boolean isFirst(int streamType) {
    int bit = 1 << streamType;
    boolean isFirst = (openedOnce & bit) == 0;
    openedOnce |= bit;
    return isFirst;
  }

  private void startWindowIfOver() {
    long now = loop.wheel.nowNanos();
    if (now - windowStartNanos >= bounds.window().toNanos()) {
      windowStartNanos = now;
      resets = 0;
      resetsCaused = 0;
      idleFrames = 0;
    }
  }

  private void check(int count, int most, LimitKey limit) {
    if (count > most && !isClosed) {
      loop.counters.hit(limit);
      LOG.debug("{}: {} exceeded", client.address(), limit.key());
      close(Http3ErrorCode.H3_EXCESSIVE_LOAD);
    }
  }

  // ---- the end of the connection

  private final class GoAwayFrames implements GoAwaySequence.Frames {
    @Override
    public void sendFirst() {
      sendGoAway(NO_LAST_STREAM);
    }

    @Override
    public void sendFinal() {
      sendGoAway(newestStream < 0 ? 0 : newestStream + 4);
      closeIfDrained();
    }
  }

  private void sendGoAway(long firstStreamNotTaken) {
    Channel control = Http3.getLocalControlStream(channel);
    if (control != null) {
      control.writeAndFlush(new DefaultHttp3GoAwayFrame(firstStreamNotTaken));
    }
  }

  private void closeIfDrained() {
    if (!goAway.isFinished() || !streams.isEmpty()) {
      return;
    }
    long leftNanos = LINGER_NANOS - (loop.wheel.nowNanos() - lastEndNanos);
    if (requests == 0 || leftNanos <= 0) {
      close(Http3ErrorCode.H3_NO_ERROR);
    } else {
      deadline.in(leftNanos);
    }
  }

  void close(Http3ErrorCode error) {
    if (!isClosed) {
      isClosed = true;
      channel.close(true, error.code(), Unpooled.EMPTY_BUFFER);
    }
  }

  private void onDeadline(long nowNanos) {
    if (!isEstablished) {
      loop.counters.hit(LimitKey.TLS_HANDSHAKE);
      close(Http3ErrorCode.H3_NO_ERROR);
      return;
    }
    if (streams.isEmpty()) {
      if (!goAway.isStarted()) {
        loop.counters.hit(requests == 0 ? LimitKey.REQUEST_HEADER : LimitKey.KEEP_ALIVE);
      }
      goAway.start();
      closeIfDrained();
      return;
    }
    if (isStuck()) {
      countStalled();
      close(Http3ErrorCode.H3_NO_ERROR);
      return;
    }
    for (Http3Stream stream : new ArrayList<>(streams.values())) {
      look(stream, nowNanos);
    }
    deadline.in(progress.lookNanos());
  }

  /** One stream must not outlast its bounds because others of its connection do well. */
  private void look(Http3Stream stream, long nowNanos) {
    Http3RequestStream request = stream.request();
    long headSince = stream.headSinceNanos();
    if (request == null || headSince >= 0) {
      if (headSince >= 0 && nowNanos - headSince >= timeouts.requestHeader().toNanos()) {
        loop.countRefusal(Rejection.HEADER_TIMEOUT);
        onIncomplete(stream);
      }
      return;
    }
    Rejection refusal = request.overdue(nowNanos, timeouts.requestTotal().toNanos());
    if (refusal != null) {
      refuse(stream, request, refusal);
      return;
    }
    stream.probe();
    // How long a tunnel may stand still is its own bound.
    if (!request.isTunnel() && progress.isStuck(request, stream.isStuck())) {
      request.giveUp();
    }
  }

  /** The limits of a route hold from now on, where they are stricter; a stream is open. */
  void tighten(long noProgressNanos, long keepAliveNanos) {
    if (progress.tighten(noProgressNanos, keepAliveNanos)) {
      deadline.in(progress.lookNanos());
    }
  }

  void countStalled() {
    progress.countStalled();
  }

  /** Whether data waits and the client has taken nothing on any stream for too long. */
  private boolean isStuck() {
    boolean hasWaiting = false;
    long signs = signsOfClosed;
    for (Http3Stream stream : streams.values()) {
      hasWaiting |= !stream.isTunnel() && stream.wire().hasQueued();
      signs += stream.wire().takenBytes();
    }
    return progress.isStuck(hasWaiting, signs);
  }

  // ---- events of the channel

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (event == ListenerContext.Drain.NOW || event == ListenerContext.Drain.LAST_REQUEST) {
      goAway.start();
      return;
    }
    if (event == ListenerContext.Drain.TUNNELS) {
      endTunnels();
      return;
    }
    if (event instanceof SniCompletionEvent hello) {
      serverName = hello.hostname();
    }
    if (event instanceof QuicPathEvent.New) {
      onOtherAddress();
    }
    if (event instanceof QuicPathEvent.PeerMigrated moved) {
      onMoved(moved.remote());
    }
    super.userEventTriggered(ctx, event);
  }

  private void endTunnels() {
    for (Http3Stream stream : new ArrayList<>(streams.values())) {
      if (stream.isTunnel()) {
        stream.reset(Http3ErrorCode.H3_REQUEST_CANCELLED);
        onGone(stream, "the node is replaced");
      }
    }
  }

  // ---- clients that move

  /** A packet came from elsewhere; nothing of it has been told yet, and it may be a forged one. */
  private void onOtherAddress() {
    sentElsewhere = streams.values().stream().filter(stream -> stream.wire().hasWritten()).toList();
  }

  /**
   * QUIC has made sure that the client is there now: what is asked from now on is logged with, and
   * bound by, this address. What was on its way to the one before is mostly lost, and quiche sends
   * again no more than its first packets; nor does it forget an address, so that a second move
   * would be the last. So these responses are broken off, lest the client wait for what never
   * comes, and the connection ends with what has begun since.
   */
  private void onMoved(InetSocketAddress address) {
    loop.counters.http3.migrations++;
    client = client.at(address.getAddress().getHostAddress(), address.getPort());
    List<Http3Stream> broken = sentElsewhere;
    sentElsewhere = List.of();
    broken.forEach(stream -> stream.onGone("the client migrated to another address"));
    goAway.start();
  }

  private void onClosed() {
    isClosed = true;
    onHandshakeEnd();
    deadline.remove();
    goAway.remove();
    List<Http3Stream> left = new ArrayList<>(streams.values());
    streams.clear();
    waiting.clear();
    withoutCredit.clear();
    left.forEach(stream -> stream.onGone("the client closed the connection"));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    // QUIC closes by itself where it has to; handshakes that fail and packets that are wrong end
    // up here as well.
    LOG.debug("{}: {}", client.address(), cause.toString());
  }
}
