package io.forebay.server.origin.hedge;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.origin.OriginSender;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request that goes to a second server if the first one is late. Confined to one event loop.
 *
 * <pre>
 *   first alone ──p95──► both ──a head──► the one it came from
 *        └───────────────head──────────────────┘
 * </pre>
 *
 * <p>Of the second server a response of 500 and above does not count: it may fail at once where the
 * first one only takes its time.
 */
final class HedgedCall implements OriginCall {
  private final OriginSender sender;
  private final EventLoop loop;
  private final LatestLatencies latencies;
  private final LoopCounters counters;
  private final OriginRequest request;
  private final OriginListener listener;
  private final long startNanos;

  private final Attempt first = new Attempt();
  private @Nullable Attempt second;

  /** The attempt whose head came first; null before. */
  private @Nullable Attempt decided;

  private @Nullable Future<?> timer;
  private boolean isSuspended;

  HedgedCall(
      OriginSender sender,
      EventLoop loop,
      LatestLatencies latencies,
      LoopCounters counters,
      OriginRequest request,
      OriginListener listener) {
    this.sender = sender;
    this.loop = loop;
    this.latencies = latencies;
    this.counters = counters;
    this.request = request;
    this.listener = listener;
    this.startNanos = loop.ticker().nanoTime();
  }

  void start(String origin) {
    first.call = sender.send(origin, request, first);
    long delay = latencies.p95Nanos();
    if (delay != Long.MAX_VALUE) {
      timer = loop.schedule(this::hedge, delay, TimeUnit.NANOSECONDS);
    }
  }

  /** The call underneath that the response comes from, or else the latest one. */
  OriginCall latest() {
    Attempt from = decided != null ? decided : second != null ? second : first;
    return from.call();
  }

  private void hedge() {
    timer = null;
    Attempt another = new Attempt();
    OriginCall call = sender.sendAgain(first.call(), request, true, another);
    if (call != null) {
      another.call = call;
      second = another;
      counters.originHedges++;
      if (isSuspended) {
        call.suspend();
      }
    }
  }

  // What the caller orders.

  @Override
  public void suspend() {
    isSuspended = true;
    each(OriginCall::suspend);
  }

  @Override
  public void resume() {
    isSuspended = false;
    each(OriginCall::resume);
  }

  @Override
  public boolean isWaiting() {
    return first.call().isWaiting();
  }

  @Override
  public void cancel() {
    stopTimer();
    each(OriginCall::cancel);
  }

  private void each(Consumer<OriginCall> order) {
    Attempt other = second;
    if (decided != null) {
      order.accept(decided.call());
      return;
    }
    if (!first.isOver) {
      order.accept(first.call());
    }
    if (other != null && !other.isOver) {
      order.accept(other.call());
    }
  }

  private void stopTimer() {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  /** The attempt beside this one if it still may bring a response, or null. */
  private @Nullable Attempt running(Attempt beside) {
    Attempt other = beside == first ? second : first;
    return other == null || other.isOver ? null : other;
  }

  private void decide(Attempt attempt) {
    stopTimer();
    decided = attempt;
    latencies.add(loop.ticker().nanoTime() - startNanos);
    Attempt other = running(attempt);
    if (other != null) {
      other.isOver = true;
      other.call().cancel();
    }
    counters.originHedgesWon += attempt == second ? 1 : 0;
  }

  /** The request at one server. */
  private final class Attempt implements OriginListener {
    private @Nullable OriginCall call;

    /** The origin that stands in and whose head is about to come, or null. */
    private @Nullable String fallback;

    /** It failed, or was given up. */
    private boolean isOver;

    OriginCall call() {
      return Objects.requireNonNull(call, "not sent yet");
    }

    @Override
    public void onInformational(int status, HeaderFields fields) {
      if (this == (decided == null ? first : decided)) {
        listener.onInformational(status, fields);
      }
    }

    @Override
    public void onFallback(String origin) {
      // Comes with the head, and counts if that does.
      fallback = origin;
    }

    @Override
    public void onHead(
        int status, HeaderFields fields, long contentLength, boolean isCloseDelimited) {
      if (this == second && status >= 500 && running(this) != null) {
        isOver = true;
        call().cancel();
        return;
      }
      decide(this);
      if (fallback != null) {
        listener.onFallback(fallback);
      }
      listener.onHead(status, fields, contentLength, isCloseDelimited);
    }

    @Override
    public void onData(ByteBuf data) {
      listener.onData(data);
    }

    @Override
    public void onReadComplete() {
      if (this == decided) {
        listener.onReadComplete();
      }
    }

    @Override
    public void onEnd(HeaderFields trailers) {
      listener.onEnd(trailers);
    }

    @Override
    public void onFailure(OriginFailure failure) {
      isOver = true;
      if (this == decided || running(this) == null) {
        stopTimer();
        listener.onFailure(failure);
      }
    }
  }
}
