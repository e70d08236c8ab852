package io.forebay.server.origin;

import io.forebay.core.route.UpstreamEdits;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.dns.NameResolver;
import io.forebay.server.origin.files.ServedDirectory;
import io.forebay.server.origin.group.BasePath;
import io.forebay.server.origin.group.Origin;
import io.forebay.server.origin.group.Origins;
import io.forebay.server.text.Printable;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The pooled origin client of one event loop. Everything runs on that loop; loops share only the
 * count of connections ({@link OriginConnections}), the names ({@link NameResolver}) and the
 * immutable {@link Origins}.
 *
 * <p>A request body is taken over when the request is on its connection: from then on the client
 * ends or cancels it. A call that fails before that leaves the body to its owner.
 */
public final class PooledOriginClient implements OriginSender {
  private final EventLoop loop;
  private final Class<? extends SocketChannel> channelClass;
  private final ByteBufAllocator allocator;
  private final OriginConnections connections;
  private final NameResolver names;
  private final LoopCounters counters;
  private final RandomGenerator random;

  private Origins origins;
  private ResponseLimits bounds;

  /** Changed by the loop, read by reports. */
  private final Map<String, OriginPool> pools = new ConcurrentHashMap<>();

  private final Map<Duration, TotalTimeouts> totalTimeouts = new HashMap<>();

  private boolean isSending;
  private boolean isClosed;

  /**
   * The client of one loop.
   *
   * @param random of this loop alone, for the choice among endpoints
   */
  public PooledOriginClient(
      EventLoop loop,
      Class<? extends SocketChannel> channelClass,
      ByteBufAllocator allocator,
      Origins origins,
      ResponseLimits bounds,
      OriginConnections connections,
      NameResolver names,
      LoopCounters counters,
      RandomGenerator random) {
    this.loop = loop;
    this.channelClass = channelClass;
    this.allocator = allocator;
    this.origins = origins;
    this.bounds = bounds;
    this.connections = connections;
    this.names = names;
    this.counters = counters;
    this.random = random;
  }

  @Override
  public OriginCall send(String name, OriginRequest request, OriginListener listener) {
    List<String> fallbacks = origins.fallbacks(name);
    Origin origin = fallbacks.isEmpty() ? null : origins.find(name);
    return origin == null || isClosed
        ? sendTo(name, request, listener)
        : FallbackCall.send(this, pool(origin), fallbacks, request, listener);
  }

  /** Sends a request to that origin alone. */
  OriginCall sendTo(String name, OriginRequest request, OriginListener listener) {
    boolean isRefused = request.target().equals(UpstreamEdits.Edited.NOT_SENT);
    if (!isRefused) {
      RequestHeadWriter.check(request);
    }
    Origin origin = origins.find(name);
    ServedDirectory directory = origin == null ? null : origin.directory();
    if (origin != null && directory != null && !isClosed && !isRefused) {
      return DirectoryWatch.send(this, origin, directory, request, listener);
    }
    PooledCall call = new PooledCall(this, origin, request, listener);
    // Failures found while this is set are told to the listener after this method has returned.
    isSending = true;
    try {
      if (isRefused) {
        call.fail(Kind.DEFECT, "a plugin of the route failed, so the request is not sent");
      } else if (origin == null) {
        call.fail(Kind.UNKNOWN_ORIGIN, "there is no origin named " + Printable.line(name));
      } else if (isClosed) {
        call.fail(stopped(origin));
      } else if (origin.hasBasePath() && BasePath.mayClimb(request.target())) {
        call.fail(
            Kind.TARGET_REFUSED,
            origin.label() + ": \"..\" beside an encoded slash could leave the base path");
      } else {
        OriginPool pool = pool(origin);
        counters.originFetches++;
        call.countedBy(pool);
        call.limitTotal(request.timeouts().totalOr(origin.config().totalTimeout()));
        pool.submit(call);
      }
    } finally {
      isSending = false;
    }
    return call;
  }

