package io.forebay.server.origin;

import io.forebay.core.http.HeaderFields;
import io.forebay.server.origin.call.ForwardedCall;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import io.forebay.server.origin.group.Origin;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call to an origin for which others stand in. It sends the request to one after the other until
 * something of a response comes that is wanted; from then on it passes everything on.
 *
 * <pre>
 *   first origin ──down──────────────────────────────► next
 *        ├──no connection: nothing was sent──────────► next
 *        ├──no response, or an unwanted status: safe
 *        │  to send again, within the retry budget───► next
 *        └──a response, or no other left─────────────► listener
 * </pre>
 *
 * <p>Confined to the event loop.
 */
final class FallbackCall extends ForwardedCall {
  private final PooledOriginClient client;
  private final OriginPool first;
  private final List<String> others;
  private final OriginRequest request;
  private final boolean isSafe;

  /** How many of the others were asked. */
  private int asked;

  private boolean hasBegun;

  private FallbackCall(
      PooledOriginClient client,
      OriginPool first,
      List<String> others,
      OriginRequest request,
      OriginListener listener) {
    super(listener);
    this.client = client;
    this.first = first;
    this.others = others;
    this.request = request;
    this.isSafe = request.isSafeToSendAgain();
  }

  /** Sends the request to the first that may answer. */
  static OriginCall send(
      PooledOriginClient client,
      OriginPool first,
      List<String> others,
      OriginRequest request,
      OriginListener listener) {
    FallbackCall sent = new FallbackCall(client, first, others, request, listener);
    if (first.endpoints().isDown(sent.isSafe)) {
      sent.sendToNext();
    } else {
      sent.forwardTo(client.sendTo(first.origin().name(), request, sent));
    }
    return sent;
  }

  private void sendToNext() {
    String name = others.get(asked++);
    first.counters().fallbacks++;
    forwardTo(client.sendTo(name, requestFor(client.origins().find(name)), this));
  }

  /** With the Host field that the configuration gives the origin. */
  private OriginRequest requestFor(@Nullable Origin origin) {
    String host = origin == null ? null : origin.config().host();
    if (host == null) {
      return request;
    }
    HeaderFields.Builder fields = HeaderFields.builder().add("host", host);
    request
        .fields()
        .without(name -> name.equals("host"))
        .forEach((name, value) -> fields.add(name, value));
    return request.with(fields.build());
  }

  private boolean hasNext() {
    return !hasBegun && asked < others.size() && !client.isClosed();
  }

  /** Whether the request may be sent a second time. */
  private boolean mayRepeat() {
    return isSafe && first.takeRetry();
  }

  // What the origin says.

  @Override
  public void onInformational(int status, HeaderFields fields) {
    hasBegun = true;
    listener.onInformational(status, fields);
  }

  @Override
  public void onHead(
      int status, HeaderFields fields, long contentLength, boolean isCloseDelimited) {
    if (first.origin().config().retry().statuses().contains(status) && hasNext() && mayRepeat()) {
      cancel();
      sendToNext();
      return;
    }
    hasBegun = true;
    if (asked > 0) {
      listener.onFallback(others.get(asked - 1));
    }
    listener.onHead(status, fields, contentLength, isCloseDelimited);
  }

  @Override
  public void onFailure(OriginFailure failure) {
    OriginFailure.Kind kind = failure.kind();
    boolean isUnsent = kind.isBeforeRequest();
    if ((isUnsent || kind.isEndpointFault()) && hasNext() && (isUnsent || mayRepeat())) {
      sendToNext();
    } else {
      listener.onFailure(failure);
    }
  }
}
