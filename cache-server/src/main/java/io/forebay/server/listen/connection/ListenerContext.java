package io.forebay.server.listen.connection;

import io.forebay.core.http.HttpDate;
import io.forebay.server.accesslog.RequestLog;
import io.forebay.server.accesslog.RequestLogs;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.config.ServerConfig.Http2Config;
import io.forebay.server.config.ServerConfig.LimitsConfig;
import io.forebay.server.config.ServerConfig.TimeoutsConfig;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.fairness.ClientLimiter;
import io.forebay.server.http.RequestHandler;
import io.forebay.server.loop.DeadlineWheel;
import io.forebay.server.loop.Loop;
import io.forebay.server.rule.ClientCertificate;
import io.forebay.server.tunnel.SocketTunnelEnd;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.unix.DomainSocketChannel;
import io.netty.util.concurrent.Future;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The state and dependencies that the connections of one event loop share; confined to that loop,
 * except the final fields.
 */
public final class ListenerContext {

  /** The user events that ask a connection to end. */
  public enum Drain {
    /** With its next response; one that is idle waits a little for its last request. */
    LAST_REQUEST,

    /** Its tunnels end, whatever they carry. */
    TUNNELS,

    /** As soon as it decently can. */
    NOW
  }

  public final RequestHandler exchanges;
  public final LoopCounters counters;
  public final RequestLog requestLog;
  public final DeadlineWheel wheel;
  public final SocketBacklog sendQueue = new SocketBacklog();
  public final LargeWriteQuota largeWrites;
  public final DirectWrites directWrites = new DirectWrites();

  // Of the configuration in force. A connection keeps those it began with.
  private ServerConfig config;
  private boolean takesTunnels;

  private final Loop loop;
  private final LongSupplier clockMillis;
  private final ConnectionLimiter nodeConnections;
  private final Set<Channel> channels = Collections.newSetFromMap(new IdentityHashMap<>());
  private final byte[] date = new byte[HttpDate.LENGTH];
  private long dateSecond = -1;
  private long lastTickNanos;
  private int turnedAway;
  private boolean isDraining;
  private boolean isEnding;
  private @Nullable CompletableFuture<Void> drained;
  private @Nullable Future<?> ticking;

  public ListenerContext(
      Loop loop,
      RequestHandler exchanges,
      LoopCounters counters,
      RequestLog requestLog,
      ServerConfig config,
      ConnectionLimiter nodeConnections,
      LargeWriteQuota largeWrites,
      LongSupplier clockNanos,
      LongSupplier clockMillis) {
    this.loop = loop;
    this.exchanges = exchanges;
    this.counters = counters;
    this.requestLog = requestLog;
    this.config = config;
    this.takesTunnels = takesTunnels(config);
    this.nodeConnections = nodeConnections;
    this.largeWrites = largeWrites;
    this.wheel = new DeadlineWheel(clockNanos);
    this.clockMillis = clockMillis;
  }

  /**
   * One for each loop.
   *
   * @param handlers one for each loop, in the same order
   * @param counters likewise
   * @param connections that all loops count together
   */
  public static List<ListenerContext> ofLoops(
      List<Loop> loops,
      List<? extends RequestHandler> handlers,
      List<LoopCounters> counters,
      RequestLogs requestLogs,
      ServerConfig config,
      ConnectionLimiter connections,
      LongSupplier clockMillis) {
    List<ListenerContext> contexts = new ArrayList<>();
    for (Loop loop : loops) {
      LoopCounters counted = counters.get(loop.index());
      contexts.add(
          new ListenerContext(
              loop,
              handlers.get(loop.index()),
              counted,
              requestLogs.forLoop(loop.index()),
              config,
              connections,
              new LargeWriteQuota(config.limits().privateCopyBytes(), loops.size(), counted),
              System::nanoTime,
              clockMillis));
    }
    return contexts;
  }

  /** What connections that begin now are bound by. */
  public LimitsConfig limits() {
    return config.limits();
  }

  public TimeoutsConfig timeouts() {
    return config.timeouts();
  }

  public Http2Config http2() {
    return config.http2();
  }

