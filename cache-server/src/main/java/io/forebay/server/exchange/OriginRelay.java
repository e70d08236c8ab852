package io.forebay.server.exchange;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.deliver.ResponseBody;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginClient;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.peer.Peers;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the head of an origin's response, then passes the body to a {@link PassThroughBody},
 * which takes its place for the client. Confined to the event loop of the exchange.
 */
abstract class OriginRelay implements OriginListener, ResponseBody {
  final ClientRequest request;
  final ClientResponse response;

  private final OriginClient origins;

  /** Set before the first call back. */
  @Nullable OriginCall call;

  private @Nullable PassThroughBody body;

  OriginRelay(OriginClient origins, ClientRequest request, ClientResponse response) {
    this.origins = origins;
    this.request = request;
    this.response = response;
  }

  /** Sends that to the origin of the request's route. */
  final void ask(OriginRequest asked) {
    response.record().forwarded();
    response.sends(this);
    call = origins.send(request.route().originName(), asked, this);
  }

  /** The head has come: what follows goes there. */
  final void relayTo(PassThroughBody next) {
    body = next;
  }

  /** The origin failed before its head, and the exchange goes on. */
  abstract void onNoHead(OriginFailure failure);

  @Override
  public void onFallback(String origin) {
    response.record().answeredBy(origin);
  }

  @Override
  public void onPeer(String node) {
    response.record().answeredBy(Peers.originName(node));
  }

  @Override
  public void onData(ByteBuf data) {
    if (body == null) {
      data.release();
    } else {
      body.onData(data);
    }
  }

  @Override
  public void onReadComplete() {
    if (body != null) {
      body.onReadComplete();
    }
  }

  @Override
  public void onEnd(HeaderFields trailers) {
    if (body != null) {
      body.onEnd(trailers);
    }
  }

  @Override
  public void onFailure(OriginFailure failure) {
    if (body != null) {
      body.onFailure(failure);
    } else if (!response.isOver()) {
      onNoHead(failure);
    }
  }

  @Override
  public long sentBytes() {
    return 0;
  }

  @Override
  public void onWritable() {}

  @Override
  public void onClientGone() {
    if (call != null) {
      call.cancel();
    }
  }
}
