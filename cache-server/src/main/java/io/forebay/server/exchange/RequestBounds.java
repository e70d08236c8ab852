package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.core.policy.ProxyError;
import io.forebay.core.policy.Reason;
import io.forebay.server.config.RouteLimits;
import io.forebay.server.config.ServerConfig;
import io.forebay.server.counters.LimitKey;
import io.forebay.server.http.RequestBody;
import io.forebay.server.http.RequestBodyRate;
import io.forebay.server.http.RequestRefusal;
import io.forebay.server.http.ResponseSink;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a request within the limits of its route: the size and the pace of its body, and its time.
 * It stands between the body's source and its receivers, and makes nothing where a route has no
 * such limits. The node's own limits are the listener's.
 *
 * <p>Owner: the loop of the exchange, whose end ends it.
 */
final class RequestBounds implements RequestBody, RequestBody.Receiver {
  private static final long MIN_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final EventLoop loop;
  private final RequestBody source;
  private final ResponseSink sink;
  private final long maxBytes;
  private final RequestBodyRate pace;
  private final long totalNanos;
  private final long beganNanos;

  private @Nullable Receiver receiver;
  private long receivedBytes;
  private long wantedBytes;
  private boolean isRead;
  private boolean isRefused;
  private boolean isOver;
  private @Nullable Future<?> look;

  private RequestBounds(
      EventLoop loop,
      RequestBody source,
      ResponseSink sink,
      RouteLimits limits,
      ServerConfig node) {
    this.loop = loop;
    this.source = source;
    this.sink = sink;
    Long most = limits.requestBodyBytes();
    this.maxBytes = most == null ? Long.MAX_VALUE : most;
    Duration idle = limits.requestBodyIdle();
    Integer rate = limits.requestBodyRate();
    this.pace =
        new RequestBodyRate(
            (idle == null ? node.timeouts().requestBodyIdle() : idle).toNanos(),
            rate == null ? node.limits().client().requestBodyRate() : rate);
    Duration total = limits.requestTotal();
    this.totalNanos = total == null ? Long.MAX_VALUE : total.toNanos();
    this.beganNanos = nowNanos();
    this.isRead = source.lengthBytes() == 0;
  }

  /**
   * Applies the limits of the request's route from now on.
   *
   * @return the step that follows where the request is refused at once, otherwise null
   */
  static @Nullable Step apply(
      ExchangeContext loop, ClientRequest request, ClientResponse response, Continuation exchange) {
    RouteLimits limits = request.config().limits(request.route());
    if (limits == null) {
      return null;
    }
    if (limits.limitsConnections()) {
      response.sink().tighten(limits.noProgressNanos(), limits.keepAliveNanos());
    }
    if (!limits.limitsRequests()) {
      return null;
    }
    RequestBody body = request.body();
    Long most = limits.requestBodyBytes();
    if (most != null && body.lengthBytes() > most) {
      loop.counters().hit(LimitKey.REQUEST_BODY);
      return exchange.refuse(
          413,
          "the body is larger than allowed",
          Reason.REFUSED_BODY_SIZE,
          ProxyError.HTTP_REQUEST_ERROR);
    }
    RequestBounds bounds =
        new RequestBounds(
            loop.eventLoop(), body, response.sink(), limits, request.config().config());
    request.bounded(bounds);
    bounds.lookLater();
    return null;
  }

  /** Neither body nor time is limited any more: the exchange is over, or a tunnel. */
  void end() {
    isOver = true;
    Future<?> pending = look;
    if (pending != null) {
      look = null;
      pending.cancel(false);
    }
  }

  private long nowNanos() {
    return loop.ticker().nanoTime();
  }

  // --- time -------------------------------------------------------------------------------------

  private void lookLater() {
    long now = nowNanos();
    long next = Long.MAX_VALUE;
    if (totalNanos < Long.MAX_VALUE) {
      next = totalNanos - (now - beganNanos);
    }
    if (!isRead) {
      next = Math.min(next, pace.nextLookNanos(now));
    }
    if (next < Long.MAX_VALUE) {
      look = loop.schedule(this::look, Math.max(MIN_LOOK_NANOS, next), TimeUnit.NANOSECONDS);
    }
  }

  private void look() {
    look = null;
    if (isOver || isRefused) {
      return;
    }
    long now = nowNanos();
    if (totalNanos < Long.MAX_VALUE && now - beganNanos >= totalNanos) {
      refuse(RequestRefusal.REQUEST_TIMEOUT);
      return;
    }
    if (!isRead) {
      switch (pace.look(now)) {
        case SILENT -> {
          refuse(RequestRefusal.BODY_TIMEOUT);
          return;
        }
        case SLOW -> {
          refuse(RequestRefusal.BODY_TOO_SLOW);
          return;
        }
        case FINE -> {}
      }
    }
    lookLater();
  }

  private void refuse(RequestRefusal why) {
    isRefused = true;
    sink.refuse(why);
  }

  // --- the body ---------------------------------------------------------------------------------

  @Override
  public long lengthBytes() {
    return source.lengthBytes();
  }

  @Override
  public boolean isRepeatable() {
    return source.isRepeatable();
  }

  @Override
  public void receiver(Receiver to) {
    receiver = to;
    source.receiver(this);
  }

  @Override
  public void demand(long bytes) {
    wantedBytes = wantedBytes + bytes < 0 ? Long.MAX_VALUE : wantedBytes + bytes;
    pace.wanted(true, nowNanos());
    source.demand(bytes);
  }

  @Override
  public void cancel() {
    isRead = true;
    source.cancel();
  }

  @Override
  public void onData(ByteBuf data) {
    int length = data.readableBytes();
    receivedBytes += length;
    Receiver to = receiver;
    if (isRefused || to == null) {
      data.release();
      return;
    }
    if (receivedBytes > maxBytes) {
      data.release();
      isRefused = true;
      // Not within the delivery of its bytes, which goes on after this returns.
      loop.execute(() -> {
        if (!isOver) {
          sink.refuse(RequestRefusal.BODY_TOO_LARGE);
        }
      });
      return;
    }
    long now = nowNanos();
    wantedBytes = Math.max(0, wantedBytes - length);
    pace.onBytes(length, now);
    pace.wanted(wantedBytes > 0, now);
    to.onData(data);
  }

  @Override
  public void onEnd(HeaderFields trailers) {
    isRead = true;
    Receiver to = receiver;
    if (!isRefused && to != null) {
      to.onEnd(trailers);
    }
  }

  @Override
  public void onFailure(String reason) {
    isRead = true;
    Receiver to = receiver;
    if (to != null) {
      to.onFailure(reason);
    }
  }
}