  /** Whether connections that begin now are told that they may ask for tunnels on streams. */
  public boolean takesTunnels() {
    return takesTunnels;
  }

  public long retryAfterSeconds() {
    return config.overload().retryAfter().toSeconds();
  }

  /** Replaces the bounds, for connections to come. On the loop. */
  public void reconfigure(ServerConfig next) {
    config = next;
    takesTunnels = takesTunnels(next);
    exchanges.load().reconfigure(next.overload());
    largeWrites.privateCopyBytes(next.limits().privateCopyBytes());
  }

  private static boolean takesTunnels(ServerConfig config) {
    return config.routes().stream().anyMatch(route -> !route.forwarding().upgrade().isEmpty());
  }

  public EventLoop eventLoop() {
    return loop.eventLoop();
  }

  /** Begins the one periodic task of the loop. */
  public void startTicking() {
    lastTickNanos = System.nanoTime();
    // With a fixed delay: ticks that were missed and came together would hide how late they are.
    ticking =
        eventLoop()
            .scheduleWithFixedDelay(
                this::tick,
                DeadlineWheel.TICK_NANOS,
                DeadlineWheel.TICK_NANOS,
                TimeUnit.NANOSECONDS);
  }

  private void tick() {
    long now = System.nanoTime();
    exchanges.load().onTick(now - lastTickNanos - DeadlineWheel.TICK_NANOS);
    lastTickNanos = now;
    loop.tick();
    wheel.tick();
  }

  /** Takes a new connection in, or says no because there are as many as may be. */
  public boolean admit(Channel channel) {
    return admit(channel, channel.remoteAddress());
  }

  /** The same for a connection whose channel does not name its peer. */
  public boolean admit(Channel channel, @Nullable SocketAddress peer) {
    if (isDraining) {
      counters.connectionsRefused++;
      return false;
    }
    if (exchanges.load().isShedding()) {
      return refuse(LimitKey.OVERLOAD);
    }
    ConnectionLimiter.Answer answer = nodeConnections.take(peer);
    ConnectionLimiter.Place place = answer.place();
    if (place == null) {
      return refuse(answer.passed());
    }
    counters.connectionsAccepted++;
    counters.connectionsOpen++;
    channels.add(channel);
    channel
        .closeFuture()
        .addListener(done -> {
          channels.remove(channel);
          counters.connectionsOpen--;
          nodeConnections.giveBack(place);
          completeIfDrained();
        });
    return true;
  }

  /** Whether the other end is believed when it says for whom it has connected. */
  public boolean isTrustedProxy(Channel channel) {
    return channel instanceof DomainSocketChannel
        || nodeConnections.isTrusted(channel.remoteAddress());
  }

  /** A connection that has been let in turns out to be from there. */
  public boolean admitFrom(Channel channel, InetSocketAddress named) {
    ConnectionLimiter.Answer answer = nodeConnections.enter(named);
    ConnectionLimiter.Place place = answer.place();
    if (place == null) {
      return refuse(answer.passed());
    }
    channel.closeFuture().addListener(done -> nodeConnections.leave(place));
    return true;
  }

  /** The client of a connection asks for that name; false where one more would be too many. */
  public boolean admitServerName(Channel channel, @Nullable String name) {
    int most = limits().client().connections().perServerName();
    return most == 0
        || name == null
        || admit(
            channel,
            ClientLimiter.Kind.CONNECTION_TO_NAME,
            ConnectionKeys.serverName(name),
            most,
            LimitKey.CONNECTIONS_PER_SERVER_NAME);
  }

  /** The client of a connection has shown that certificate; the same for it. */
  public boolean admitCertificate(Channel channel, @Nullable ClientCertificate certificate) {
    int most = limits().client().connections().perCertificate();
    return most == 0
        || certificate == null
        || admit(
            channel,
            ClientLimiter.Kind.CONNECTION_OF_CERTIFICATE,
            certificate.number(),
            most,
            LimitKey.CONNECTIONS_PER_CERTIFICATE);
  }

