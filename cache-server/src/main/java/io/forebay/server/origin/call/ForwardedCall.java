package io.forebay.server.origin.call;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.tunnel.TunnelEnd;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A call that sends its request more than once: to other servers, or for the rest of a body. Orders
 * go to the latest attempt, and events of the attempts to the listener; subclasses decide which
 * events start another attempt.
 *
 * <pre>
 *   caller   ── suspend, resume, cancel ──► ForwardedCall ──► latest attempt
 *   listener ◄── head, body, end ────────── ForwardedCall ◄── every attempt
 * </pre>
 *
 * <p>Confined to the event loop.
 */
public abstract class ForwardedCall implements OriginCall, OriginListener {
  protected final OriginListener listener;

  private @Nullable OriginCall latest;
  private boolean isSuspended;

  protected ForwardedCall(OriginListener listener) {
    this.listener = listener;
  }

  /** Makes an attempt the latest one. A caller that has suspended this call suspends it too. */
  protected final void forwardTo(OriginCall attempt) {
    latest = attempt;
    if (isSuspended) {
      attempt.suspend();
    }
  }

  /** The latest attempt; null before the first one. */
  public final @Nullable OriginCall latest() {
    return latest;
  }

  // What the caller orders.

  @Override
  public final void suspend() {
    isSuspended = true;
    if (latest != null) {
      latest.suspend();
    }
  }

  @Override
  public final void resume() {
    isSuspended = false;
    if (latest != null) {
      latest.resume();
    }
  }

  @Override
  public boolean isWaiting() {
    return latest != null && latest.isWaiting();
  }

  @Override
  public void cancel() {
    if (latest != null) {
      latest.cancel();
    }
  }

  // What the latest attempt says.

  @Override
  public void onInformational(int status, HeaderFields fields) {
    listener.onInformational(status, fields);
  }

  @Override
  public void onTunnel(HeaderFields fields, TunnelEnd end) {
    listener.onTunnel(fields, end);
  }

  @Override
  public void onFallback(String origin) {
    listener.onFallback(origin);
  }

  @Override
  public void onPeer(String node) {
    listener.onPeer(node);
  }

  @Override
  public void onData(ByteBuf data) {
    listener.onData(data);
  }

  @Override
  public void onReadComplete() {
    listener.onReadComplete();
  }

  @Override
  public void onEnd(HeaderFields trailers) {
    listener.onEnd(trailers);
  }
}