  @Override
  public @Nullable OriginCall sendAgain(
      OriginCall earlier, OriginRequest request, boolean isElsewhere, OriginListener listener) {
    OriginCall sent = earlier instanceof FallbackCall fallback ? fallback.latest() : earlier;
    if (!(sent instanceof PooledCall before) || isClosed) {
      return null;
    }
    OriginPool pool = before.pool();
    if (pool == null) {
      return null;
    }
    Duration total = pool.origin().config().totalTimeout();
    Duration left = total.minusNanos(before.elapsedNanos());
    if (total.isPositive() && !left.isPositive()) {
      return null;
    }
    if (!before.isDone()) {
      before.observeLateness();
    }
    PooledCall call = new PooledCall(this, pool.origin(), request, listener);
    isSending = true;
    try {
      if (!pool.submitAgain(call, before.latestEndpoint(), isElsewhere)) {
        return null;
      }
      if (total.isPositive()) {
        call.limitRest(left);
      }
    } finally {
      isSending = false;
    }
    return call;
  }

  /** The Host field that is configured for the origin of that name, or null. On the loop. */
  public @Nullable String hostOf(String origin) {
    Origin known = origins.find(origin);
    return known == null ? null : known.config().host();
  }

  /** Whether late requests to the origin of that name go to a second server too. On the loop. */
  public boolean isHedged(String origin) {
    Origin known = origins.find(origin);
    return known != null && known.config().retry().isHedged();
  }

  /** Whether bodies of the origin of that name go on when they break off. On the loop. */
  public boolean isResumed(String origin) {
    Origin known = origins.find(origin);
    return known != null && known.config().retry().isResumed();
  }

  /**
   * Replaces the origins. Connections of those that changed or went away are closed when idle;
   * calls under way and waiting finish with the configuration they began with. The bounds hold for
   * connections to come. On the loop.
   */
  public void reconfigure(Origins newOrigins, ResponseLimits newBounds) {
    origins = newOrigins;
    bounds = newBounds;
    // Calls that are in them stay there.
    totalTimeouts.clear();
    Iterator<OriginPool> each = pools.values().iterator();
    while (each.hasNext()) {
      OriginPool pool = each.next();
      if (!pool.origin().equals(newOrigins.find(pool.origin().name()))) {
        each.remove();
        pool.retire();
      }
    }
  }

  /** Operators drained servers, or took some back into service. On the loop. */
  public void applyDrains() {
    pools.values().forEach(pool -> pool.endpoints().applyDrains());
  }

  /**
   * Closes idle connections and fails what waits for one; what is under way goes on. On the loop.
   */
  public void close() {
    isClosed = true;
    for (OriginPool pool : pools.values()) {
      pool.failWaiting(stopped(pool.origin()));
      pool.retire();
    }
    pools.clear();
  }

  /** Idle connections of this loop to an origin. */
  int idleCount(String origin) {
    OriginPool pool = pools.get(origin);
    return pool == null ? 0 : pool.idleCount();
  }

  /** The endpoints that this loop uses of an origin. Any thread. */
  List<EndpointPool> endpoints(Origin origin) {
    OriginPool pool = pools.get(origin.name());
    return pool == null ? List.of() : pool.endpoints().published();
  }

  EventLoop loop() {
    return loop;
  }

  Class<? extends SocketChannel> channelClass() {
    return channelClass;
  }

  ByteBufAllocator allocator() {
    return allocator;
  }

  Origins origins() {
    return origins;
  }

  ResponseLimits bounds() {
    return bounds;
  }

  OriginConnections shared() {
    return connections;
  }

  NameResolver names() {
    return names;
  }

  LoopCounters counters() {
    return counters;
  }

  /** Of this loop alone. */
  RandomGenerator random() {
    return random;
  }

  /** The calls that have that total timeout. */
  TotalTimeouts totalTimeouts(Duration timeout) {
    TotalTimeouts known = totalTimeouts.get(timeout);
    if (known == null) {
      known = new TotalTimeouts(loop, timeout);
      totalTimeouts.put(timeout, known);
    }
    return known;
  }

  boolean isClosed() {
    return isClosed;
  }

  boolean isSending() {
    return isSending;
  }

  private OriginPool pool(Origin origin) {
    OriginPool pool = pools.get(origin.name());
    if (pool == null) {
      int number = counters.names().origins().number(origin.name());
      pool =
          new OriginPool(
              this,
              origin,
              connections.permits(origin.name()),
              counters.origin(number),
              connections.watch(origin.name()),
              connections.health(origin.name()),
              connections.requests(origin.config()));
      pools.put(origin.name(), pool);
    }
    return pool;
  }

  private static OriginFailure stopped(Origin origin) {
    return new OriginFailure(
        Kind.TOO_MANY_CONNECTIONS, origin.label() + ": no new connections, this node is stopping");
  }
}
