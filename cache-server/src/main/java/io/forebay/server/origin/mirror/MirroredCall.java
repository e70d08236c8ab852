package io.forebay.server.origin.mirror;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginClient;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.tunnel.TunnelEnd;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A copy of a request, whose response is dropped. Confined to one event loop. */
final class MirroredCall implements OriginListener {
  /** A response that is longer is given up, and its connection with it. */
  static final long MAX_BODY_BYTES = 1 << 20;

  static final long MAX_SECONDS = 30;

  private final MirrorLimiter limiter;
  private final LoopCounters counters;
  private @Nullable OriginCall call;
  private @Nullable Future<?> timer;
  private long received;
  private boolean isOver;

  private MirroredCall(MirrorLimiter limiter, LoopCounters counters) {
    this.limiter = limiter;
    this.counters = counters;
  }

  /** Sends a request; the limiter has admitted it. */
  static void send(
      OriginClient client,
      EventLoop loop,
      MirrorLimiter limiter,
      LoopCounters counters,
      String origin,
      OriginRequest request) {
    MirroredCall sent = new MirroredCall(limiter, counters);
    sent.timer = loop.schedule(sent::giveUp, MAX_SECONDS, TimeUnit.SECONDS);
    sent.call = client.send(origin, request, sent);
  }

  private void giveUp() {
    if (!isOver) {
      counters.mirrorFailures++;
      end();
      if (call != null) {
        call.cancel();
      }
    }
  }

  private void end() {
    if (!isOver) {
      isOver = true;
      limiter.end();
      if (timer != null) {
        timer.cancel(false);
      }
    }
  }

  @Override
  public void onInformational(int status, HeaderFields fields) {}

  @Override
  public void onTunnel(HeaderFields fields, TunnelEnd tunnel) {
    tunnel.abort();
    end();
  }

  @Override
  public void onHead(
      int status, HeaderFields fields, long contentLength, boolean isCloseDelimited) {}

  @Override
  public void onData(ByteBuf data) {
    received += data.readableBytes();
    data.release();
    if (received > MAX_BODY_BYTES) {
      // What the shadow answers is of no use: that it began to is enough.
      end();
      if (call != null) {
        call.cancel();
      }
    }
  }

  @Override
  public void onReadComplete() {}

  @Override
  public void onEnd(HeaderFields trailers) {
    end();
  }

  @Override
  public void onFailure(OriginFailure failure) {
    counters.mirrorFailures++;
    end();
  }
}