  private boolean admit(
      Channel channel, ClientLimiter.Kind kind, long key, int most, LimitKey limit) {
    if (!nodeConnections.take(kind, key, most)) {
      return refuse(limit);
    }
    channel.closeFuture().addListener(done -> nodeConnections.leave(kind, key));
    return true;
  }

  private boolean refuse(@Nullable LimitKey passed) {
    counters.connectionsRefused++;
    if (passed != null) {
      counters.hit(passed);
    }
    return false;
  }

  /** Tells a plain text connection that was not admitted why, if not too many are being told. */
  public void sendOverloadResponse(Channel channel) {
    if (isDraining || turnedAway >= OverloadResponder.MAX) {
      channel.close();
      return;
    }
    turnedAway++;
    channel.closeFuture().addListener(done -> turnedAway--);
    channel.pipeline().addLast(new OverloadResponder(this, channel));
  }

  /** Asks every connection to end, now and those to come; completes when none is left. */
  public void drain(CompletableFuture<Void> done) {
    isDraining = true;
    drained = done;
    completeIfDrained();
    for (Channel channel : snapshot()) {
      channel.pipeline().fireUserEventTriggered(Drain.NOW);
    }
  }

  /** Whether new connections are to end with their first response. */
  public boolean isEnding() {
    return isEnding;
  }

  /**
   * Asks the connections that are open to end with their next response; those to come are to end
   * with their first one. Completes when those that are open now are gone.
   */
  public void beginEnding(CompletableFuture<Void> done) {
    isEnding = true;
    List<Channel> open = snapshot();
    if (open.isEmpty()) {
      done.complete(null);
      return;
    }
    int[] left = {open.size()};
    for (Channel channel : open) {
      channel
          .closeFuture()
          .addListener(closed -> {
            if (--left[0] == 0) {
              done.complete(null);
            }
          });
      channel.pipeline().fireUserEventTriggered(Drain.LAST_REQUEST);
    }
  }

  /**
   * Nothing is accepted any more: ends tunnels now, other connections with what they are at.
   * Completes when none is left.
   */
  public void endRequests(CompletableFuture<Void> done) {
    drained = done;
    completeIfDrained();
    for (Channel channel : snapshot()) {
      if (channel.pipeline().get(SocketTunnelEnd.class) != null) {
        channel.close();
      } else {
        channel.pipeline().fireUserEventTriggered(Drain.TUNNELS);
        channel.pipeline().fireUserEventTriggered(Drain.LAST_REQUEST);
      }
    }
  }

  /** Ends connections without a request, too. */
  public void endIdle() {
    for (Channel channel : snapshot()) {
      channel.pipeline().fireUserEventTriggered(Drain.NOW);
    }
  }

  /** Cuts every connection that is left. */
  public void cut() {
    isDraining = true;
    for (Channel channel : snapshot()) {
      // From the front: neither TLS nor HTTP/2 may hold it up with a goodbye.
      ChannelHandlerContext first = channel.pipeline().firstContext();
      if (first == null) {
        channel.close();
      } else {
        first.close();
      }
    }
    Future<?> periodic = ticking;
    if (periodic != null) {
      periodic.cancel(false);
    }
  }

  private void completeIfDrained() {
    CompletableFuture<Void> done = drained;
    if (done != null && channels.isEmpty()) {
      done.complete(null);
    }
  }

  private List<Channel> snapshot() {
    return new ArrayList<>(channels);
  }

  /** The wall clock. */
  public long nowMillis() {
    return clockMillis.getAsLong();
  }

  /** Counts a request that the listener refuses. */
  public void countRefusal(Rejection refusal) {
    counters.requestsRefused++;
    countLimit(refusal);
  }

  /** Counts the bound that was passed, if that was why. */
  public void countLimit(Rejection refusal) {
    LimitKey limit = refusal.limit();
    if (limit != null) {
      counters.hit(limit);
    }
  }

  /** The Date field's value now, for the responses the listener makes by itself. */
  public byte[] date() {
    long second = nowMillis() / 1000;
    if (second != dateSecond) {
      dateSecond = second;
      HttpDate.format(second * 1000, date, 0);
    }
    return date;
  }

  public String dateText() {
    return new String(date(), StandardCharsets.US_ASCII);
  }
}
