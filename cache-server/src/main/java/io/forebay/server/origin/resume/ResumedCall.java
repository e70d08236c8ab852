package io.forebay.server.origin.resume;

import io.forebay.core.http.ConditionalFields;
import io.forebay.core.http.HeaderFields;
import io.forebay.server.counters.LoopCounters;
import io.forebay.server.origin.OriginSender;
import io.forebay.server.origin.call.ForwardedCall;
import io.forebay.server.origin.call.OriginCall;
import io.forebay.server.origin.call.OriginFailure;
import io.forebay.server.origin.call.OriginFailure.Kind;
import io.forebay.server.origin.call.OriginListener;
import io.forebay.server.origin.call.OriginRequest;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** A GET whose body goes on if it breaks off. Confined to one event loop. */
final class ResumedCall extends ForwardedCall {

  /** How often one body goes on, however little each attempt brings (I5). */
  private static final int MAX_RESUMES = 16;

  private final OriginSender sender;
  private final OriginRequest request;
  private final LoopCounters counters;

  /** Null while there is no head, and if its body cannot go on. */
  private @Nullable BodyPart part;

  private long received;
  private int resumes;

  /** Why the attempt before broke off, until the head of the present one has come. */
  private @Nullable OriginFailure brokenOff;

  ResumedCall(
      OriginSender sender, OriginRequest request, OriginListener listener, LoopCounters counters) {
    super(listener);
    this.sender = sender;
    this.request = request;
    this.counters = counters;
  }

  void start(String origin) {
    forwardTo(sender.send(origin, request, this));
  }

  @Override
  public void onInformational(int status, HeaderFields fields) {
    if (brokenOff == null) {
      listener.onInformational(status, fields);
    }
  }

  @Override
  public void onPeer(String node) {
    if (brokenOff == null) {
      listener.onPeer(node);
    }
  }

  @Override
  public void onHead(
      int status, HeaderFields fields, long contentLength, boolean isCloseDelimited) {
    BodyPart begun = part;
    OriginFailure why = brokenOff;
    if (begun == null || why == null) {
      part = BodyPart.of(status, fields, contentLength);
      listener.onHead(status, fields, contentLength, isCloseDelimited);
      return;
    }
    BodyPart whole = begun.continuedBy(status, fields, contentLength, received);
    if (whole == null) {
      cancel();
      listener.onFailure(why);
      return;
    }
    part = whole;
    brokenOff = null;
    counters.originBodiesResumed++;
  }

  @Override
  public void onData(ByteBuf data) {
    received += data.readableBytes();
    BodyPart known = part;
    if (resumes > 0 && known != null && received > known.last() - known.first() + 1) {
      data.release();
      cancel();
      listener.onFailure(wrongLength());
    } else {
      listener.onData(data);
    }
  }

  @Override
  public void onEnd(HeaderFields trailers) {
    BodyPart known = part;
    if (resumes > 0 && known != null && !known.isWhole(received)) {
      listener.onFailure(wrongLength());
    } else {
      listener.onEnd(trailers);
    }
  }

  private static OriginFailure wrongLength() {
    return new OriginFailure(
        Kind.INVALID_RESPONSE, "a body that went on had another length than its Content-Range");
  }

  @Override
  public void onFailure(OriginFailure failure) {
    OriginFailure why = brokenOff == null ? failure : brokenOff;
    BodyPart known = part;
    OriginCall broken = latest();
    OriginCall next =
        broken != null && brokenOff == null && known != null && mayGoOn(failure.kind(), known)
            ? sender.sendAgain(broken, rest(known), false, this)
            : null;
    if (next == null) {
      listener.onFailure(why);
      return;
    }
    resumes++;
    brokenOff = failure;
    forwardTo(next);
  }

  private boolean mayGoOn(Kind kind, BodyPart known) {
    return (kind == Kind.TRUNCATED || kind == Kind.IDLE_TIMEOUT)
        && resumes < MAX_RESUMES
        && !known.isWhole(received);
  }

  /** The request for what is missing: that alone, and only of the same representation. */
  private OriginRequest rest(BodyPart known) {
    HeaderFields.Builder fields = HeaderFields.builder();
    request.fields().without(ConditionalFields::has).forEach(fields::add);
    fields.add("range", known.rangeAfter(received)).add("if-range", known.etag());
    return request.with(fields.build());
  }
}
